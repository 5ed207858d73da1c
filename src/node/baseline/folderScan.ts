/** Walks a workspace folder, nearest first; a folder is listed again only when its change time differs. */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { IGNORE_FILE, IgnoreRules } from '../../core/util/ignoreRules.ts';
import { readText, textsAbove } from './ignoreRules.ts';

/** A change within the same tick of the file system's clock does not show in the time (as git's "racily clean"). */
export const TICK_MS = 50;
const MAX_FILES = 200_000;
/** Temporary files of patches that are being written (node/apply/journal.ts). */
const ON_ITS_WAY = /^\.tiller-.*\.tmp$/;

export interface FoundFile {
  readonly path: string;
  readonly stats: Stats;
  /** A file or a folder that the rules leave out; the content of the folder is not visited. */
  readonly isIgnored: boolean;
  /** Its name is not UTF-8, so it cannot be opened by this path: bytes that are no text are written as `\xE9`. */
  readonly isUnnameable?: true;
}

/** A folder as a walk finds it. */
export interface FolderFacts {
  /** Milliseconds since the epoch, of its inode. */
  readonly changedAt: number;
  readonly inode: number;
  /** Permission bits. */
  readonly mode: number;
}

interface Listing {
  readonly inode: number;
  readonly changedAt: number;
  readonly rules: IgnoreRules;
  readonly hasOwnRules: boolean;
  /** Whole paths, the same strings in each walk: making and hashing them takes as long as looking at the files. */
  readonly files: readonly string[];
  readonly ignored: readonly string[];
  readonly folders: readonly string[];
  readonly unnameable: readonly Buffer[];
}

interface KnownRules {
  readonly parent: IgnoreRules;
  readonly stamp: string;
  readonly rules: IgnoreRules;
}

/** Walks one folder again and again, and reads only the folders that have changed since the walk before. */
export class FolderScan {
  readonly #root: string;
  /** Folders that are left out, wherever they are: TILLER_HOME may lie in a workspace. */
  readonly #apart: ReadonlySet<string>;
  readonly #listings = new Map<string, Listing>();
  readonly #rules = new Map<string, KnownRules>();
  readonly #textsAbove: typeof textsAbove;
  readonly #maxFiles: number;
  #above: { readonly rules: IgnoreRules; readonly texts: string } | undefined;

  /** `textsOf`: the rules above the folder. `maxFiles`: with more, the walk ends early. */
  constructor(root: string, apart: readonly string[], textsOf = textsAbove, maxFiles = MAX_FILES) {
    this.#maxFiles = maxFiles;
    this.#textsAbove = textsOf;
    this.#root = root;
    this.#apart = new Set(apart);
  }

  /**
   * Yields every file, and ignored names. `folders` gets every folder. Returns `too_many` if a limit was reached.
   */
  *walk(folders: Map<string, FolderFacts>): Generator<FoundFile, 'all' | 'too_many'> {
    const queue = [{ folder: this.#root, rules: this.#rulesAbove() }];
    let count = 0;
    for (let next = 0; next < queue.length; next++) {
      const at = queue[next];
      if (at === undefined) break;
      const stats = statOf(at.folder);
      if (stats === undefined || !stats.isDirectory()) continue;
      folders.set(at.folder, factsOf(stats));
      const listing = this.#list(at.folder, stats, at.rules);
      for (const place of listing.files) {
        const found = statOf(place);
        if (found === undefined) continue;
        if (++count > this.#maxFiles) return 'too_many';
        yield { path: place, stats: found, isIgnored: false };
      }
      for (const place of listing.ignored) {
        const found = statOf(place);
        if (found !== undefined) yield { path: place, stats: found, isIgnored: true };
      }
      for (const place of listing.unnameable) {
        const found = statOf(place);
        if (found !== undefined) yield { path: escaped(place), stats: found, isIgnored: false, isUnnameable: true };
      }
      for (const folder of listing.folders) queue.push({ folder, rules: listing.rules });
    }
    for (const folder of this.#listings.keys()) {
      if (folders.has(folder)) continue;
      this.#listings.delete(folder);
      this.#rules.delete(folder);
    }
    return 'all';
  }

  #list(folder: string, stats: Stats, parent: IgnoreRules): Listing {
    const known = this.#listings.get(folder);
    const isUnchanged = known?.inode === stats.ino && known.changedAt === stats.ctimeMs;
    const rules = isUnchanged && !known.hasOwnRules ? parent : this.#rulesOf(folder, parent);
    if (isUnchanged && known.rules === rules) return known;
    const files: string[] = [];
    const ignored: string[] = [];
    const folders: string[] = [];
    const unnameable: Buffer[] = [];
    let hasOwnRules = false;
    for (const entry of entriesIn(folder)) {
      const { name, bytes } = entry;
      const place = `${folder}${path.sep}${name}`;
      const isFolder = entry.isDirectory();
      const type = isFolder ? 'directory' : 'file';
      if (this.#apart.has(place) || ON_ITS_WAY.test(name) || name === '.git') continue;
      if (name === IGNORE_FILE && !isFolder) hasOwnRules = true;
      if (bytes !== undefined) {
        if (!rules.ignores(place, type)) unnameable.push(bytes);
      } else if (rules.ignores(place, type)) ignored.push(place);
      else (isFolder ? folders : files).push(place);
    }
    const listing = {
      inode: stats.ino,
      changedAt: stats.ctimeMs,
      rules,
      hasOwnRules,
      files,
      ignored,
      folders,
      unnameable,
    };
    if (Date.now() - stats.ctimeMs > TICK_MS) this.#listings.set(folder, listing);
    else this.#listings.delete(folder);
    return listing;
  }

  /** Returns the same object while its own file and the rules above it are the same. */
  #rulesOf(folder: string, parent: IgnoreRules): IgnoreRules {
    const file = path.join(folder, IGNORE_FILE);
    const stats = statOf(file);
    if (stats === undefined || !stats.isFile()) {
      this.#rules.delete(folder);
      return parent;
    }
    const stamp = `${stats.ino}:${stats.size}:${stats.ctimeMs}`;
    const known = this.#rules.get(folder);
    if (known?.parent === parent && known.stamp === stamp) return known.rules;
    const rules = new IgnoreRules(parent, folder, readText(file));
    this.#rules.set(folder, { parent, stamp: Date.now() - stats.ctimeMs > TICK_MS ? stamp : '', rules });
    return rules;
  }

  #rulesAbove(): IgnoreRules {
    const above = this.#textsAbove(this.#root);
    const texts = JSON.stringify(above);
    if (this.#above?.texts !== texts) {
      const outermost = new IgnoreRules(undefined, this.#root, '');
      const rules = above.reduce((parent, { folder, text }) => new IgnoreRules(parent, folder, text), outermost);
      this.#above = { rules, texts };
    }
    return this.#above.rules;
  }
}

/** The facts by which a folder is known to be unchanged; `mode` has the permission bits alone. */
export function factsOf({ ctimeMs: changedAt, ino: inode, mode }: Stats): FolderFacts {
  return { changedAt, inode, mode: mode & 0o7777 };
}

/** `undefined` for a missing or inaccessible path. A link is not followed. */
export function statOf(place: string | Buffer): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** None of a folder that may not be read. */
function entriesIn(folder: string): readonly Entry[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.some(({ name }) => name.includes(REPLACEMENT)) ? entriesByBytes(folder) : entries;
  } catch {
    return [];
  }
}

type Entry = Pick<Dirent, 'name' | 'isDirectory'> & {
  /** The path, where it is not UTF-8. */
  readonly bytes?: Buffer;
};

/** Node puts it where bytes are not UTF-8. */
const REPLACEMENT = '\uFFFD';

function entriesByBytes(folder: string): readonly Entry[] {
  const entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  return entries.map((entry) => {
    const name = entry.name.toString('utf8');
    const isDirectory = () => entry.isDirectory();
    if (Buffer.from(name, 'utf8').equals(entry.name)) return { name, isDirectory };
    return { name, isDirectory, bytes: Buffer.concat([Buffer.from(`${folder}${path.sep}`, 'utf8'), entry.name]) };
  });
}

/** Writes bytes that are not UTF-8 as `\xE9`. */
function escaped(place: Buffer): string {
  let text = '';
  for (let at = 0; at < place.length; ) {
    const length = [1, 2, 3, 4].find((count) => isCharacter(place.subarray(at, at + count)));
    const byte = place[at] ?? 0;
    text += length === undefined ? `\\x${byte.toString(16).toUpperCase()}` : place.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return text;
}

function isCharacter(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  const length = (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  return text.length === length && Buffer.from(text, 'utf8').equals(bytes);
}
