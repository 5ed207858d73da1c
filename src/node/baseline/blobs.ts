/** Contents by their hash: `baselines/blobs/ab/<hash>`, each for the user alone, each once. */
import { closeSync, openSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { contentHash } from '../../core/baseline/contentHash.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { makePrivateFolderSync, namesIn, PRIVATE_FILE, removeFile } from '../host/privateFiles.ts';

/** Below this a file takes its blocks on the disk whatever its length. */
const COMPRESSED_FROM = 8 * 1024;
/** Maximum size after compression, as a share of the length: a smaller saving does not pay. */
const WORTH = 0.8;
const PLAIN = Buffer.of(0);
const DEFLATED = Buffer.of(1);
const TEMPORARY = '.tmp-';
const NAME = /^[0-9a-f]{64}$/;

let writes = 0;

export class Blobs {
  readonly #folder: string;
  /** Bytes on disk by hash; read once, when first needed. */
  #sizes: Map<string, number> | undefined;
  #total = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bytes on disk. */
  get total(): number {
    this.#load();
    return this.#total;
  }

  has(hash: string): boolean {
    return this.#load().has(hash);
  }

  /** Bytes on disk; 0 when it is not there. */
  sizeOf(hash: string): number {
    return this.#load().get(hash) ?? 0;
  }

  /** Keeps the content and returns its hash. The file is whole or is not there. @throws the error of the disk */
  put(bytes: Uint8Array): string {
    const hash = contentHash(bytes);
    const sizes = this.#load();
    if (sizes.has(hash)) return hash;
    const stored = encode(bytes);
    const size = stored.reduce((sum, piece) => sum + piece.length, 0);
    const folder = join(this.#folder, hash.slice(0, 2));
    const temporary = join(folder, `${TEMPORARY}${process.pid}-${writes++}`);
    try {
      writeBlob(folder, temporary, stored);
      renameSync(temporary, join(folder, hash));
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    }
    sizes.set(hash, size);
    this.#total += size;
    return hash;
  }

  /** `undefined` when it is not there, or is damaged: then it is removed, so that it can be kept anew. */
  read(hash: string): Uint8Array | undefined {
    let stored: Buffer;
    try {
      stored = readFileSync(this.#at(hash));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    const bytes = decode(stored);
    if (bytes !== undefined && contentHash(bytes) === hash) return bytes;
    this.remove(hash);
    return undefined;
  }

  remove(hash: string): void {
    removeFile(this.#at(hash));
    this.#total -= this.#sizes?.get(hash) ?? 0;
    this.#sizes?.delete(hash);
  }

  /**
   * Yields all of them with the time at which they were written, milliseconds since the epoch. Removes leftovers of a
   * crash.
   */
  *all(): Generator<{ readonly hash: string; readonly writtenAt: number }> {
    for (const { folder, name } of this.#files()) {
      const writtenAt = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
      if (writtenAt === undefined) continue;
      if (NAME.test(name)) yield { hash: name, writtenAt };
      else if (name.startsWith(TEMPORARY) && Date.now() - writtenAt > 60_000) removeQuietly(join(folder, name));
    }
  }

  /** Looks at the disk again: another process may have removed some. */
  reload(): void {
    this.#sizes = undefined;
  }

  #at(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }

  #load(): Map<string, number> {
    if (this.#sizes !== undefined) return this.#sizes;
    const sizes = new Map<string, number>();
    let total = 0;
    for (const { folder, name } of this.#files()) {
      if (!NAME.test(name)) continue;
      const size = statSync(join(folder, name), { throwIfNoEntry: false })?.size;
      if (size === undefined) continue;
      sizes.set(name, size);
      total += size;
    }
    this.#sizes = sizes;
    this.#total = total;
    return sizes;
  }

  *#files(): Generator<{ readonly folder: string; readonly name: string }> {
    for (const first of namesIn(this.#folder)) {
      const folder = join(this.#folder, first);
      for (const name of namesIn(folder)) yield { folder, name };
    }
  }
}

/** Returns the parts without copying the bytes. */
function encode(bytes: Uint8Array): readonly Uint8Array[] {
  if (bytes.length >= COMPRESSED_FROM) {
    const deflated = deflateRawSync(bytes, { level: 1 });
    if (deflated.length < bytes.length * WORTH) return [DEFLATED, deflated];
  }
  return [PLAIN, bytes];
}

function decode(stored: Buffer): Uint8Array | undefined {
  if (stored[0] === PLAIN[0]) return stored.subarray(1);
  if (stored[0] !== DEFLATED[0]) return undefined;
  try {
    return inflateRawSync(stored.subarray(1));
  } catch {
    return undefined;
  }
}

function writeBlob(folder: string, place: string, pieces: readonly Uint8Array[]): void {
  const file = openNew(folder, place);
  try {
    for (const piece of pieces) writeFileSync(file, piece);
  } finally {
    closeSync(file);
  }
}

function openNew(folder: string, place: string): number {
  try {
    return openSync(place, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (!isMissing(error)) throw error;
    makePrivateFolderSync(folder);
    return openSync(place, 'wx', PRIVATE_FILE);
  }
}

function removeQuietly(place: string): void {
  try {
    unlinkSync(place);
  } catch {
    // A leftover file does no harm.
  }
}
