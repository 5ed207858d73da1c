/** Reads what the kernel has queued of watched folders, as inotify(7) describes it. */
import { readSync } from 'node:fs';
import { errorCode } from '../errors.ts';

export interface QueuedChange {
  /** Of the watched folder; -1 where something was lost. */
  readonly id: number;
  /** No more will be told of this folder. */
  readonly isLast: boolean;
}

const IGNORED = 0x8000;
const HEAD_LENGTH = 16;
const bytes = Buffer.alloc(64 * 1024);

/** All that is there. @throws Error */
export function* queuedChanges(descriptor: number): Generator<QueuedChange> {
  for (let length = readSome(descriptor); length > 0; length = readSome(descriptor)) {
    for (let at = 0; at < length; at += HEAD_LENGTH + bytes.readUInt32LE(at + 12)) {
      yield { id: bytes.readInt32LE(at), isLast: (bytes.readUInt32LE(at + 4) & IGNORED) !== 0 };
    }
  }
}

/** Whole records: the kernel divides none. */
function readSome(descriptor: number): number {
  try {
    return readSync(descriptor, bytes);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 0;
    throw error;
  }
}
