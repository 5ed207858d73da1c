/** One path going from one image to another: the only place where the workspace on disk is written. */
import { chmod, lstat, mkdir, open, rename, rm, rmdir, symlink } from 'node:fs/promises';
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
export async function makeTransition({ path, before, after, temporaryPath }: Transition): Promise<void> {
  switch (after.type) {
    case 'absent':
      return before.type === 'folder' ? removeFolder(path) : rm(path, { force: true });
    case 'folder':
      if (before.type !== 'absent') await rm(path, { force: true });
      await mkdir(path);
      return;
    case 'link':
      return symlink(after.target, path);
    case 'file':
      if (before.type === 'folder') await removeFolder(path);
      return writeFile(path, after, temporaryPath);
  }
}

/**
 * Brings a path to `after` whichever of its two images it holds, or a mixture left by a crash. Idempotent.
 * `left_alone` when it holds anything else: that is somebody's later work and not ours to overwrite.
 */
export async function settleTransition(transition: Transition): Promise<TransitionResult> {
  const { path, before, after, temporaryPath } = transition;
  await rm(temporaryPath, { force: true });
  const { image: now } = await imageOf(path);
  if (sameImage(now, after)) return 'done';
  if (!sameContent(now, before) && !sameContent(now, after) && !isMixture(now, transition)) return 'left_alone';
  try {
    await makeTransition(transition);
  } catch (error) {
    // A full disk has room in the file's own blocks.
    if (after.type !== 'file' || before.type !== 'file') throw error;
    await overwriteFile(path, after);
  }
  // A folder that got another file meanwhile stays for its sake.
  if (before.type === 'folder' && after.type === 'absent') return 'done';
  return sameImage((await imageOf(path)).image, after) ? 'done' : 'left_alone';
}

/** A file overwritten in place and interrupted: the beginning of one image, the rest of the other; or a step half made. */
function isMixture(now: FileImage, { before, after }: Transition): boolean {
  if (now.type === 'absent') return before.type === 'folder' || after.type === 'folder';
  if (now.type !== 'file' || before.type !== 'file' || after.type !== 'file') return false;
  return isOverwritten(now.bytes, before.bytes, after.bytes) || isOverwritten(now.bytes, after.bytes, before.bytes);
}

function isOverwritten(now: Uint8Array, old: Uint8Array, written: Uint8Array): boolean {
  let length = 0;
  while (length < now.length && now[length] === written[length]) length++;
  return Buffer.compare(now.subarray(length), old.subarray(length)) === 0;
}

async function removeFolder(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && !isMissing(error)) throw error;
  }
}

/**
 * A plain file is replaced whole, by a rename. A file with several names is overwritten where it is, so that its names
 * stay together; so is one that we could not give back to its owner, or whose folder lets us do nothing else.
 */
async function writeFile(path: string, file: RegularFile, temporaryPath: string): Promise<void> {
  const existing = await lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const ourUser = process.geteuid?.() ?? 0;
  if (existing !== undefined && (existing.nlink > 1 || (ourUser !== 0 && existing.uid !== ourUser))) {
    return overwriteFile(path, file);
  }
  const owner = existing === undefined ? file.owner : { user: existing.uid, group: existing.gid };
  try {
    await replaceFile(path, { ...file, owner }, temporaryPath);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    if (existing === undefined || !FOLDER_IS_IN_THE_WAY.has(errorCode(error))) throw error;
    await overwriteFile(path, file);
  }
}

/** A folder that may not be written to, a file that is a mount point, a file that Windows holds open. */
const FOLDER_IS_IN_THE_WAY: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV']);

async function replaceFile(path: string, { bytes, mode, owner }: RegularFile, temporaryPath: string): Promise<void> {
  const file = await open(temporaryPath, 'wx', 0o666);
  try {
    await file.writeFile(bytes);
    // Changing the owner clears set-user-id bits, hence first the owner and then the mode.
    if (owner !== null && !isOurs(owner)) await file.chown(owner.user, owner.group).catch(() => {});
    if (mode !== null) await file.chmod(mode);
  } finally {
    await file.close();
  }
  await rename(temporaryPath, path);
}

function isOurs({ user, group }: { user: number; group: number }): boolean {
  return user === process.geteuid?.() && group === process.getegid?.();
}

/** Never shorter than it has to be: the new bytes go over the old ones, then the rest is cut off. */
async function overwriteFile(path: string, { bytes, mode }: RegularFile): Promise<void> {
  const file = await open(path, 'r+');
  try {
    for (let written = 0; written < bytes.length; ) {
      written += (await file.write(bytes, written, bytes.length - written, written)).bytesWritten;
    }
    await file.truncate(bytes.length);
  } finally {
    await file.close();
  }
  if (mode === null || ((await lstat(path)).mode & 0o7777) === mode) return;
  // Only its owner may; the text counts for more.
  await chmod(path, mode).catch(() => {});
}
