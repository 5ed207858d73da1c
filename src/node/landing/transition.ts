/**
 * One path going from one image to another: the only place where the workspace on disk is written. Synchronous for the
 * reason given in fileImage.ts; whoever makes many yields in between.
 */
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { errorCode, isMissing } from '../errors.ts';
import { imageOf, sameContent, sameImage, type FileImage, type RegularFile } from './fileImage.ts';

export interface Transition {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
  /** A name in the same folder for a file on its way; known beforehand, so that nothing stays behind after a crash. */
  readonly temporaryPath: string;
}

export type TransitionResult = 'done' | 'left_alone';

export function reversed(transition: Transition): Transition {
  return { ...transition, before: transition.after, after: transition.before };
}

/** @throws the error of the system; the path then holds either image, or a mixture that `settleTransition` recognises. */
export function makeTransition({ path, before, after, temporaryPath }: Transition): void {
  switch (after.type) {
    case 'absent':
      return before.type === 'folder' ? removeFolder(path) : rmSync(path, { force: true });
    case 'folder':
      if (before.type !== 'absent') rmSync(path, { force: true });
      mkdirSync(path);
      return;
    case 'link':
      return symlinkSync(after.target, path);
    case 'file':
      if (before.type === 'folder') removeFolder(path);
      return writeFile(path, after, temporaryPath);
  }
}

/**
 * Brings a path to `after` whichever of its two images it holds, or a mixture left by a crash. Idempotent.
 * `left_alone` when it holds anything else, because that is somebody's later work and not ours to overwrite, and when
 * the system does not let us. `known`: what else is no loss, because it is kept at another place.
 */
export function settleTransition(transition: Transition, known: readonly FileImage[] = []): TransitionResult {
  try {
    return settle(transition, known);
  } catch {
    return 'left_alone';
  }
}

function settle(transition: Transition, known: readonly FileImage[]): TransitionResult {
  const { path, before, after, temporaryPath } = transition;
  rmSync(temporaryPath, { force: true });
  const { image: now } = imageOf(path);
  if (sameImage(now, after)) return 'done';
  const isOurs = [before, after, ...known].some((image) => sameContent(now, image)) || isMixture(now, transition);
  if (!isOurs) return 'left_alone';
  try {
    makeTransition(transition);
  } catch (error) {
    // A full disk has room in the file's own blocks.
    if (after.type !== 'file' || before.type !== 'file') throw error;
    overwriteFile(path, after);
  }
  // A folder that got another file meanwhile stays for its sake.
  if (before.type === 'folder' && after.type === 'absent') return 'done';
  return sameImage(imageOf(path).image, after) ? 'done' : 'left_alone';
}

/**
 * A file written in place and interrupted: the beginning of one image, with the rest of the other or, where it was emptied
 * first as VS Code does it, without; or a step half made.
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

function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && !isMissing(error)) throw error;
  }
}

/**
 * A plain file is replaced whole, by a rename. A file with several names is overwritten where it is, so that its names
 * stay together; so is one that we could not give back to its owner, or whose folder lets us do nothing else.
 */
function writeFile(path: string, file: RegularFile, temporaryPath: string): void {
  const existing: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
  const ourUser = process.geteuid?.() ?? 0;
  if (existing !== undefined && (existing.nlink > 1 || (ourUser !== 0 && existing.uid !== ourUser))) {
    return overwriteFile(path, file);
  }
  const owner = existing === undefined ? file.owner : { user: existing.uid, group: existing.gid };
  try {
    replaceFile(path, { ...file, owner }, temporaryPath);
  } catch (error) {
    rmSync(temporaryPath, { force: true });
    if (existing === undefined || !FOLDER_IS_IN_THE_WAY.has(errorCode(error))) throw error;
    overwriteFile(path, file);
  }
}

/** A folder that may not be written to, a file that is a mount point, a file that Windows holds open. */
const FOLDER_IS_IN_THE_WAY: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV']);

function replaceFile(path: string, { bytes, mode, owner }: RegularFile, temporaryPath: string): void {
  const file = openSync(temporaryPath, 'wx', 0o666);
  try {
    writeFileSync(file, bytes);
    // Changing the owner clears set-user-id bits, hence first the owner and then the mode.
    if (owner !== null && !isOurs(owner)) ifAllowed(() => fchownSync(file, owner.user, owner.group));
    if (mode !== null) fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
  renameSync(temporaryPath, path);
}

function isOurs({ user, group }: { user: number; group: number }): boolean {
  return user === process.geteuid?.() && group === process.getegid?.();
}

/** Never shorter than it has to be: the new bytes go over the old ones, then the rest is cut off. */
function overwriteFile(path: string, { bytes, mode }: RegularFile): void {
  const file = openSync(path, 'r+');
  try {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(file, bytes, written, bytes.length - written, written);
    }
    ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
  if (mode === null || (lstatSync(path).mode & 0o7777) === mode) return;
  ifAllowed(() => chmodSync(path, mode));
}

/** Owner and mode are often only the owner's to change; the text counts for more. */
function ifAllowed(change: () => void): void {
  try {
    change();
  } catch {
    // It stays as it is.
  }
}
