/** Small images of every supported kind, as bytes. */
import { crc32, deflateSync } from 'node:zlib';

/** Returns a PNG image of one colour. Images with another `shade` have other bytes. */
export function png(width = 1, height = 1, shade = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per pixel, greyscale.
  header.set([8, 0, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(Math.min(width, 64), shade)]);
  const rows = deflateSync(Buffer.concat(Array.from({ length: Math.min(height, 64) }, () => row)));
  return Buffer.concat([
    PNG_MAGIC,
    pngChunk('IHDR', header),
    pngChunk('IDAT', rows),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const PNG_MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/**
 * Returns a JPEG image: a frame header of the given kind (by default baseline) after an APP0 segment and some padding.
 */
export function jpeg(width = 1, height = 1, startOfFrame = 0xc0): Buffer {
  const frame = Buffer.from([0xff, startOfFrame, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0x4a, 0x46, 0xff]),
    frame,
    Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x7f, 0xff, 0xd9]),
  ]);
}

export function gif(width = 1, height = 1): Buffer {
  const bytes = Buffer.from(
    '474946383961010001008001000000ffffffff21f90401000001002c00000000010001000002024c01003b',
    'hex',
  );
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return Buffer.concat([bytes.subarray(0, 13), Buffer.from([0, 0, 0, 255, 255, 255]), bytes.subarray(19)]);
}

export function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width = 1, height = 1): Buffer {
  const data = Buffer.alloc(16);
  if (kind === 'VP8 ') {
    data.set([0x30, 0x01, 0x00, 0x9d, 0x01, 0x2a]);
    data.writeUInt16LE(width, 6);
    data.writeUInt16LE(height, 8);
  } else if (kind === 'VP8L') {
    data[0] = 0x2f;
    data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  } else {
    data.writeUIntLE(width - 1, 4, 3);
    data.writeUIntLE(height - 1, 7, 3);
  }
  const sizes = [12 + data.length, data.length].map((size) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(size);
    return bytes;
  });
  return Buffer.concat([Buffer.from('RIFF'), sizes[0] as Buffer, Buffer.from(`WEBP${kind}`), sizes[1] as Buffer, data]);
}

export function dataUrl(bytes: Uint8Array, mediaType = 'image/png'): string {
  return `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
}
