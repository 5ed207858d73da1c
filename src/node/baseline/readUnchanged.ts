import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { isMissing } from '../../core/util/fileErrors.ts';
import { NO_LINK } from '../host/openFlags.ts';

/** Above this the content of a file is not kept (design decision 7). */
export const MAX_FILE_BYTES = 1024 * 1024;
/** The size limit of a file that a patch or an undo changes. */
export const MAX_CAPTURED_BYTES = 64 * 1024 * 1024;

interface ReadFile {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** One buffer for all files: thousands of buffers would wait for the garbage collector. */
let scratch: Buffer | undefined;

/** The bytes are valid until the next call. More than `MAX_FILE_BYTES` where the file has grown. */
function readSmall(file: number): Buffer {
  scratch ??= Buffer.allocUnsafeSlow(MAX_FILE_BYTES + 1);
  let length = 0;
  while (length < scratch.length) {
    const read = readSync(file, scratch, length, scratch.length - length, null);
    if (read === 0) break;
    length += read;
  }
  return scratch.subarray(0, length);
}

/**
 * Reads a file that is not written at the same time: again, up to three times, where it has changed while it was read.
 * The bytes are valid until the next call.
 */
export function readUnchanged(path: string): ReadFile | 'gone' | 'unreadable' {
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      const file = openSync(path, constants.O_RDONLY | NO_LINK);
      try {
        const before = fstatSync(file);
        if (!before.isFile() || before.size > MAX_CAPTURED_BYTES) return 'unreadable';
        const bytes = before.size <= MAX_FILE_BYTES ? readSmall(file) : readFileSync(file);
        const after = fstatSync(file);
        if (before.ctimeMs === after.ctimeMs && after.size === bytes.length) {
          return { bytes, mode: after.mode & 0o7777 };
        }
      } finally {
        closeSync(file);
      }
    }
    return 'unreadable';
  } catch (error) {
    return isMissing(error) ? 'gone' : 'unreadable';
  }
}
