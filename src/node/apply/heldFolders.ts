/** Holds folders open while a patch is read or applied, so that a link put in their place has no effect. */
import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type HeldFolders, PlaceMoved } from '../../core/patch/placedChange.ts';
import { errorCode } from '../../core/util/fileErrors.ts';

export interface DiskFolders extends HeldFolders {
  /** Call when a folder was created or removed at a place. */
  forget(place: string): void;
  /** Held folders that are no longer at their places. */
  moved(): readonly string[];
}

/** Removes the internal paths of open folders from an error of the system. */
export function withPlaces(message: string): string {
  return message.replaceAll(/\/proc\/self\/fd\/\d+\//g, '');
}

/** Holds folders open on Linux; elsewhere every name is checked immediately before it is used (docs/sandbox.md). */
export function holdFolders(platform = process.platform): DiskFolders {
  return platform === 'linux' && (canOpenFolders ??= tryOpenFolder()) ? new OpenFolders() : new CheckedFolders();
}

let canOpenFolders: boolean | undefined;

/** Returns false without Linux's /proc: the paths of open folders lead nowhere then. */
function tryOpenFolder(): boolean {
  let file: number | undefined;
  try {
    file = openSync('/', FOLDER);
    const [there, here] = [statSync(nameIn(file, '.')), statSync('/')];
    return there.ino === here.ino && there.dev === here.dev;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** open(2), the same number on all processors that Node supports: also opens folders without read permission. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Enough for most patches, and far below the limit of open files of a process. */
const MOST_OPEN = 512;

/** Opens a path one part at a time, each relative to the one before, and never a link. */
class OpenFolders implements DiskFolders {
  /** In order of use, the latest last. */
  readonly #open = new Map<string, number>();
  /** A cache of one: the names of a patch are mostly sorted by folder. */
  #last: { readonly folder: string; readonly file: number } | undefined;

  at(place: string): string {
    const end = place.lastIndexOf('/');
    return nameIn(this.#hold(place.slice(0, end) || '/'), place.slice(end + 1));
  }

  forget(place: string): void {
    for (const [folder, file] of this.#open) {
      if (folder !== place && !folder.startsWith(`${place}/`)) continue;
      this.#open.delete(folder);
      closeSync(file);
    }
    this.#last = undefined;
  }

  moved(): readonly string[] {
    const now = new OpenFolders();
    try {
      return [...this.#open].filter(([folder, file]) => !now.#isAt(folder, file)).map(([folder]) => folder);
    } finally {
      now.dispose();
    }
  }

  dispose(): void {
    for (const file of this.#open.values()) closeSync(file);
    this.#open.clear();
    this.#last = undefined;
  }

  #isAt(folder: string, file: number): boolean {
    try {
      const now = fstatSync(this.#hold(folder), { bigint: true });
      const held = fstatSync(file, { bigint: true });
      return now.ino === held.ino && now.dev === held.dev;
    } catch {
      return false;
    }
  }

  #hold(folder: string): number {
    if (this.#last?.folder === folder) return this.#last.file;
    const file = this.#open.get(folder) ?? this.#openIn(folder);
    this.#open.delete(folder);
    this.#open.set(folder, file);
    this.#last = { folder, file };
    if (this.#open.size > MOST_OPEN) this.#closeOldest();
    return file;
  }

  #openIn(folder: string): number {
    const parent = dirname(folder);
    const name = parent === folder ? folder : nameIn(this.#hold(parent), basename(folder));
    return openFolder(name, folder);
  }

  #closeOldest(): void {
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    this.#open.delete(oldest[0]);
    closeSync(oldest[1]);
  }
}

function nameIn(folder: number, name: string): string {
  return `/proc/self/fd/${folder}/${name}`;
}

function openFolder(name: string, folder: string): number {
  try {
    return openSync(name, FOLDER);
  } catch (error) {
    const code = errorCode(error);
    const isNoFolder = code === 'ENOTDIR' || code === 'ELOOP';
    throw isNoFolder && !isFileAt(name) ? new PlaceMoved(folder) : error;
  }
}

/**
 * The system's error is the right one for a file in place of a folder; otherwise there is a link, or was one just now.
 */
function isFileAt(name: string): boolean {
  const stats = lstatSync(name, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isSymbolicLink() && !stats.isDirectory();
}

/** For systems without relative opening: a link created between the check and the operation is still followed. */
class CheckedFolders implements DiskFolders {
  at(place: string): string {
    const folder = dirname(place);
    if (realpathSync.native(folder) !== folder) throw new PlaceMoved(folder);
    return place;
  }

  forget(): void {}

  moved(): readonly string[] {
    return [];
  }

  dispose(): void {}
}
