/**
 * Inspects an image before it is sent: its type, its size in pixels and whether its header is complete. A server
 * answers 400 to an image that it cannot decode, and would do so on every later turn of the thread.
 */

import { IMAGE_LIMITS, type ImageType } from '../../protocol/imageLimits.ts';

export type InspectedImage =
  | { readonly type: 'image'; readonly mediaType: ImageType; readonly width: number; readonly height: number }
  /** `reason` completes a sentence that begins with “left out”. */
  | { readonly type: 'refused'; readonly reason: string };

export type InspectedUrl =
  | InspectedImage
  /** The image is on another server. */
  | { readonly type: 'remote' };

/**
 * Inspects the image in a `data:` URL; an `https:` one is `remote`, and is not fetched. The reason for a refusal is a
 * clause.
 */
export function inspectImageUrl(url: string): InspectedUrl {
  if (/^https:/i.test(url)) return { type: 'remote' };
  if (!/^data:/i.test(url)) return refused('its address is neither a data: nor an https: URL');
  const comma = url.indexOf(',');
  if (comma === -1) return refused(CUT_OFF);
  const header = url.slice(0, comma).toLowerCase();
  if (header.startsWith('data:image/svg')) return refused(IS_SVG);
  if (!header.endsWith(';base64')) return refused('its data is not base64');
  const data = url.slice(comma + 1);
  if (data.length * 0.75 > IMAGE_LIMITS.bytes + 3) return refused(tooManyBytes(Math.floor(data.length * 0.75)));
  if (!/^[A-Za-z\d+/]*={0,2}$/.test(data)) return refused('its data is not base64');
  return inspectImage(Buffer.from(data, 'base64'));
}

/** Reads format and size, without decoding the pixels. The reason for a refusal is a clause. */
export function inspectImage(bytes: Uint8Array): InspectedImage {
  if (bytes.length === 0) return refused('it is empty');
  if (bytes.length > IMAGE_LIMITS.bytes) return refused(tooManyBytes(bytes.length));
  const format = FORMATS.find(({ begins }) => begins(latin1(bytes, 0, 16)));
  if (format === undefined) return refused(isSvg(bytes) ? IS_SVG : 'it is not a PNG, JPEG, GIF or WebP image');
  const { mediaType, read } = format;
  const size = sizeOf(bytes, read);
  if ('reason' in size) return refused(size.reason);
  const { width, height } = size;
  if (width === 0 || height === 0) return refused(`it has no pixels (${width} × ${height})`);
  if (width * height > IMAGE_LIMITS.pixels) {
    return refused(`it has ${width} × ${height} pixels, more than the ${IMAGE_LIMITS.pixels} that are allowed`);
  }
  return { type: 'image', mediaType, width, height };
}

interface Size {
  readonly width: number;
  readonly height: number;
}
interface Fault {
  readonly reason: string;
}

const CUT_OFF = 'its data is cut off';
const DAMAGED = 'its data is damaged';
const IS_SVG = 'it is an SVG; only PNG, JPEG, GIF and WebP images can be sent';

function tooManyBytes(bytes: number): string {
  return `it has ${bytes} bytes, more than the ${IMAGE_LIMITS.bytes} that are allowed`;
}

function refused(reason: string): Extract<InspectedImage, { type: 'refused' }> {
  return { type: 'refused', reason };
}

const FORMATS: readonly {
  readonly mediaType: ImageType;
  /** Gets the first 16 bytes. */
  readonly begins: (start: string) => boolean;
  /** @throws RangeError when it reads past the end. */
  readonly read: (view: DataView) => Size | Fault;
}[] = [
  { mediaType: 'image/png', begins: (start) => start.startsWith('\x89PNG\r\n\x1a\n'), read: readPng },
  { mediaType: 'image/jpeg', begins: (start) => start.startsWith('\xff\xd8\xff'), read: readJpeg },
  { mediaType: 'image/gif', begins: (start) => /^GIF8[79]a/.test(start), read: readGif },
  { mediaType: 'image/webp', begins: (start) => /^RIFF[^]{4}WEBP/.test(start), read: readWebp },
];

function sizeOf(bytes: Uint8Array, read: (view: DataView) => Size | Fault): Size | Fault {
  try {
    return read(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    if (error instanceof RangeError) return { reason: CUT_OFF };
    throw error;
  }
}

/** Reads all chunks up to the last one; checks the checksums of the critical ones. */
function readPng(view: DataView): Size | Fault {
  let size: Size | undefined;
  let hasPixels = false;
  for (let at = 8; ; ) {
    const length = view.getUint32(at);
    const name = latin1(bytesOf(view), at + 4, at + 8);
    const end = at + 8 + length;
    const checksum = view.getUint32(end);
    if (/^[A-Z]/.test(name) && crc32(bytesOf(view), at + 4, end) !== checksum) return { reason: DAMAGED };
    if (size === undefined) {
      if (name !== 'IHDR' || length !== 13) return { reason: DAMAGED };
      size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    }
    if (name === 'IDAT') hasPixels = true;
    if (name === 'IEND') return hasPixels ? size : { reason: DAMAGED };
    at = end + 4;
  }
}

/** Frame headers, without DHT (C4), JPG (C8) and DAC (CC). */
const START_OF_FRAME = /^c[0-35-79-bd-f]$/;

function readJpeg(view: DataView): Size | Fault {
  let size: Size | undefined;
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return { reason: DAMAGED };
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      // Padding.
      at += 1;
      continue;
    }
    if (marker === 0xd9) return { reason: DAMAGED };
    const length = view.getUint16(at + 2);
    if (length < 2) return { reason: DAMAGED };
    if (START_OF_FRAME.test(marker.toString(16))) {
      size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    at += 2 + length;
    if (marker === 0xda) {
      // The pixels follow: at least one byte must exist.
      view.getUint8(at);
      return size ?? { reason: DAMAGED };
    }
  }
}

function readGif(view: DataView): Size | Fault {
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  const flags = view.getUint8(10);
  const colours = (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
  // The first block must be an image or an extension.
  return [0x2c, 0x21].includes(view.getUint8(13 + colours)) ? size : { reason: DAMAGED };
}

function readWebp(view: DataView): Size | Fault {
  if (view.getUint32(4, true) + 8 > view.byteLength) return { reason: CUT_OFF };
  switch (latin1(bytesOf(view), 12, 16)) {
    case 'VP8 ':
      if (latin1(bytesOf(view), 23, 26) !== '\x9d\x01\x2a') return { reason: DAMAGED };
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      if (view.getUint8(20) !== 0x2f) return { reason: DAMAGED };
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return { reason: DAMAGED };
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function bytesOf(view: DataView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function isSvg(bytes: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype svg|svg|!--)/i.test(latin1(bytes, 0, 100));
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : 0xedb88320 ^ (value >>> 1);
  return value;
});

function crc32(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0xffffffff;
  for (let at = from; at < to; at++) crc = (CRC_TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/**
 * True for a JPEG whose EXIF data turns or mirrors it (tag 0x0112, Exif 2.32 §4.6.4): an encoder that keeps only the pixels
 * would show it otherwise.
 */
export function isTurned(bytes: Uint8Array): boolean {
  const start = latin1(bytes, 0, Math.min(bytes.length, 4_096)).indexOf('Exif\0\0');
  if (start === -1) return false;
  try {
    const tiff = start + 6;
    const view = new DataView(bytes.buffer, bytes.byteOffset + tiff, bytes.byteLength - tiff);
    const isLittle = latin1(bytes, tiff, tiff + 2) === 'II';
    const entries = view.getUint32(4, isLittle);
    for (let index = 0; index < view.getUint16(entries, isLittle); index++) {
      const entry = entries + 2 + index * 12;
      if (view.getUint16(entry, isLittle) === 0x0112) return view.getUint16(entry + 8, isLittle) !== 1;
    }
    return false;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
