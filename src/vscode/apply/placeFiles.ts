/**
 * The files of a patch at the approved places: those of this machine through held folders, so that no link redirects a
 * read or a write; those of another file system through VS Code.
 */
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { PlaceMoved } from '../../core/patch/placedChange.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import { errorCode, isMissing } from '../../core/util/fileErrors.ts';
import { uriOf } from '../workspace/places.ts';
import type { DiskFile, HeldPlaces } from './model.ts';

export type Details = Omit<DiskFile, 'bytes'> & { readonly type: vscode.FileType; readonly size: number };

/** Windows has neither flag. */
const NEVER_A_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export class PlaceFiles implements Disposable {
  readonly #folders: HeldPlaces;

  constructor(folders: HeldPlaces) {
    this.#folders = folders;
  }

  dispose(): void {
    this.#folders.dispose();
  }

  /** A link is not followed. `undefined` for a missing path. @throws PlaceMoved, or the error of the system */
  async details(path: string): Promise<Details | undefined> {
    const uri = uriOf(path);
    try {
      return uri.scheme === 'file' ? detailsAt(this.#folders.at(path), path) : await detailsElsewhere(uri);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** @throws PlaceMoved for a link, or the error of the system */
  async read(path: string): Promise<Uint8Array> {
    const uri = uriOf(path);
    if (uri.scheme !== 'file') return vscode.workspace.fs.readFile(uri);
    return this.#opened(path, constants.O_RDONLY, async (file) => {
      if (!(await file.stat()).isFile()) throw new Error('it is not a file');
      return file.readFile();
    });
  }

  /** `undefined` for a missing file. */
  async readIfThere(path: string): Promise<Uint8Array | undefined> {
    try {
      return await this.read(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /**
   * Writes in place, as VS Code does: the file keeps its names and its owner. A new one has no more permissions than
   * `mode` at any moment. Its folders must exist.
   */
  async write(path: string, bytes: Uint8Array, mode?: number): Promise<void> {
    const uri = uriOf(path);
    if (uri.scheme !== 'file') return vscode.workspace.fs.writeFile(uri, bytes);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
    await this.#opened(
      path,
      flags,
      async (file) => {
        await file.writeFile(bytes);
        if (mode !== undefined) await file.chmod(mode);
      },
      mode,
    );
  }

  /** Sets permission bits. False where they are not `before`, or the path is not a file. */
  async changeMode(path: string, before: number, after: number): Promise<boolean> {
    return this.#opened(path, constants.O_RDONLY, async (file) => {
      const stats = await file.stat();
      if (!stats.isFile() || (stats.mode & 0o777) !== before) return false;
      await file.chmod((stats.mode & 0o7000) | after);
      return true;
    });
  }

  /** @throws the error of the system. On this machine an existing file is always replaced. */
  async rename(from: string, to: string, { overwrite }: { readonly overwrite: boolean }): Promise<void> {
    const uri = uriOf(from);
    if (uri.scheme !== 'file' || uriOf(to).scheme !== 'file') {
      return vscode.workspace.fs.rename(uri, uriOf(to), { overwrite });
    }
    try {
      renameSync(this.#folders.at(from), this.#folders.at(to));
    } catch (error) {
      if (errorCode(error) !== 'EXDEV') throw error;
      const details = await this.details(from);
      await this.write(to, await this.read(from), details?.mode);
      unlinkSync(this.#folders.at(from));
    }
  }

  /** Removes a file or a link. */
  async remove(path: string): Promise<void> {
    const uri = uriOf(path);
    if (uri.scheme !== 'file') return vscode.workspace.fs.delete(uri);
    unlinkSync(this.#folders.at(path));
  }

  /** Nothing may exist at the place. */
  makeLink(path: string, target: string): void {
    symlinkSync(target, this.#folders.at(path));
  }

  /** The folders that a file at this place needs and that do not exist, inner ones first. */
  async missingFolders(path: string): Promise<readonly string[]> {
    const missing: string[] = [];
    let folder = dirname(path);
    while (folder !== dirname(folder) && (await this.details(folder)) === undefined) {
      missing.push(folder);
      folder = dirname(folder);
    }
    return missing;
  }

  /** `folders`: inner ones first. */
  async makeFolders(folders: readonly string[]): Promise<void> {
    for (const folder of folders.toReversed()) {
      const uri = uriOf(folder);
      if (uri.scheme === 'file') this.#makeFolder(folder);
      else await vscode.workspace.fs.createDirectory(uri);
    }
  }

  /** Makes a folder with those above it. False where something is there already. @throws the error of the system */
  async makeFolder(path: string, mode: number | undefined): Promise<boolean> {
    if ((await this.details(path)) !== undefined) return false;
    await this.makeFolders(await this.missingFolders(path));
    const uri = uriOf(path);
    if (uri.scheme === 'file') makeFolderAt(this.#folders.at(path), mode);
    else await vscode.workspace.fs.createDirectory(uri);
    return true;
  }

  /** Removes those of the folders that are empty. One that cannot be removed does not keep the others. */
  async removeEach(folders: readonly string[]): Promise<void> {
    for (const folder of folders) await this.removeFolders([folder]).catch(() => {});
  }

  /** Inner ones first. A folder that is not empty stays. */
  async removeFolders(folders: readonly string[]): Promise<void> {
    for (const folder of folders) {
      const uri = uriOf(folder);
      try {
        if (uri.scheme === 'file') rmdirSync(this.#folders.at(folder));
        else if ((await vscode.workspace.fs.readDirectory(uri)).length > 0) return;
        else await vscode.workspace.fs.delete(uri);
      } catch (error) {
        if (!isMissing(error)) return;
      }
      this.#folders.forget(folder);
    }
  }

  /**
   * @throws the error of the system when the file may not be written, or no file may be created or removed in the
   * folder
   */
  mustBeWritable(path: string): void {
    if (uriOf(path).scheme === 'file') accessSync(this.#folders.at(path), constants.W_OK);
  }

  /**
   * Returns true if the path leads to the place at this moment: directly, or by another path through links. An
   * operation by the path may still be redirected a moment later.
   */
  isReachedBy(path: string, place: string): boolean {
    if (uriOf(place).scheme !== 'file') return true;
    try {
      const held = statsAt(this.#folders.at(place));
      const named = path === place ? statsAt(path) : statSync(path, { bigint: true, throwIfNoEntry: false });
      if (held !== undefined && named !== undefined) return isSame(held, named) && !held.isSymbolicLink();
      return held === undefined && named === undefined && this.#isFolderReachedBy(path, place);
    } catch (error) {
      return isMissing(error) && this.#isFolderReachedBy(path, place);
    }
  }

  #isFolderReachedBy(path: string, place: string): boolean {
    const [folder, held] = [dirname(path), dirname(place)];
    return folder !== path && held !== place && this.isReachedBy(folder, held);
  }

  #makeFolder(folder: string): void {
    try {
      mkdirSync(this.#folders.at(folder));
    } catch (error) {
      // Another file of the same patch has created it.
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }

  /** `mode`: of a file that is created. */
  async #opened<Result>(
    path: string,
    flags: number,
    act: (file: FileHandle) => Promise<Result>,
    mode = 0o666,
  ): Promise<Result> {
    let file: FileHandle;
    try {
      file = await open(this.#folders.at(path), flags | NEVER_A_LINK, mode & 0o777);
    } catch (error) {
      if (errorCode(error) === 'ELOOP') throw new PlaceMoved(path);
      throw error;
    }
    try {
      return await act(file);
    } finally {
      await file.close();
    }
  }
}

/** The folder never has more permissions than `mode`. Also in node/apply/transition.ts, which no file of vscode/ imports. */
function makeFolderAt(name: string, mode: number | undefined): void {
  mkdirSync(name, mode ?? 0o777);
  if (mode === undefined) return;
  // Without the mask of the process, and not through a link that has taken its place.
  const folder = openSync(name, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | NEVER_A_LINK);
  try {
    fchmodSync(folder, mode);
  } finally {
    closeSync(folder);
  }
}

function detailsAt(name: string, path: string): Details {
  const stats = lstatSync(name, { bigint: true });
  return {
    type: typeOf(stats),
    size: Number(stats.size),
    stamp: [stats.dev, stats.ino, stats.size, stats.mtimeNs].join(':'),
    mode: Number(stats.mode & 0o7777n),
    identity: stats.nlink > 1n ? `${stats.dev}:${stats.ino}` : undefined,
    linkTarget: stats.isSymbolicLink() ? targetOf(name, path) : undefined,
  };
}

function targetOf(name: string, path: string): string {
  try {
    return readlinkSync(name);
  } catch (error) {
    // Another file has replaced it since.
    if (errorCode(error) === 'EINVAL') throw new PlaceMoved(path);
    throw error;
  }
}

/** VS Code's stat has neither permissions nor the number of names (§6). */
async function detailsElsewhere(uri: vscode.Uri): Promise<Details> {
  const { type, mtime, size } = await vscode.workspace.fs.stat(uri);
  return { type, size, stamp: `${mtime}:${size}`, mode: undefined, identity: undefined, linkTarget: undefined };
}

function typeOf(stats: BigIntStats): vscode.FileType {
  if (stats.isFile()) return vscode.FileType.File;
  if (stats.isDirectory()) return vscode.FileType.Directory;
  return stats.isSymbolicLink() ? vscode.FileType.SymbolicLink : vscode.FileType.Unknown;
}

function statsAt(name: string): BigIntStats | undefined {
  return lstatSync(name, { bigint: true, throwIfNoEntry: false });
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
