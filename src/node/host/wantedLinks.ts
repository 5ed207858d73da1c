/**
 * Finds, of files with several names (hard links), those of which another name is wanted. Packages of pnpm are such files,
 * so that each read of one asks for this: the wanted names of a folder are remembered until the folder changes.
 */
import { statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { WantedName, WantedNames } from '../../core/ports.ts';
import { entriesOf, fileIdentity, MAX_FILES, MAX_FOLDERS, PACKAGES, statOf } from './hardLinks.ts';
import { MovedFiles } from './movedFiles.ts';

/** Folders that are looked at before other work gets its turn: about a millisecond where they are known. */
const FOLDERS_AT_ONCE = 128;
/** A change within one tick of a file system's clock does not change the time of a folder; the coarsest have two seconds. */
const TICK_MS = 2_000;
/** Lists of wanted names that are remembered: threads have different working directories, and patches another list. */
const MAX_LISTS = 8;

interface KnownFolder {
  readonly identity: string;
  readonly changedAt: number;
  readonly wanted: readonly string[];
  readonly folders: readonly string[];
}

type KnownFolders = Map<string, KnownFolder>;

export class WantedLinks {
  /** Share it with the sandboxes, which move files. */
  readonly moved: MovedFiles;
  readonly #known = new Map<string, KnownFolders>();

  readonly #tickMs: number;

  /** `tickMs`: the resolution of the file system's clock. */
  constructor(moved: MovedFiles = new MovedFiles(), tickMs = TICK_MS) {
    this.moved = moved;
    this.#tickMs = tickMs;
  }

  /** Implements `Workspace.findLinks` for the files of this machine. `places`: absolute paths of folders and files. */
  async find(
    files: readonly string[],
    wanted: WantedNames,
    places: readonly string[],
  ): Promise<ReadonlyMap<string, WantedName>> {
    const found = new Map<string, WantedName>();
    const linked: { readonly file: string; readonly identity: string }[] = [];
    for (const file of files) {
      const stats = statOf(file);
      if (stats?.isFile() !== true) continue;
      const identity = fileIdentity(stats);
      const former = this.moved.formerName(identity);
      if (former !== undefined && wanted.has(former)) found.set(file, { type: 'moved', name: former });
      else if (stats.nlink > 1) linked.push({ file, identity });
    }
    if (linked.length === 0) return found;
    const names = await this.#wantedNames(wanted, places);
    for (const { file, identity } of linked) {
      const name = names.get(identity)?.find((other) => other !== file);
      if (name !== undefined) found.set(file, { type: 'link', name });
    }
    return found;
  }

  /** The wanted names below these places, by identity of their file. */
  async #wantedNames(wanted: WantedNames, places: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const known = this.#foldersFor(wanted.key);
    const names = new Map<string, string[]>();
    let files = 0;
    const compare = (file: string) => {
      const stats = files++ < MAX_FILES ? statOf(file) : undefined;
      if (stats === undefined) return;
      const identity = fileIdentity(stats);
      names.set(identity, [...(names.get(identity) ?? []), file]);
    };
    const queue = [...new Set(places)];
    let folders = 0;
    // The queue grows while it is worked through.
    for (const place of queue) {
      if (folders >= MAX_FOLDERS) break;
      const stats = followedStatOf(place);
      if (stats?.isDirectory() !== true) {
        if (stats !== undefined && wanted.has(place)) compare(place);
        continue;
      }
      folders++;
      const folder = this.#folderAt(place, stats, known, wanted);
      for (const file of folder.wanted) compare(file);
      for (const inner of folder.folders) queue.push(inner);
      if (folders % FOLDERS_AT_ONCE === 0) await setImmediate();
    }
    return names;
  }

  /** The content of a folder, read again when it has changed since. */
  #folderAt(place: string, stats: Stats, known: KnownFolders, wanted: WantedNames): KnownFolder {
    const identity = fileIdentity(stats);
    // Folders that no longer exist stay in the list.
    if (known.size > 2 * MAX_FOLDERS) known.clear();
    const before = known.get(place);
    if (before?.identity === identity && before.changedAt === stats.ctimeMs) return before;
    const entries = entriesOf(place) ?? [];
    const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== PACKAGES);
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(place, entry.name));
    const read = {
      identity,
      changedAt: stats.ctimeMs,
      wanted: files.filter((file) => wanted.has(file)),
      folders: folders.map((entry) => path.join(place, entry.name)),
    };
    if (Date.now() - stats.ctimeMs > this.#tickMs) known.set(place, read);
    else known.delete(place);
    return read;
  }

  #foldersFor(key: string): KnownFolders {
    const known: KnownFolders = this.#known.get(key) ?? new Map();
    // The least recently used comes first.
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_LISTS && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}

/** A root may be a link. Below it only folders that are none are entered. */
function followedStatOf(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
