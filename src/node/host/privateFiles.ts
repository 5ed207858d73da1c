/** Files of TILLER_HOME, accessible to the user only. */
import {
  closeSync,
  fdatasync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, isMissing, messageOf } from '../../core/util/fileErrors.ts';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/**
 * Creates a folder with its parents. Not with `recursive` of Node's `mkdir`, which retries without end where the system
 * answers ENOENT although the parent exists (`/proc`), and reports a folder on a read-only file system as missing.
 * @throws Error with a message that names the folder.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, PRIVATE_FOLDER);
  } catch (error) {
    if (await isFolder(path)) return;
    if (!isBelowMissing(error, path)) throw folderError(path, error);
    // Another caller or process may have made the folder above in the meantime.
    if (!(await isFolder(dirname(path)))) await makePrivateFolder(dirname(path));
    await mkdir(path, PRIVATE_FOLDER).catch(async (second: unknown) => {
      if (!(await isFolder(path))) throw folderError(path, second);
    });
  }
}

/** The synchronous variant. @throws Error with a message that names the folder. */
export function makePrivateFolderSync(path: string): void {
  try {
    mkdirSync(path, PRIVATE_FOLDER);
  } catch (error) {
    if (isFolderSync(path)) return;
    if (!isBelowMissing(error, path)) throw folderError(path, error);
    if (!isFolderSync(dirname(path))) makePrivateFolderSync(dirname(path));
    try {
      mkdirSync(path, PRIVATE_FOLDER);
    } catch (second) {
      if (!isFolderSync(path)) throw folderError(path, second);
    }
  }
}

function isBelowMissing(error: unknown, path: string): boolean {
  return errorCode(error) === 'ENOENT' && dirname(path) !== path;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Has the code of its cause. */
function folderError(path: string, cause: unknown): Error {
  const code = errorCode(cause);
  return Object.assign(new Error(`The folder ${path} cannot be made: ${whyNot(code, path, cause)}.`, { cause }), {
    code,
  });
}

function whyNot(code: string | undefined, path: string, cause: unknown): string {
  switch (code) {
    case 'ENOENT':
      return `the system makes no folder in ${dirname(path)}`;
    case 'EROFS':
      return 'it would be on a read-only file system';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EEXIST':
      return 'something else has this name';
    case 'ENOTDIR':
      return 'a part of its path is not a folder';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    default:
      return messageOf(cause);
  }
}

/**
 * Creates a file that must not exist yet; resolves when it is on the disk, not only in its cache. Written synchronously
 * where that takes a millisecond: each call through the thread pool takes ten times as long.
 */
export async function writeNewPrivateFile(path: string, chunks: readonly Uint8Array[]): Promise<void> {
  const file = openSync(path, 'wx', PRIVATE_FILE);
  try {
    // To copy a few large pieces would take longer than another call.
    const pieces = chunks.length > FEW ? [Buffer.concat(chunks)] : chunks;
    for (const piece of pieces) {
      if (piece.length <= WRITTEN_AT_ONCE) writeFileSync(file, piece);
      else await writeOpen(file, piece);
    }
    await datasync(file);
  } finally {
    closeSync(file);
  }
}

const FEW = 16;
const WRITTEN_AT_ONCE = 8 * 1024 * 1024;
const writeOpen: (file: number, bytes: Uint8Array) => Promise<void> = promisify(writeFile);
const datasync = promisify(fdatasync);

/** After a crash it is the old file or the new one. `temporaryPath` is in the same folder. */
export async function replacePrivateFile(path: string, bytes: Uint8Array, temporaryPath: string): Promise<void> {
  await makePrivateFolder(dirname(path));
  try {
    await writeNewPrivateFile(temporaryPath, [bytes]);
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
}

/** Has no effect if there is no such file. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Names of the entries of a folder; none if there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
