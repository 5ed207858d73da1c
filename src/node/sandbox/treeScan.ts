/**
 * Finds names that are protected and repositories below a folder, before each boxed command and after it.
 *
 * A folder is read again only when its change time says so, which no process in a box can set back; that keeps a look at
 * 20,000 files below a few milliseconds. In a large tree where one command follows another, even the times are looked at
 * only where `FolderWatch` tells of something. Bounded: `MAX_DEPTH` levels and `MAX_FOLDERS` folders, nearest first, so
 * that what lies deeper than that is not protected (docs/sandbox.md).
 */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { isWithin } from '../../core/sandbox/within.ts';
import { PROTECTED_NAMES } from '../../core/sandbox/writableRoots.ts';
import { FolderWatch, tellsOfChanges } from './folderWatch.ts';

const MAX_DEPTH = 8;
const MAX_FOLDERS = 4_000;
const RECENT_MS = 2_000;
/** A change within the same tick of the file system's clock does not show in the time (as git's "racily clean"). */
const TICK_MS = 50;
/** Thousands of folders in which nobody keeps a repository of their own, and no editor looks for one. */
const NOT_ENTERED = 'node_modules';
/** The times of fewer are looked at in less than a millisecond. */
const MANY_FOLDERS = 200;
/** New folders are watched together. */
const WATCH_AGAIN_MS = 2_000;

const PROTECTED = new Set(PROTECTED_NAMES);
/** By which a repository without a working tree is known (gitrepository-layout(5)). */
const BARE_PARTS = ['HEAD', 'objects', 'refs', 'commondir'];
const TELLING_NAMES = [...PROTECTED_NAMES, ...BARE_PARTS];

export interface ScannedTree {
  /** Files and folders with a protected name, links aside. */
  readonly protectedPaths: readonly string[];
  /** Links with a protected name. */
  readonly links: readonly string[];
  /** Folders that git would take for a repository without a working tree. */
  readonly bareRepositories: readonly string[];
}

interface Content {
  readonly protectedPaths: readonly string[];
  readonly links: readonly string[];
  readonly folders: readonly string[];
  readonly isBare: boolean;
}

interface Folder extends Content {
  readonly inode: number;
  readonly changedAt: number;
  /** On a disk that tells of changes. */
  readonly canBeWatched: boolean;
  /** What the watch calls it, if it has told of nothing since this was found to be so. */
  quietName: string | undefined;
  /** The last scan that met it. */
  scan: number;
}

interface Place {
  readonly folder: string;
  readonly depth: number;
  /** In the folder around it nothing has happened: the path leads where it did. */
  readonly isWhereItWas: boolean;
}

interface LastScan {
  readonly tree: ScannedTree;
  readonly at: number;
  /** All of it is watched, and nothing has happened in any of it. */
  isQuiet: boolean;
}

export class TreeScan {
  readonly #known = new Map<string, Folder>();
  readonly #last = new Map<string, LastScan>();
  readonly #watch: FolderWatch;
  #watchedAt = -Infinity;
  #scans = 0;

  constructor(watch = new FolderWatch()) {
    this.#watch = watch;
  }

  /** As the last scan found it, if that was just now: the next command often follows the last one at once. */
  recent(root: string, roots: readonly string[]): ScannedTree {
    const last = this.#last.get(keyOf(root, roots));
    return last !== undefined && performance.now() - last.at < RECENT_MS ? last.tree : this.scan(root, roots);
  }

  /** A root inside of this one is looked through by itself: it has its own levels and folders. */
  scan(root: string, roots: readonly string[]): ScannedTree {
    this.#scans++;
    this.#hearOfChanges();
    const key = keyOf(root, roots);
    const last = this.#last.get(key);
    const found = last?.isQuiet === true && this.#isWhereItWas(root) ? last : this.#lookThrough(root, roots);
    this.#last.set(key, { ...found, at: performance.now() });
    return found.tree;
  }

  #lookThrough(root: string, roots: readonly string[]): Omit<LastScan, 'at'> {
    const apart = roots.filter((other) => other !== root && isWithin(other, root));
    const tree = { protectedPaths: [] as string[], links: [] as string[], bareRepositories: [] as string[] };
    const device = tellsOfChanges(root) ? statOf(root)?.dev : undefined;
    let isQuiet = true;
    const queue: Place[] = [{ folder: root, depth: 0, isWhereItWas: false }];
    for (let next = 0, count = 0; count < MAX_FOLDERS; next++) {
      const at = queue[next];
      if (at === undefined) break;
      const { folder, depth } = at;
      const known = this.#known.get(folder);
      const quietName = known?.quietName;
      const content = this.#read(at, device);
      isQuiet &&= content?.quietName !== undefined && this.#known.get(folder) === content;
      if (content === undefined) continue;
      content.scan = this.#scans;
      count++;
      tree.protectedPaths.push(...content.protectedPaths);
      tree.links.push(...content.links);
      if (content.isBare) tree.bareRepositories.push(folder);
      if (depth === MAX_DEPTH) continue;
      const isWhereItWas = content === known && quietName !== undefined && quietName === content.quietName;
      for (const inner of content.folders) {
        if (!apart.includes(inner)) queue.push({ folder: inner, depth: depth + 1, isWhereItWas });
      }
    }
    this.#forget(root, apart);
    return { tree, isQuiet };
  }

  /** Has what was found watched, if there is much of it and this is not the only time: while a command runs we can wait. */
  watch(): void {
    if (this.#scans < 2 || this.#known.size < MANY_FOLDERS) return;
    if (performance.now() - this.#watchedAt < WATCH_AGAIN_MS) return;
    this.#watchedAt = performance.now();
    const unwatched = [...this.#known].filter(
      ([, { canBeWatched, quietName }]) => canBeWatched && quietName === undefined,
    );
    if (unwatched.length > 0) this.#watch.add(unwatched.map(([folder]) => folder));
  }

  /** No further command is expected just now. */
  rest(): void {
    this.#watch.rest();
  }

  dispose(): void {
    this.#watch.close();
  }

  #hearOfChanges(): void {
    const changes = this.#watch.changes();
    if (changes?.size === 0) return;
    for (const last of this.#last.values()) last.isQuiet = false;
    for (const content of this.#known.values()) {
      if (content.quietName === undefined) continue;
      if (changes === undefined || changes.has(content.quietName)) content.quietName = undefined;
    }
  }

  /** Nobody watches the folders around it. */
  #isWhereItWas(root: string): boolean {
    const quietName = this.#known.get(root)?.quietName;
    const stat = statOf(root);
    return quietName !== undefined && stat !== undefined && quietName === this.#watch.nameOf(stat);
  }

  /** What was not met any more is not there any more. */
  #forget(root: string, apart: readonly string[]): void {
    for (const [folder, content] of this.#known) {
      if (content.scan === this.#scans || !isWithin(folder, root) || apart.some((other) => isWithin(folder, other)))
        continue;
      this.#known.delete(folder);
    }
  }

  /** `device`: the one whose folders can be watched. */
  #read({ folder, isWhereItWas }: Place, device: number | undefined): Folder | undefined {
    const known = this.#known.get(folder);
    if (isWhereItWas && known?.quietName !== undefined) return known;
    const stat = statOf(folder);
    if (stat === undefined || !stat.isDirectory()) return undefined;
    const canBeWatched = stat.dev === device;
    const quietName = canBeWatched ? this.#watch.nameOf(stat) : undefined;
    if (known !== undefined && known.inode === stat.ino && known.changedAt === stat.ctimeMs) {
      known.quietName = quietName;
      return known;
    }
    const read = { ...contentOf(folder), inode: stat.ino, changedAt: stat.ctimeMs, canBeWatched, quietName, scan: 0 };
    if (Date.now() - stat.ctimeMs > TICK_MS) this.#known.set(folder, read);
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

function contentOf(folder: string): Content {
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
  for (const entry of entries) {
    const { name } = entry;
    const inner = `${folder}/${name}`;
    if (PROTECTED.has(name)) (entry.isSymbolicLink() ? links : protectedPaths).push(inner);
    else if (entry.isDirectory() && name !== NOT_ENTERED) folders.push(inner);
    if (BARE_PARTS.includes(name)) bareParts.add(name);
  }
  // Objects and references may be another's, which `commondir` names (gitrepository-layout(5)).
  const hasObjects = bareParts.has('commondir') || (bareParts.has('objects') && bareParts.has('refs'));
  const isBare = bareParts.has('HEAD') && hasObjects;
  return { protectedPaths, links, folders, isBare };
}
