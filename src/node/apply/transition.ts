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
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  type BigIntStats,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { PlaceMoved } from '../../core/patch/placedChange.ts';
import { errorCode, isMissing } from '../../core/util/fileErrors.ts';
import {
  imageOf,
  openFile,
  sameContent,
  sameImage,
  stampFrom,
  stampOf,
  type FileImage,
  type RegularFile,
  type Stamp,
} from './fileImage.ts';
import { NO_LINK } from '../host/openFlags.ts';
import type { DiskFolders } from './heldFolders.ts';
import { isMixture } from './mixture.ts';

export interface Transition {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
  /** A temporary name in the same folder; chosen beforehand, so that it can be removed after a crash. */
  readonly temporaryPath: string;
  /** A power failure may have kept some blocks of the file from the disk. */
  readonly mayBeTorn?: boolean;
}

/** `moved`: left alone because a link has replaced the path or a folder on it. */
export type TransitionResult = 'done' | 'left_alone' | 'moved';

/** Returns the step that rolls this one back. */
export function reversed(transition: Transition): Transition {
  return { ...transition, before: transition.after, after: transition.before };
}

/** The path was changed after its image was taken; no file was written. */
export class ChangedSince extends Error {}

/** For a file with several names: its second name in the folder, by which a rollback restores it with its other names. */
export type KeptOriginal = string;

/**
 * `expected`: the stamp that the path must have. The caller removes the kept original when the patch is applied.
 * @throws ChangedSince, PlaceMoved, or the error of the system; the path then holds either image, or a mixture that
 * `settleTransition` recognizes.
 */
export function makeTransition(
  transition: Transition,
  folders: DiskFolders,
  expected?: Stamp,
): KeptOriginal | undefined {
  const { path, before, after } = transition;
  const isRewritten = before.type === 'file' || before.type === 'absent';
  if (isRewritten && after.type === 'file') return rewriteFile(transition, after, folders, expected);
  if (expected !== undefined && stampOf(path, folders) !== expected) throw new ChangedSince();
  switch (after.type) {
    case 'absent':
      if (before.type === 'folder') removeFolder(path, folders);
      else removeName(path, folders);
      return undefined;
    case 'folder':
      if (before.type !== 'absent') removeName(path, folders);
      folders.forget(path);
      makeFolder(folders.at(path), after.mode);
      return undefined;
    case 'link':
      if (before.type === 'folder') removeFolder(path, folders);
      putLink(transition, after.target, folders);
      return undefined;
    case 'file':
      if (before.type === 'link') return replaceLink(transition, after, folders);
      removeFolder(path, folders);
      return rewriteFile(transition, after, folders);
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
  const original = originalPath(temporaryPath);
  removeName(temporaryPath, folders);
  const { image: now } = imageOf(path, folders);
  if (!sameImage(now, after)) {
    const isOurs = [before, after, ...known].some((image) => sameContent(now, image)) || isMixture(now, transition);
    if (!isOurs) return 'left_alone';
    if (!restoreOriginal(original, transition, folders)) makeTransition(transition, folders);
  }
  removeName(original, folders);
  // A folder that is not empty stays.
  if (before.type === 'folder' && after.type === 'absent') return 'done';
  return sameImage(imageOf(path, folders).image, after) ? 'done' : 'left_alone';
}

/** Returns false where no original with this image was kept. */
function restoreOriginal(original: KeptOriginal, { path, after }: Transition, folders: DiskFolders): boolean {
  if (after.type !== 'file' || !sameImage(imageOf(original, folders).image, after)) return false;
  renameSync(folders.at(original), folders.at(path));
  return true;
}

/** The temporary file and the kept original of a step. */
export function leftovers({ temporaryPath }: Transition): readonly string[] {
  return [temporaryPath, originalPath(temporaryPath)];
}

function originalPath(temporaryPath: string): KeptOriginal {
  return `${temporaryPath}.old`;
}

/** The folder never has more permissions than `mode`. */
function makeFolder(name: string, mode: number | undefined): void {
  mkdirSync(name, mode ?? 0o777);
  if (mode === undefined) return;
  // Without the mask of the process, and not through a link that has taken its place.
  const folder = openSync(name, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | NO_LINK);
  try {
    ifAllowed(() => fchmodSync(folder, mode));
  } finally {
    closeSync(folder);
  }
}

/** Replaces a file or another link by a rename, so that the path always has one of its images. */
function putLink({ path, temporaryPath }: Transition, target: string, folders: DiskFolders): void {
  symlinkSync(target, folders.at(temporaryPath));
  try {
    renameSync(folders.at(temporaryPath), folders.at(path));
  } catch (error) {
    removeName(temporaryPath, folders);
    throw error;
  }
}

function replaceLink({ path, temporaryPath }: Transition, after: RegularFile, folders: DiskFolders): undefined {
  try {
    replaceFile(folders.at(path), after, folders.at(temporaryPath));
  } catch (error) {
    removeName(temporaryPath, folders);
    throw error;
  }
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
 * An existing file is overwritten in place: it stays the same inode, with its owner, access control list, extended
 * attributes and labels; and no inode has to be found for it, for which ext4 passes over every one that was freed in the
 * last minutes. The journal covers a file that is cut off. A file with several names is replaced by a rename, so that
 * the others keep their text; so is one that may not be opened for writing.
 */
function rewriteFile(
  transition: Transition,
  after: RegularFile,
  folders: DiskFolders,
  expected?: Stamp,
): KeptOriginal | undefined {
  const { path } = transition;
  let file: number;
  try {
    file = openFile(path, constants.O_RDWR, folders);
  } catch (error) {
    if (!isMissing(error) && !NOT_WRITABLE.has(errorCode(error))) throw error;
    return replaceChecked(transition, after, folders, expected);
  }
  try {
    const stats = fstatSync(file, { bigint: true });
    if (expected !== undefined && stampFrom(stats) !== expected) throw new ChangedSince();
    if (!stats.isFile()) throw new Error('it is a device, a pipe or a socket');
    if (stats.nlink > 1n) return replaceChecked(transition, after, folders, expected);
    overwrite(file, stats, after);
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** A file without write permission, or a program that runs. */
const NOT_WRITABLE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'ETXTBSY']);

function replaceChecked(
  { path, temporaryPath }: Transition,
  after: RegularFile,
  folders: DiskFolders,
  expected: Stamp | undefined,
): KeptOriginal | undefined {
  const existing = lstatSync(folders.at(path), { bigint: true, throwIfNoEntry: false });
  if (expected !== undefined && stampFrom(existing) !== expected) throw new ChangedSince();
  if (existing?.isSymbolicLink() === true) throw new PlaceMoved(path);
  const owner = existing === undefined ? after.owner : { user: Number(existing.uid), group: Number(existing.gid) };
  const original = existing !== undefined && existing.nlink > 1n ? originalPath(temporaryPath) : undefined;
  try {
    // Without it a rollback restores the text, but the names stay separate.
    if (original !== undefined) ifAllowed(() => linkSync(folders.at(path), folders.at(original)));
    replaceFile(folders.at(path), { ...after, owner }, folders.at(temporaryPath));
    return original;
  } catch (error) {
    removeName(temporaryPath, folders);
    if (original !== undefined) removeName(original, folders);
    throw error;
  }
}

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
function overwrite(file: number, { size, mode: modeBefore }: BigIntStats, { bytes, mode }: RegularFile): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, written);
  }
  if (size > bytes.length) ftruncateSync(file, bytes.length);
  // Writing clears set-user-id bits.
  const isKept = Number(modeBefore & 0o7777n) === mode && (mode & 0o6000) === 0;
  if (mode !== null && !isKept) ifAllowed(() => fchmodSync(file, mode));
}

/** Often only the owner may change owner and mode; the text matters more. */
function ifAllowed(change: () => void): void {
  try {
    change();
  } catch {
    // It stays as it is.
  }
}
