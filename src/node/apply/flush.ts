/**
 * Brings the files of applied patches to the disk, in the background. Files are overwritten in place, so a power
 * failure before that may leave any mixture of old and new blocks.
 */
import { closeSync, constants, fdatasync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../core/util/fileErrors.ts';
import { NO_LINK } from '../host/openFlags.ts';

/** `failed`: the disk has not taken the content of a file. `not_flushed`: a file could not be opened for now. */
export type FlushOutcome = 'on_disk' | 'failed' | 'not_flushed';

interface Change {
  readonly path: string;
}

interface Flush {
  readonly paths: ReadonlySet<string>;
  readonly done: Promise<void>;
}

const flushes = new Set<Flush>();

interface Postponed {
  readonly changes: readonly Change[];
  readonly onDone: (outcome: FlushOutcome) => Promise<void>;
}

/** Files with the outcome `not_flushed`. */
const postponed = new Set<Postponed>();

/** Leaves a thread of Node's pool of four to others. */
const AT_ONCE = 3;

/**
 * Calls back with the outcome; after `not_flushed` again with that of the next attempt, which is made with the next patch
 * and by `flushed`. A failure of the callback is ignored: then the journal is settled at the next start.
 */
export function flushInBackground(changes: readonly Change[], onDone: (outcome: FlushOutcome) => Promise<void>): void {
  retryPostponed();
  start({ changes, onDone });
}

function retryPostponed(paths?: readonly string[]): void {
  for (const entry of [...postponed]) {
    if (paths !== undefined && !entry.changes.some(({ path }) => paths.includes(path))) continue;
    postponed.delete(entry);
    start(entry);
  }
}

function start(entry: Postponed): void {
  const { changes, onDone } = entry;
  const paths = new Set(changes.map(({ path }) => path));
  const done = flushAll(placesToFlush(changes))
    .then((outcome) => {
      if (outcome === 'not_flushed') postponed.add(entry);
      return onDone(outcome);
    })
    .catch(() => {})
    .finally(() => flushes.delete(flush));
  const flush = { paths, done };
  flushes.add(flush);
}

/**
 * Resolves when the patches that touch one of these paths, or all without paths, are on the disk, or one more attempt was
 * made for those that could not be flushed. Never rejects.
 */
export async function flushed(paths?: readonly string[]): Promise<void> {
  retryPostponed(paths);
  const met = [...flushes].filter((flush) => paths?.some((path) => flush.paths.has(path)) ?? true);
  await Promise.all(met.map(({ done }) => done));
}

/** Resolves when these files are on the disk, whichever process has written them. @throws Error that names a file */
export async function flushFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if ((await flushOne(path)) !== 'on_disk')
      throw new Error(`an earlier change of ${path} cannot be brought to the disk`);
  }
}

/**
 * The paths, and their folders: the images do not show if a file was overwritten in place or replaced by a rename, and
 * a folder without changes costs nothing.
 */
export function placesToFlush(changes: readonly Change[]): readonly string[] {
  return [...new Set([...changes.map(({ path }) => path), ...changes.map(({ path }) => dirname(path))])];
}

async function flushAll(paths: readonly string[]): Promise<FlushOutcome> {
  let outcome: FlushOutcome = 'on_disk';
  const rest = paths.values();
  const worker = async () => {
    for (const path of rest) {
      const found = await flushOne(path);
      if (found === 'failed' || outcome === 'on_disk') outcome = found;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcome;
}

const datasync = promisify(fdatasync);
/** Windows flushes only files that are open for writing. */
const ACCESS = process.platform === 'win32' ? constants.O_RDWR : constants.O_RDONLY;

async function flushOne(path: string): Promise<FlushOutcome> {
  let file: number;
  try {
    file = openSync(path, ACCESS | NO_LINK);
  } catch (error) {
    const code = errorCode(error);
    if (LOST.has(code)) return 'failed';
    return NO_LONGER_THERE.has(code) ? 'on_disk' : 'not_flushed';
  }
  try {
    await datasync(file);
    return 'on_disk';
  } catch (error) {
    // Other errors mean that this file system does not flush.
    return LOST.has(errorCode(error)) ? 'failed' : 'on_disk';
  } finally {
    closeSync(file);
  }
}

/**
 * The file was removed since, or by the patch itself; or a link or a socket is there now; or this user may not open it
 * any more, and only the system can bring it to the disk.
 */
const NO_LONGER_THERE: ReadonlySet<string | undefined> = new Set([
  ...['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'],
  ...['EACCES', 'EPERM', 'EROFS'],
  // Windows cannot flush a folder.
  'EISDIR',
]);

const LOST: ReadonlySet<string | undefined> = new Set(['EIO', 'ENOSPC', 'EDQUOT']);
