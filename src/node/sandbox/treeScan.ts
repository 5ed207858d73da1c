/**
 * Finds protected names, repositories and files with secrets below a folder, before and after each sandboxed command.
 *
 * A folder is read again only when its change time has changed, which no process in a sandbox can set back; that keeps
 * a scan of 20,000 files below a few milliseconds. Bounded: `MAX_DEPTH` levels and `MAX_FOLDERS` folders, nearest
 * first, so that deeper ones are not protected (docs/sandbox.md).
 */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { matchingPattern } from '../../core/policy/readPatterns.ts';
import { isWithin } from '../../core/sandbox/within.ts';
import { isProtectedEntry, PROTECTED_PATTERNS } from '../../core/sandbox/writableRoots.ts';
import { append } from '../../core/util/append.ts';

const MAX_DEPTH = 8;
const MAX_FOLDERS = 4_000;
const RECENT_MS = 2_000;
/** A change within the same tick of the file system's clock does not change the time (git's "racily clean"). */
const TICK_MS = 50;
/**
 * Folders with thousands of subfolders, in which users have no repositories of their own, and editors search for none.
 */
const NOT_ENTERED = 'node_modules';

/** Names that identify a repository without a working tree (gitrepository-layout(5)). */
const BARE_PARTS = ['HEAD', 'objects', 'refs', 'commondir'];
const TELLING_NAMES = [...PROTECTED_PATTERNS.map((pattern) => path.basename(pattern)), ...BARE_PARTS];

export interface ScannedTree {
  /** Files and folders with a protected name, links aside. */
  readonly protectedPaths: readonly string[];
  /** Links with a protected name. */
  readonly links: readonly string[];
  /** Folders that git would take for a repository without a working tree. */
  readonly bareRepositories: readonly string[];
  /** Files and links that the globs match, nearest first. */
  readonly secrets: readonly string[];
}

interface Folder {
  readonly inode: number;
  readonly changedAt: number;
  readonly protectedPaths: readonly string[];
  readonly links: readonly string[];
  readonly folders: readonly string[];
  readonly secrets: readonly string[];
  readonly isBare: boolean;
  /** The last scan that visited it. */
  scan: number;
}

export class TreeScan {
  readonly #known = new Map<string, Folder>();
  readonly #last = new Map<string, { readonly at: number; readonly tree: ScannedTree }>();
  #scans = 0;
  #globs = '';
  #isSecret: (path: string) => boolean = () => false;

  /** `globs`: entries of the setting `sandbox.unreadable`. What was scanned under others is forgotten. */
  hide(globs: readonly string[]): void {
    const key = JSON.stringify(globs);
    if (key === this.#globs) return;
    const patternOf = matchingPattern(globs, process.platform === 'darwin' ? 'darwin' : 'linux');
    this.#globs = key;
    this.#isSecret = (path) => patternOf(path) !== undefined;
    this.#known.clear();
    this.#last.clear();
  }

  /** The result of the last scan if it is very recent: commands often follow each other at once. */
  recent(root: string, roots: readonly string[]): ScannedTree {
    const last = this.#last.get(keyOf(root, roots));
    return last !== undefined && performance.now() - last.at < RECENT_MS ? last.tree : this.scan(root, roots);
  }

  /** Roots inside of this one are scanned separately: each has its own limits. */
  scan(root: string, roots: readonly string[]): ScannedTree {
    const apart = roots.filter((other) => other !== root && isWithin(other, root));
    const tree = {
      protectedPaths: [] as string[],
      links: [] as string[],
      bareRepositories: [] as string[],
      secrets: [] as string[],
    };
    const scan = ++this.#scans;
    const queue = [{ folder: root, depth: 0 }];
    for (let next = 0, count = 0; count < MAX_FOLDERS; next++) {
      const at = queue[next];
      if (at === undefined) break;
      const { folder, depth } = at;
      const content = this.#read(folder);
      if (content === undefined) continue;
      content.scan = scan;
      count++;
      append(tree.protectedPaths, content.protectedPaths);
      append(tree.links, content.links);
      append(tree.secrets, content.secrets);
      if (content.isBare) tree.bareRepositories.push(folder);
      if (depth === MAX_DEPTH) continue;
      for (const inner of content.folders) if (!apart.includes(inner)) queue.push({ folder: inner, depth: depth + 1 });
    }
    this.#forget(root, apart, scan);
    this.#last.set(keyOf(root, roots), { at: performance.now(), tree });
    return tree;
  }

  /** Removes folders that the last scan did not visit: they no longer exist. */
  #forget(root: string, apart: readonly string[], scan: number): void {
    for (const [folder, content] of this.#known) {
      if (content.scan === scan || !isWithin(folder, root) || apart.some((other) => isWithin(folder, other))) continue;
      this.#known.delete(folder);
    }
  }

  #read(folder: string): Folder | undefined {
    const stat = statOf(folder);
    if (stat === undefined || !stat.isDirectory()) return undefined;
    const known = this.#known.get(folder);
    if (known !== undefined && known.inode === stat.ino && known.changedAt === stat.ctimeMs) return known;
    const read = contentOf(folder, stat.ino, stat.ctimeMs, this.#isSecret);
    if (read !== undefined && Date.now() - stat.ctimeMs > TICK_MS) this.#known.set(folder, read);
    else this.#known.delete(folder);
    return read;
  }
}

/** The result for a root depends on the other roots inside of it. */
function keyOf(root: string, roots: readonly string[]): string {
  return [root, ...roots].join('\0');
}

/** A folder that the user cannot read misleads no program of the user. */
function statOf(folder: string): Stats | undefined {
  try {
    return lstatSync(folder, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Finds an entry of a folder that cannot be listed, although a known name in it can be opened. */
function entryOf(folder: string, name: string): { name: string; isDirectory(): boolean; isSymbolicLink(): boolean }[] {
  const stat = statOf(`${folder}/${name}`);
  if (stat === undefined) return [];
  return [{ name, isDirectory: () => stat.isDirectory(), isSymbolicLink: () => stat.isSymbolicLink() }];
}

function contentOf(
  folder: string,
  inode: number,
  changedAt: number,
  isSecret: (path: string) => boolean,
): Folder | undefined {
  let entries: readonly Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink'>[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    entries = TELLING_NAMES.flatMap((name) => entryOf(folder, name));
  }
  const protectedPaths: string[] = [];
  const links: string[] = [];
  const folders: string[] = [];
  const secrets: string[] = [];
  const bareParts = new Set<string>();
  const own = path.basename(folder);
  for (const entry of entries) {
    const { name } = entry;
    const inner = `${folder}/${name}`;
    if (isProtectedEntry(name, own)) (entry.isSymbolicLink() ? links : protectedPaths).push(inner);
    else if (entry.isDirectory() && name !== NOT_ENTERED) folders.push(inner);
    if (!entry.isDirectory() && isSecret(inner)) secrets.push(inner);
    if (BARE_PARTS.includes(name)) bareParts.add(name);
  }
  // Objects and references may be in another repository, named by `commondir` (gitrepository-layout(5)).
  const hasObjects = bareParts.has('commondir') || (bareParts.has('objects') && bareParts.has('refs'));
  const isBare = bareParts.has('HEAD') && hasObjects;
  return { inode, changedAt, protectedPaths, links, folders, secrets, isBare, scan: 0 };
}
