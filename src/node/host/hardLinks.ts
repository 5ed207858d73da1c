/** Finds the other names of a file (hard links), which the file system does not list. */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';

/** Bounds of one search. Folders of packages are searched last, because they hold most of the files. */
export const [MAX_FOLDERS, MAX_FILES] = [4_000, 50_000];
export const PACKAGES = 'node_modules';

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
}

/** Yields the names of the files with these identities. Never throws: what cannot be read is passed over. */
export function* namesOf(identities: ReadonlySet<string>, { places }: LinkSearch): Generator<NamedFile> {
  const near = [...new Set(places)];
  const packages: string[] = [];
  let [folders, files] = [0, 0];
  const compare = function* (file: string): Generator<NamedFile> {
    if (files >= MAX_FILES) return;
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
        else if (entry.isDirectory()) packages.push(inner);
      }
    }
  }
}

/** Follows no link. Returns `undefined` for what does not exist or cannot be inspected. */
export function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** `undefined` for a file, and for a folder that cannot be listed. */
export function entriesOf(place: string) {
  try {
    return readdirSync(place, { withFileTypes: true });
  } catch {
    return undefined;
  }
}
