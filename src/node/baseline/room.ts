/** The room for kept contents: within the limit of the user, and on the disk. */
import { statfsSync } from 'node:fs';
import { contentHash } from '../../core/baseline/contentHash.ts';
import type { Blobs } from './blobs.ts';
import { collectGarbage } from './collectGarbage.ts';
import type { PresentState } from './indexEntry.ts';

/** Fraction of the limit above which files that did not fit are not tried again. */
const NEARLY_FULL = 0.9;
/** Fraction of the limit that must be written after an insufficient collection before the next one. */
const GROWTH = 0.05;
/**
 * Milliseconds after an insufficient collection until the next one in any case: young content can be removed by then.
 */
const COLLECT_AGAIN_MS = 10 * 60_000;
/** Free space of TILLER_HOME's disk that is left for other programs. */
const DISK_RESERVE_BYTES = 64 * 1024 * 1024;

export interface CollectorOptions {
  /** TILLER_HOME. */
  readonly home: string;
  readonly blobs: Blobs;
  /** The hashes of the present contents of this process's folders. */
  readonly live: () => Iterable<string>;
}

/** Removes unneeded content. */
export class Collector {
  readonly #options: CollectorOptions;
  /** The result of the last collection. */
  #last: { readonly at: number; readonly leftBytes: number; readonly maxBytes: number } | undefined;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Collects when nothing was collected yet, or more than the limit is kept. */
  collectWhenDue(maxBytes: number): void {
    if (this.#last === undefined || this.#options.blobs.total > maxBytes) this.collect(maxBytes);
  }

  /** Does nothing soon after a collection that left more than the limit: it would read everything and free nothing. */
  collect(maxBytes: number): void {
    const { home, blobs, live } = this.#options;
    const last = this.#last;
    const isDue =
      last === undefined ||
      last.maxBytes !== maxBytes ||
      blobs.total > last.leftBytes + maxBytes * GROWTH ||
      Date.now() - last.at > COLLECT_AGAIN_MS;
    if (!isDue || !collectGarbage(home, blobs, maxBytes, live())) return;
    this.#last = { at: Date.now(), leftBytes: blobs.total, maxBytes };
  }
}

export interface RoomOptions {
  /** TILLER_HOME. */
  readonly home: string;
  readonly blobs: Blobs;
  readonly collector: Collector;
  /** The limit of the user for all kept contents. */
  readonly maxBytes: number;
}

/** The room for the contents that one look finds. */
export class Room {
  readonly #options: RoomOptions;
  #hasCollected = false;
  /** Bytes that may still be written before the free space of the disk is read again. */
  #checkedBytes = 0;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** Returns true if there is room for the bytes. Without room, frees space once. */
  isFor(bytes: Uint8Array): boolean {
    const { blobs, collector, maxBytes } = this.#options;
    const fits = () => blobs.total + bytes.length <= maxBytes;
    const leavesReserve = this.#leavesReserve(bytes.length);
    if ((fits() && leavesReserve) || blobs.has(contentHash(bytes))) return true;
    if (!leavesReserve || this.#hasCollected) return false;
    this.#hasCollected = true;
    collector.collect(maxBytes);
    return fits();
  }

  /**
   * Returns true if a known state can stay: its content is still kept, or there is still no room for it. Checked at each
   * look, because another process may have removed content.
   */
  keeps(state: PresentState): boolean {
    const { blobs, maxBytes } = this.#options;
    if (state.type !== 'left_out') return blobs.has(state.hash);
    return state.reason !== 'no_room' || blobs.total > maxBytes * NEARLY_FULL;
  }

  /**
   * Returns true if the bytes leave the reserve of free space: the threads themselves are written to this disk, too.
   */
  #leavesReserve(bytes: number): boolean {
    this.#checkedBytes -= bytes;
    if (this.#checkedBytes > 0) return true;
    this.#checkedBytes = (freeBytes(this.#options.home) - DISK_RESERVE_BYTES) / 2;
    return this.#checkedBytes > bytes;
  }
}

/** Unlimited where the system does not report it. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}
