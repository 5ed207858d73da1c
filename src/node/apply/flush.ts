/**
 * Brings the files of applied patches to the disk, in the background. Files are overwritten in place, so a power
 * failure before that may leave any mixture of old and new blocks.
 */
import { closeSync, constants, fdatasync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../core/util/fileErrors.ts';
import { NO_LINK } from '../host/openFlags.ts';
import type { FileImage } from './fileImage.ts';

/** `failed`: the disk has not taken the content of a file. */
export type FlushOutcome = 'on_disk' | 'failed';

interface Change {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
}

interface Flush {
  readonly paths: ReadonlySet<string>;
  readonly done: Promise<void>;
}

const flushes = new Set<Flush>();

/** Leaves a thread of Node's pool of four to others. */
const AT_ONCE = 3;

/** Calls back with the outcome. A failure of the callback is ignored: then the journal is settled at the next start. */
export function flushInBackground(changes: readonly Change[], onDone: (outcome: FlushOutcome) => Promise<void>): void {
  const paths = new Set(changes.map(({ path }) => path));
  const done = flushAll([...paths, ...changedFolders(changes)])
    .then(onDone)
    .catch(() => {})
    .finally(() => flushes.delete(flush));
  const flush = { paths, done };
  flushes.add(flush);
}

/**
 * Resolves when the patches that touch one of these paths, or all without paths, are on the disk: two journals never
 * hold images of one file, of which a power failure could mix three.
 */
export async function flushed(paths?: readonly string[]): Promise<void> {
  const met = [...flushes].filter((flush) => paths?.some((path) => flush.paths.has(path)) ?? true);
  await Promise.all(met.map(({ done }) => done));
}

/** Folders in which a name was created or removed. */
function changedFolders(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ path, before, after }) => (before.type === after.type ? [] : [dirname(path)])));
}

async function flushAll(paths: readonly string[]): Promise<FlushOutcome> {
  let outcome: FlushOutcome = 'on_disk';
  const rest = paths.values();
  const worker = async () => {
    for (const path of rest) if ((await flushOne(path)) === 'failed') outcome = 'failed';
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
  } catch {
    // Removed since, or by the patch itself.
    return 'on_disk';
  }
  try {
    await datasync(file);
    return 'on_disk';
  } catch (error) {
    // Other errors say that this file system does not flush.
    return LOST.has(errorCode(error)) ? 'failed' : 'on_disk';
  } finally {
    closeSync(file);
  }
}

const LOST: ReadonlySet<string | undefined> = new Set(['EIO', 'ENOSPC', 'EDQUOT']);
