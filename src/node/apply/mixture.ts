/** Recognizes the files that an interrupted step leaves. */
import type { FileImage } from './fileImage.ts';

/** The system writes a file in units of this size or of multiples of it. */
const SECTOR = 512;

interface Step {
  readonly before: FileImage;
  readonly after: FileImage;
  /** A power failure may have kept some blocks of the file from the disk. */
  readonly mayBeTorn?: boolean;
}

/**
 * Returns true if a path holds parts of both images, or an incomplete one: a file that was cut off while it was written
 * in place, or emptied first as VS Code does; one of which only some blocks reached the disk before a power failure; an
 * incomplete step from or to a folder.
 */
export function isMixture(now: FileImage, { before, after, mayBeTorn = false }: Step): boolean {
  if (now.type === 'absent') return before.type === 'folder' || after.type === 'folder';
  if (now.type !== 'file') return false;
  const images = [before, after].flatMap((image) => (image.type === 'file' ? [image.bytes] : []));
  if (images.some((bytes) => isBeginningOf(bytes, now.bytes))) return true;
  if (before.type !== 'file' || after.type !== 'file') return false;
  return (
    isOverwritten(now.bytes, before.bytes, after.bytes) ||
    isOverwritten(now.bytes, after.bytes, before.bytes) ||
    (mayBeTorn && isOfSectors(now.bytes, images))
  );
}

function isBeginningOf(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(0, beginning.length), beginning) === 0;
}

/** The beginning of one image, followed by the rest of the other. */
function isOverwritten(now: Uint8Array, old: Uint8Array, written: Uint8Array): boolean {
  let length = 0;
  while (length < now.length && now[length] === written[length]) length++;
  return Buffer.compare(now.subarray(length), old.subarray(length)) === 0;
}

/** Every sector is that of one of the images, or empty because it was never written. */
function isOfSectors(now: Uint8Array, images: readonly Uint8Array[]): boolean {
  if (now.length > Math.max(...images.map(({ length }) => length))) return false;
  for (let start = 0; start < now.length; start += SECTOR) {
    const sector = now.subarray(start, start + SECTOR);
    const isKnown = images.some((bytes) => Buffer.compare(sector, bytes.subarray(start, start + sector.length)) === 0);
    if (!isKnown && sector.some((byte) => byte !== 0)) return false;
  }
  return true;
}
