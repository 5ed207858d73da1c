/**
 * Reads the index of a git repository (gitformat-index(5)), and writes the file times of a copy into it, so that git does
 * not read every file of the copy again. Tiller does not run git, which may run programs that the repository names.
 */
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import path from 'node:path';

export interface IndexedFile {
  /** Separated by `/`, from the top of the repository. */
  readonly path: string;
  /** In the bytes of the index. */
  readonly offset: number;
  readonly size: number;
  readonly modifiedSeconds: number;
  readonly modifiedNanoseconds: number;
}

export interface GitIndex {
  readonly files: readonly IndexedFile[];
  /** The bytes of the entries, without extensions and checksum. */
  readonly bytes: Uint8Array;
}

const HEADER_BYTES = 12;
const HASH_BYTES = 20;
const STAT_BYTES = 40;
const EXTENDED = 0x4000;

/** Called between two entries: a large index takes longer than the event loop may be held. */
type Pause = () => Promise<void> | undefined;

/**
 * `undefined` for an index of another form, such as a split or a sparse one, and for one with a name that git refuses.
 * Rejects with the error of `pause`.
 */
export async function parseIndex(bytes: Buffer, pause: Pause): Promise<GitIndex | undefined> {
  try {
    return await parse(bytes, pause);
  } catch (error) {
    // Cut off.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

async function parse(bytes: Buffer, pause: Pause): Promise<GitIndex | undefined> {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const files: IndexedFile[] = [];
  let at = HEADER_BYTES;
  let last = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    await pause();
    const offset = at;
    const flags = bytes.readUInt16BE(offset + STAT_BYTES + HASH_BYTES);
    at += STAT_BYTES + HASH_BYTES + 2 + ((flags & EXTENDED) === 0 ? 0 : 2);
    let prefix = Buffer.alloc(0);
    if (version === 4) {
      const strip = readVariableLength(bytes, at);
      at = strip.end;
      prefix = last.subarray(0, last.length - strip.value);
    }
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    last = Buffer.concat([prefix, bytes.subarray(at, end)]);
    const name = last.toString('utf8');
    if (!isSafeName(name)) return undefined;
    at = version === 4 ? end + 1 : offset + Math.ceil((end - offset + 1) / 8) * 8;
    files.push({
      path: name,
      offset,
      size: bytes.readUInt32BE(offset + 36),
      modifiedSeconds: bytes.readUInt32BE(offset + 8),
      modifiedNanoseconds: bytes.readUInt32BE(offset + 12),
    });
  }
  return needsExtension(bytes, at) ? undefined : { files, bytes: Uint8Array.from(bytes.subarray(0, at)) };
}

const UNSAFE_PARTS: ReadonlySet<string> = new Set(['', '.', '..', '.git', 'git~1']);

/** The index may come from a stranger: a name must not lead out of the working tree or into `.git` (verify_path of git). */
function isSafeName(name: string): boolean {
  const parts = name.split(process.platform === 'win32' ? /[/\\]/ : '/');
  return !path.isAbsolute(name) && parts.every((part) => !UNSAFE_PARTS.has(part.toLowerCase()));
}

/** True when entries have another meaning by an extension: those that a reader may leave out begin with a capital. */
function needsExtension(bytes: Buffer, from: number): boolean {
  for (let at = from; at + 8 <= bytes.length - HASH_BYTES; at += 8 + bytes.readUInt32BE(at + 4)) {
    const first = bytes[at] ?? 0;
    if (first < 0x41 || first > 0x5a) return true;
  }
  return false;
}

/** The offset encoding of git's pack files. */
function readVariableLength(bytes: Buffer, from: number): { readonly value: number; readonly end: number } {
  let at = from;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, end: at };
}

/** True when git takes the file for unchanged by these facts. */
export function isAsIndexed(file: IndexedFile, stats: BigIntStats): boolean {
  const modified = BigInt(file.modifiedSeconds) * 1_000_000_000n + BigInt(file.modifiedNanoseconds);
  return modified > 0n && modified === stats.mtimeNs && BigInt(file.size) === stats.size;
}

/** The index of the copy: entries of unchanged files have the facts of the copied file. */
export async function indexWith(
  index: GitIndex,
  copied: Iterable<readonly [IndexedFile, BigIntStats]>,
  pause: Pause,
): Promise<Uint8Array> {
  const bytes = Buffer.concat([index.bytes, Buffer.alloc(HASH_BYTES)]);
  for (const [{ offset }, stats] of copied) {
    await pause();
    const facts = [
      stats.ctimeNs / 1_000_000_000n,
      stats.ctimeNs % 1_000_000_000n,
      stats.mtimeNs / 1_000_000_000n,
      stats.mtimeNs % 1_000_000_000n,
      stats.dev,
      stats.ino,
      undefined,
      stats.uid,
      stats.gid,
      stats.size,
    ];
    for (const [place, fact] of facts.entries()) {
      if (fact !== undefined) bytes.writeUInt32BE(Number(BigInt.asUintN(32, fact)), offset + place * 4);
    }
  }
  const end = bytes.length - HASH_BYTES;
  createHash('sha1').update(bytes.subarray(0, end)).digest().copy(bytes, end);
  return bytes;
}
