import { readlinkSync, type Stats } from 'node:fs';
import { errorCode } from '../../core/util/fileErrors.ts';
import type { Blobs } from './blobs.ts';
import { leftOut, type PresentState } from './indexEntry.ts';
import { readUnchanged } from './readUnchanged.ts';

/** Errors of a disk that takes no more. */
const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG']);

export interface KeepOptions {
  readonly blobs: Blobs;
  /** A larger file is left out. */
  readonly maxBytes: number;
  /** Returns false for the content of a file that is not to be kept, for lack of room. */
  readonly hasRoomFor?: (bytes: Uint8Array) => boolean;
}

/** Keeps the content of a path and returns its state. `undefined` when it is gone by now, or no link any more. */
export function keepState(path: string, stats: Stats, options: KeepOptions): PresentState | undefined {
  if (stats.isSymbolicLink()) return keepLink(path, stats, options.blobs);
  if (!stats.isFile()) return leftOut('special', stats);
  if (stats.size > options.maxBytes) return leftOut('too_large', stats);
  const read = readUnchanged(path);
  if (read === 'gone') return undefined;
  if (read === 'unreadable') return leftOut('unreadable', stats);
  const { bytes, mode } = read;
  const hash = options.hasRoomFor?.(bytes) === false ? undefined : put(bytes, options.blobs);
  return hash === undefined ? leftOut('no_room', stats) : { type: 'file', hash, size: bytes.length, mode };
}

function keepLink(path: string, stats: Stats, blobs: Blobs): PresentState | undefined {
  const bytes = targetAt(path);
  if (bytes === undefined) return undefined;
  const target = bytes.toString('utf8');
  if (!Buffer.from(target, 'utf8').equals(bytes)) return leftOut('link', stats);
  const hash = put(bytes, blobs);
  return hash === undefined ? leftOut('no_room', stats) : { type: 'link', target, hash };
}

function targetAt(path: string): Buffer | undefined {
  try {
    return readlinkSync(path, 'buffer');
  } catch {
    return undefined;
  }
}

/** `undefined` on a full disk. */
function put(bytes: Uint8Array, blobs: Blobs): string | undefined {
  try {
    return blobs.put(bytes);
  } catch (error) {
    if (NO_ROOM.has(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
