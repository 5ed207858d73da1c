/** Finds the other names of a file (hard links), which the file system does not list. */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** Bounds of one search. Folders of packages are searched last, because they hold most of the files. */
const [MAX_FOLDERS, MAX_FILES] = [4_000, 50_000];
const PACKAGES = 'node_modules';

/** The same for all names of a file, and for no other file. */
export function fileIdentity({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** The identity of what has this name, without following a link; `undefined` where nothing has it. */
export function identityAt(name: string): string | undefined {
  const stats = lstatSync(name, { throwIfNoEntry: false });
  return stats && fileIdentity(stats);
}

export interface NamedFile {
  readonly identity: string;
  /** Absolute. */
  readonly path: string;
}

export interface LinkSearch {
  /** Absolute paths of folders, and of files that are compared themselves. Links are not followed. */
  readonly places: readonly string[];
  /** The files that are compared, by path; by default all. */
  readonly isCandidate?: (path: string) => boolean;
  /** By default true. */
  readonly entersPackages?: boolean;
}

/**
 * Yields the names of the files with these identities, and `undefined` after each folder, so that a caller can pause.
 * Never throws: what cannot be read is passed over.
 */
export function* namesOf(
  identities: ReadonlySet<string>,
  { places, isCandidate = () => true, entersPackages = true }: LinkSearch,
): Generator<NamedFile | undefined> {
  const near = [...new Set(places)];
  const packages: string[] = [];
  let [folders, files] = [0, 0];
  const compare = function* (file: string): Generator<NamedFile> {
    if (files >= MAX_FILES || !isCandidate(file)) return;
    files++;
    const stats = statOf(file);
    const identity = stats?.isFile() === true ? fileIdentity(stats) : undefined;
    if (identity !== undefined && identities.has(identity)) yield { identity, path: file };
  };
  for (const queue of [near, packages]) {
    // A queue grows while it is worked through.
    for (const place of queue) {
      if (folders >= MAX_FOLDERS) return;
      const entries = entriesOf(place);
      if (entries === undefined) yield* compare(place);
      else folders++;
      for (const entry of entries ?? []) {
        const inner = path.join(place, entry.name);
        if (entry.isFile()) yield* compare(inner);
        else if (entry.isDirectory() && entry.name !== PACKAGES) queue.push(inner);
        else if (entry.isDirectory() && entersPackages) packages.push(inner);
      }
      yield undefined;
    }
  }
}

/** Folders that are read before other work gets its turn: about a millisecond. */
const FOLDERS_AT_ONCE = 32;

/** Implements `Workspace.findLinks` for the files of this machine. */
export async function findLinks(
  files: readonly string[],
  isWanted: (name: string) => boolean,
  places: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const linked = new Map<string, string[]>();
  for (const file of files) {
    const stats = statOf(file);
    if (stats === undefined || !stats.isFile() || stats.nlink < 2) continue;
    const identity = fileIdentity(stats);
    linked.set(identity, [...(linked.get(identity) ?? []), file]);
  }
  const found = new Map<string, string>();
  if (linked.size === 0) return found;
  let folders = 0;
  for (const name of namesOf(new Set(linked.keys()), { places, isCandidate: isWanted, entersPackages: false })) {
    if (name === undefined && ++folders % FOLDERS_AT_ONCE === 0) await setImmediate();
    if (name === undefined) continue;
    for (const file of linked.get(name.identity) ?? []) found.set(file, name.path);
    linked.delete(name.identity);
    if (linked.size === 0) break;
  }
  return found;
}

function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** `undefined` for a file, and for a folder that cannot be listed. */
function entriesOf(place: string) {
  try {
    return readdirSync(place, { withFileTypes: true });
  } catch {
    return undefined;
  }
}
