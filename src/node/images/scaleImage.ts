/** Decodes a PNG or JPEG, scales it down and encodes it again. Takes seconds for large images: run it in a worker. */
import { convertIndexedToRgb, decode as decodePng, type DecodedPng, encode as encodePng } from 'fast-png';
import { decode as decodeJpeg, encode as encodeJpeg } from 'jpeg-js';
import type { ImageScaling } from '../../core/ports.ts';
import { orientationOf, type Pixels, upright } from './orientation.ts';

/** In percent: hardly visible, at a fraction of the bytes. */
const JPEG_QUALITY = 85;

/**
 * A JPEG that its camera has stored on its side is turned upright, because the new one has no Exif data: its width and
 * height then change places. @throws Error for an image that cannot be decoded. */
export function scaleImage({ bytes, mediaType, width, height }: ImageScaling): Uint8Array {
  switch (mediaType) {
    case 'image/png':
      return encodePng({ width, height, channels: 4, depth: 8, data: averaged(readPng(bytes), width, height) });
    case 'image/jpeg': {
      const data = averaged(decodeJpeg(bytes, { useTArray: true, maxMemoryUsageInMB: 1_024 }), width, height);
      return encodeJpeg(upright({ data, width, height }, orientationOf(bytes)), JPEG_QUALITY).data;
    }
  }
}

function readPng(bytes: Uint8Array): Pixels {
  const png = decodePng(bytes, { checkCrc: true });
  const { width, height } = png;
  const { samples, channels } = samplesOf(png);
  if (samples.length < width * height * channels) throw new Error('its data ends early');
  const data = new Uint8Array(width * height * 4);
  const hasColour = channels > 2;
  const hasAlpha = channels % 2 === 0;
  for (let pixel = 0; pixel < width * height; pixel++) {
    const from = pixel * channels;
    const to = pixel * 4;
    data[to] = samples[from] ?? 0;
    data[to + 1] = samples[hasColour ? from + 1 : from] ?? 0;
    data[to + 2] = samples[hasColour ? from + 2 : from] ?? 0;
    data[to + 3] = hasAlpha ? (samples[from + channels - 1] ?? 0) : 255;
  }
  return { width, height, data };
}

/** Returns one byte for each sample, without a palette. */
function samplesOf(png: DecodedPng): { readonly samples: Uint8Array | Uint8ClampedArray; readonly channels: number } {
  const { data, depth, channels, palette, width, height } = png;
  if (palette !== undefined) {
    return { samples: convertIndexedToRgb(png), channels: palette[0]?.length ?? 3 };
  }
  if (data instanceof Uint16Array) return { samples: Uint8Array.from(data, (value) => value >> 8), channels };
  if (depth >= 8) return { samples: data, channels };
  // Grey of 1, 2 or 4 bits: several pixels in a byte, and each row begins with a byte.
  const samples = new Uint8Array(width * height);
  const bytesOfRow = Math.ceil((width * depth) / 8);
  const most = 2 ** depth - 1;
  for (let at = 0; at < samples.length; at++) {
    const bit = (at % width) * depth;
    const byte = data[Math.floor(at / width) * bytesOfRow + (bit >> 3)] ?? 0;
    samples[at] = (((byte >> (8 - depth - (bit & 7))) & most) * 255) / most;
  }
  return { samples, channels: 1 };
}

/**
 * The mean of the pixels that each new pixel covers, weighted by their alpha, so that the colour of transparent pixels
 * does not show. Only for smaller sizes.
 */
function averaged({ data, width: from, height: high }: Pixels, width: number, height: number): Uint8Array {
  const result = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const top = Math.floor((y * high) / height);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * high) / height));
    for (let x = 0; x < width; x++) {
      const left = Math.floor((x * from) / width);
      const right = Math.max(left + 1, Math.floor(((x + 1) * from) / width));
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      for (let row = top; row < bottom; row++) {
        for (let at = (row * from + left) * 4; at < (row * from + right) * 4; at += 4) {
          const weight = data[at + 3] ?? 0;
          red += (data[at] ?? 0) * weight;
          green += (data[at + 1] ?? 0) * weight;
          blue += (data[at + 2] ?? 0) * weight;
          alpha += weight;
        }
      }
      const to = (y * width + x) * 4;
      const weight = alpha || 1;
      result[to] = Math.round(red / weight);
      result[to + 1] = Math.round(green / weight);
      result[to + 2] = Math.round(blue / weight);
      result[to + 3] = Math.round(alpha / ((bottom - top) * (right - left)));
    }
  }
  return result;
}
