// Decoding and scaling, on the main thread and in the worker as it is built.
import path from 'node:path';
import esbuild from 'esbuild';
import { decode, encode } from 'fast-png';
import { decode as decodeJpeg, encode as encodeJpeg } from 'jpeg-js';
import { describe, expect, it } from 'vitest';
import type { ImageScaling } from '../../../src/core/ports.ts';
import { createImages } from '../../../src/node/images/images.ts';
import { orientationOf } from '../../../src/node/images/orientation.ts';
import { scaleImage } from '../../../src/node/images/scaleImage.ts';
import { png } from '../../support/images.ts';
import { tempFolder } from '../../support/tempFolder.ts';

/** Each pixel has its column as red, its row as green. */
function gradient(width: number, height: number): Uint8Array {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at++) data.set([at % width, Math.floor(at / width), 0, 255], at * 4);
  return encode({ width, height, data, channels: 4 });
}

/** A JPEG of 16 × 8 pixels, red on the left and black on the right, with Exif data as cameras write it. */
function photo(orientation: number, isLittle: boolean): Buffer {
  const data = new Uint8Array(16 * 8 * 4);
  for (let at = 0; at < 16 * 8; at++) data.set([at % 16 < 8 ? 255 : 0, 0, 0, 255], at * 4);
  const plain = encodeJpeg({ data, width: 16, height: 8 }, 95).data;
  const exif = Buffer.alloc(36);
  const view = new DataView(exif.buffer, exif.byteOffset, exif.length);
  view.setUint16(0, 0xffe1);
  view.setUint16(2, 34);
  exif.write('Exif\0\0', 4, 'latin1');
  exif.write(isLittle ? 'II' : 'MM', 10, 'latin1');
  view.setUint16(12, 42, isLittle);
  view.setUint32(14, 8, isLittle);
  view.setUint16(18, 1, isLittle);
  view.setUint16(20, 0x0112, isLittle);
  view.setUint16(22, 3, isLittle);
  view.setUint32(24, 1, isLittle);
  view.setUint16(28, orientation, isLittle);
  return Buffer.concat([plain.subarray(0, 2), exif, plain.subarray(2)]);
}

const HALVED: ImageScaling = { bytes: gradient(8, 4), mediaType: 'image/png', width: 4, height: 2 };

function redsAndGreens(bytes: Uint8Array): number[] {
  const { data } = decode(bytes);
  return [...data].filter((_value, at) => at % 4 < 2);
}

const MEANS = [1, 1, 3, 1, 5, 1, 7, 1, 1, 3, 3, 3, 5, 3, 7, 3];

describe('scaling an image', () => {
  it('makes each pixel the mean of those it covers', () => {
    expect(redsAndGreens(scaleImage(HALVED))).toEqual(MEANS);
  });

  it('reads grey and colour of every depth, and palettes', () => {
    const scaled = (image: Parameters<typeof encode>[0]) => {
      const bytes = encode(image);
      return [...decode(scaleImage({ bytes, mediaType: 'image/png', width: 1, height: 1 })).data];
    };
    const size = { width: 2, height: 2 };
    expect(scaled({ ...size, channels: 1, data: Uint8Array.of(0, 100, 100, 200) })).toEqual([100, 100, 100, 255]);
    expect(scaled({ ...size, channels: 2, data: Uint8Array.of(9, 0, 9, 0, 9, 0, 100, 200) })).toEqual([
      100, 100, 100, 50,
    ]);
    expect(scaled({ ...size, channels: 3, data: new Uint8Array(12).fill(7) })).toEqual([7, 7, 7, 255]);
    const deep = new Uint16Array(4).fill(0x1234);
    expect(scaled({ ...size, channels: 1, depth: 16, data: deep })).toEqual([0x12, 0x12, 0x12, 255]);
    // Two rows of two pixels of one bit: white, black and black, white.
    const bits = Uint8Array.of(0b1000_0000, 0b0100_0000);
    expect(scaled({ ...size, channels: 1, depth: 1, data: bits })).toEqual([128, 128, 128, 255]);
    const palette = [
      [0, 0, 0],
      [200, 100, 50],
    ] as [number, number, number][];
    expect(scaled({ ...size, channels: 1, depth: 1, data: bits, palette })).toEqual([100, 50, 25, 255]);
  });

  // The stored image is red on its left; each row has the size of the new image and its red side.
  it.each([
    [1, 8, 4, 'left'],
    [2, 8, 4, 'right'],
    [3, 8, 4, 'right'],
    [4, 8, 4, 'left'],
    [5, 4, 8, 'top'],
    [6, 4, 8, 'top'],
    [7, 4, 8, 'bottom'],
    [8, 4, 8, 'bottom'],
    [9, 8, 4, 'left'],
  ])('turns a JPEG of the orientation %i upright', (orientation, width, height, red) => {
    for (const isLittle of [true, false]) {
      const scaled = decodeJpeg(
        scaleImage({ bytes: photo(orientation, isLittle), mediaType: 'image/jpeg', width: 8, height: 4 }),
        { useTArray: true },
      );
      const isRed = (x: number, y: number) => (scaled.data[(y * scaled.width + x) * 4] ?? 0) > 128;
      const [right, bottom] = [scaled.width - 1, scaled.height - 1];
      const sides = { left: isRed(0, bottom), right: isRed(right, 0), top: isRed(right, 0), bottom: isRed(0, bottom) };
      expect([
        scaled.width,
        scaled.height,
        isRed(0, 0) || isRed(right, bottom),
        sides[red as keyof typeof sides],
      ]).toEqual([width, height, true, true]);
    }
  });

  it('finds Exif data behind other segments, and none behind the start of the pixels', () => {
    const whole = photo(6, false);
    const [start, exif, rest] = [whole.subarray(0, 2), whole.subarray(2, 38), whole.subarray(38)];
    const comment = Buffer.from([0xff, 0xfe, 0, 5, 1, 2, 3]);
    expect(orientationOf(Buffer.concat([start, comment, exif, rest]))).toBe(6);
    expect(orientationOf(Buffer.concat([start, rest, exif]))).toBe(1);
  });

  it('takes Exif data that ends early for none', () => {
    const whole = photo(6, true);
    const bytes = Buffer.concat([whole.subarray(0, 12), Buffer.from([0xff, 0xd9])]);
    expect([orientationOf(whole), orientationOf(bytes), orientationOf(Buffer.from([0xff, 0xd8]))]).toEqual([6, 1, 1]);
  });

  it.each(['image/png', 'image/jpeg'] as const)('refuses a damaged %s', (mediaType) => {
    // The file has only some rows of 3000 × 3000 pixels.
    const bytes = mediaType === 'image/png' ? png(3_000, 3_000) : Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2]);
    expect(() => scaleImage({ bytes, mediaType, width: 10, height: 10 })).toThrow(/./);
  });

  it('happens in a worker, which an abort ends', async () => {
    using folder = tempFolder();
    const worker = folder.at('imageWorker.js');
    const entry = path.join(import.meta.dirname, '../../../src/node/images/worker.ts');
    await esbuild.build({ entryPoints: [entry], outfile: worker, bundle: true, platform: 'node', format: 'cjs' });
    const images = createImages(worker);
    expect(redsAndGreens(await images.scale(HALVED, new AbortController().signal))).toEqual(MEANS);
    const damaged = { ...HALVED, bytes: png(3_000, 3_000) };
    await expect(images.scale(damaged, new AbortController().signal)).rejects.toBeInstanceOf(Error);
    const stopping = new AbortController();
    const stopped = images.scale({ ...HALVED, bytes: gradient(300, 300) }, stopping.signal);
    stopping.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
  });
});
