/**
 * Takes one path from one image to another: the only place where the workspace on disk is written. Synchronous for the
 * reason given in fileImage.ts; a caller that makes many yields in between.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  type Stats,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { PlaceMoved } from '../../core/patch/placedChange.ts';
import { errorCode, isMissing } from '../../core/util/fileErrors.ts';
import { imageOf, openFile, sameContent, sameImage, type FileImage, type RegularFile } from './fileImage.ts';
import type { DiskFolders } from './heldFolders.ts';

export interface Transition {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
  /** A temporary name in the same folder; chosen beforehand, so that it can be removed after a crash. */
  readonly temporaryPath: string;
}

/** `moved`: left alone because a link has replaced the path or a folder on it. */
export type TransitionResult = 'done' | 'left_alone' | 'moved';

export function reversed(transition: Transition): Transition {
  return { ...transition, before: transition.after, after: transition.before };
}

/**
 * @throws the error of the system; the path then holds either image, or a mixture that `settleTransition` recognizes.
 */
export function makeTransition(transition: Transition, folders: DiskFolders): void {
  const { path, before, after } = transition;
  switch (after.type) {
    case 'absent':
      return before.type === 'folder' ? removeFolder(path, folders) : removeName(path, folders);
    case 'folder':
      if (before.type !== 'absent') removeName(path, folders);
      folders.forget(path);
      mkdirSync(folders.at(path));
      return;
    case 'link':
      return symlinkSync(after.target, folders.at(path));
    case 'file':
      if (before.type === 'folder') removeFolder(path, folders);
      return writeFile(transition, after, folders);
  }
}

/**
 * Brings a path to `after` whichever of its two images it holds, or a mixture left by a crash. Idempotent.
 * `left_alone` when it holds anything else, which is later work and must not be overwritten, and when the system denies
 * access. `known`: other images that may be overwritten, because they exist at another place.
 */
export function settleTransition(
  transition: Transition,
  folders: DiskFolders,
  known: readonly FileImage[] = [],
): TransitionResult {
  try {
    return settle(transition, folders, known);
  } catch (error) {
    return error instanceof PlaceMoved ? 'moved' : 'left_alone';
  }
}

function settle(transition: Transition, folders: DiskFolders, known: readonly FileImage[]): TransitionResult {
  const { path, before, after, temporaryPath } = transition;
  removeName(temporaryPath, folders);
  const { image: now } = imageOf(path, folders);
  if (sameImage(now, after)) return 'done';
  const isOurs = [before, after, ...known].some((image) => sameContent(now, image)) || isMixture(now, transition);
  if (!isOurs) return 'left_alone';
  try {
    makeTransition(transition, folders);
  } catch (error) {
    // On a full disk the blocks of the existing file can still be overwritten.
    if (after.type !== 'file' || before.type !== 'file') throw error;
    overwriteFile(path, after, folders);
  }
  // A folder that is not empty stays.
  if (before.type === 'folder' && after.type === 'absent') return 'done';
  return sameImage(imageOf(path, folders).image, after) ? 'done' : 'left_alone';
}

/**
 * A file written in place and cut off: the beginning of one image, followed by the rest of the other or, where it was
 * emptied first as VS Code does, by nothing; or an incomplete step.
 */
function isMixture(now: FileImage, { before, after }: Transition): boolean {
  if (now.type === 'absent') return before.type === 'folder' || after.type === 'folder';
  if (now.type !== 'file') return false;
  const images = [before, after].flatMap((image) => (image.type === 'file' ? [image.bytes] : []));
  if (images.some((bytes) => isBeginningOf(bytes, now.bytes))) return true;
  if (before.type !== 'file' || after.type !== 'file') return false;
  return isOverwritten(now.bytes, before.bytes, after.bytes) || isOverwritten(now.bytes, after.bytes, before.bytes);
}

function isBeginningOf(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(0, beginning.length), beginning) === 0;
}

function isOverwritten(now: Uint8Array, old: Uint8Array, written: Uint8Array): boolean {
  let length = 0;
  while (length < now.length && now[length] === written[length]) length++;
  return Buffer.compare(now.subarray(length), old.subarray(length)) === 0;
}

/** Removes a link, not its target. A missing name, or a missing folder on the path, is no failure. */
export function removeName(path: string, folders: DiskFolders): void {
  try {
    unlinkSync(folders.at(path));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function removeFolder(path: string, folders: DiskFolders): void {
  folders.forget(path);
  try {
    rmdirSync(folders.at(path));
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && !isMissing(error)) throw error;
  }
}

/**
 * A plain file is replaced whole, by a rename. A file with several names is overwritten in place, so that its names
 * stay together; so is one whose owner we could not restore, or whose folder does not permit a rename.
 */
function writeFile({ path, temporaryPath }: Transition, file: RegularFile, folders: DiskFolders): void {
  const existing: Stats | undefined = lstatSync(folders.at(path), { throwIfNoEntry: false });
  const ourUser = process.geteuid?.() ?? 0;
  if (existing !== undefined && (existing.nlink > 1 || (ourUser !== 0 && existing.uid !== ourUser))) {
    return overwriteFile(path, file, folders);
  }
  const owner = existing === undefined ? file.owner : { user: existing.uid, group: existing.gid };
  try {
    replaceFile(folders.at(path), { ...file, owner }, folders.at(temporaryPath));
  } catch (error) {
    removeName(temporaryPath, folders);
    if (existing === undefined || !FOLDER_IS_IN_THE_WAY.has(errorCode(error))) throw error;
    overwriteFile(path, file, folders);
  }
}

/** For a folder without write permission, a mount point, or a file that Windows holds open. */
const FOLDER_IS_IN_THE_WAY: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV']);

/** Both names as the system calls take them (possibly below an open folder). */
function replaceFile(name: string, { bytes, mode, owner }: RegularFile, temporaryName: string): void {
  const file = openSync(temporaryName, 'wx', 0o666);
  try {
    writeFileSync(file, bytes);
    // Changing the owner clears set-user-id bits, hence first the owner and then the mode.
    if (owner !== null && !isOurs(owner)) ifAllowed(() => fchownSync(file, owner.user, owner.group));
    if (mode !== null) fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
  renameSync(temporaryName, name);
}

function isOurs({ user, group }: { user: number; group: number }): boolean {
  return user === process.geteuid?.() && group === process.getegid?.();
}

/** Never truncates first: writes the new bytes over the old ones, then cuts off the rest. */
function overwriteFile(path: string, { bytes, mode }: RegularFile, folders: DiskFolders): void {
  const file = openFile(path, constants.O_RDWR, folders);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is a device, a pipe or a socket');
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(file, bytes, written, bytes.length - written, written);
    }
    ftruncateSync(file, bytes.length);
    if (mode !== null && (stats.mode & 0o7777) !== mode) ifAllowed(() => fchmodSync(file, mode));
  } finally {
    closeSync(file);
  }
}

/** Often only the owner may change owner and mode; the text matters more. */
function ifAllowed(change: () => void): void {
  try {
    change();
  } catch {
    // It stays as it is.
  }
}
