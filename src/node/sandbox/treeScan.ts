/**
 * Finds names that are protected and repositories below a folder, before each boxed command and after it.
 *
 * A folder is read again only when its change time says so, which no process in a box can set back; that keeps a look at
 * 20,000 files below a few milliseconds. Bounded: `MAX_DEPTH` levels and `MAX_FOLDERS` folders, nearest first, so that
 * what lies deeper than that is not protected (docs/sandbox.md).
 */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../../core/sandbox/within.ts';
import { isProtectedEntry, PROTECTED_PATTERNS } from '../../core/sandbox/writableRoots.ts';

const MAX_DEPTH = 8;
const MAX_FOLDERS = 4_000;
const RECENT_MS = 2_000;
/** A change within the same tick of the file system's clock does not show in the time (as git's "racily clean"). */
const TICK_MS = 50;
/** Thousands of folders in which nobody keeps a repository of their own, and no editor looks for one. */
const NOT_ENTERED = 'node_modules';

/** By which a repository without a working tree is known (gitrepository-layout(5)). */
const BARE_PARTS = ['HEAD', 'objects', 'refs', 'commondir'];
const TELLING_NAMES = [...PROTECTED_PATTERNS.map((pattern) => path.basename(pattern)), ...BARE_PARTS];

export interface ScannedTree {
  /** Files and folders with a protected name, links aside. */
  readonly protectedPaths: readonly string[];
  /** Links with a protected name. */
  readonly links: readonly string[];
  /** Folders that git would take for a repository without a working tree. */
  readonly bareRepositories: readonly string[];
}

interface Folder {
  readonly inode: number;
  readonly changedAt: number;
  readonly protectedPaths: readonly string[];
  readonly links: readonly string[];
  readonly folders: readonly string[];
  readonly isBare: boolean;
  /** The last scan that met it. */
  scan: number;
}

export class TreeScan {
  readonly #known = new Map<string, Folder>();
  readonly #last = new Map<string, { readonly at: number; readonly tree: ScannedTree }>();
  #scans = 0;

  /** As the last scan found it, if that was just now: the next command often follows the last one at once. */
  recent(root: string, roots: readonly string[]): ScannedTree {
    const last = this.#last.get(keyOf(root, roots));
    return last !== undefined && performance.now() - last.at < RECENT_MS ? last.tree : this.scan(root, roots);
  }

  /** A root inside of this one is looked through by itself: it has its own levels and folders. */
  scan(root: string, roots: readonly string[]): ScannedTree {
    const apart = roots.filter((other) => other !== root && isWithin(other, root));
    const tree = { protectedPaths: [] as string[], links: [] as string[], bareRepositories: [] as string[] };
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
      tree.protectedPaths.push(...content.protectedPaths);
      tree.links.push(...content.links);
      if (content.isBare) tree.bareRepositories.push(folder);
      if (depth === MAX_DEPTH) continue;
      for (const inner of content.folders) if (!apart.includes(inner)) queue.push({ folder: inner, depth: depth + 1 });
    }
    this.#forget(root, apart, scan);
    this.#last.set(keyOf(root, roots), { at: performance.now(), tree });
    return tree;
  }

  /** What was not met any more is not there any more. */
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
    const read = contentOf(folder, stat.ino, stat.ctimeMs);
    if (read !== undefined && Date.now() - stat.ctimeMs > TICK_MS) this.#known.set(folder, read);
    else this.#known.delete(folder);
    return read;
  }
}

/** What is found in a root depends on which others lie inside of it. */
function keyOf(root: string, roots: readonly string[]): string {
  return [root, ...roots].join('\0');
}

/** Where we may not look nobody of ours can be led astray. */
function statOf(folder: string): Stats | undefined {
  try {
    return lstatSync(folder, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Of a folder that does not say what is in it, although whoever knows a name gets there. */
function entryOf(folder: string, name: string): { name: string; isDirectory(): boolean; isSymbolicLink(): boolean }[] {
  const stat = statOf(`${folder}/${name}`);
  if (stat === undefined) return [];
  return [{ name, isDirectory: () => stat.isDirectory(), isSymbolicLink: () => stat.isSymbolicLink() }];
}

function contentOf(folder: string, inode: number, changedAt: number): Folder | undefined {
  let entries: readonly Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink'>[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    entries = TELLING_NAMES.flatMap((name) => entryOf(folder, name));
  }
  const protectedPaths: string[] = [];
  const links: string[] = [];
  const folders: string[] = [];
  const bareParts = new Set<string>();
  const own = path.basename(folder);
  for (const entry of entries) {
    const { name } = entry;
    const inner = `${folder}/${name}`;
    if (isProtectedEntry(name, own)) (entry.isSymbolicLink() ? links : protectedPaths).push(inner);
    else if (entry.isDirectory() && name !== NOT_ENTERED) folders.push(inner);
    if (BARE_PARTS.includes(name)) bareParts.add(name);
  }
  // Objects and references may be another's, which `commondir` names (gitrepository-layout(5)).
  const hasObjects = bareParts.has('commondir') || (bareParts.has('objects') && bareParts.has('refs'));
  const isBare = bareParts.has('HEAD') && hasObjects;
  return { inode, changedAt, protectedPaths, links, folders, isBare, scan: 0 };
}
