/** Decodes the content of large files once: a patch reads each of its files twice, to plan it and to apply it. */
import { type DecodedText, decodeText } from '../../core/util/textBytes.ts';

interface DecodedFile extends DecodedText {
  readonly bytes: Uint8Array;
}

/** By place. Held weakly: one that the garbage collector took is decoded again. */
const latest = new Map<string, WeakRef<DecodedFile>>();

/** Below it, decoding again costs as little as comparing. */
const LARGE = 64 * 1024;
const MOST_FILES = 32;

/** Returns the bytes of the file at the place when it was last decoded, if it was large. */
export function lastDecoded(place: string): Uint8Array | undefined {
  return latest.get(place)?.deref()?.bytes;
}

/**
 * Decodes like `decodeText`. `bytes` is the present content of the file at the place, and must not be changed
 * afterwards.
 */
export function decodeFile(place: string, bytes: Uint8Array): DecodedText | undefined {
  if (bytes.length < LARGE) return decodeText(bytes);
  const known = latest.get(place)?.deref();
  if (known !== undefined && (known.bytes === bytes || Buffer.compare(known.bytes, bytes) === 0)) return known;
  latest.delete(place);
  const decoded = decodeText(bytes);
  if (decoded === undefined) return undefined;
  const file = { ...decoded, bytes };
  latest.set(place, new WeakRef(file));
  for (const [oldest] of latest) if (latest.size > MOST_FILES) latest.delete(oldest);
  return file;
}
