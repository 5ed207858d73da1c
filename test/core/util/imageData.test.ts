import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectImage, inspectImageUrl } from '../../../src/core/util/imageData.ts';
import { IMAGE_LIMITS } from '../../../src/protocol/imageLimits.ts';
import { dataUrl, gif, jpeg, png, pngChunk, webp } from '../../support/images.ts';

const size = fc.record({ width: fc.integer({ min: 1, max: 9999 }), height: fc.integer({ min: 1, max: 9999 }) });

const CUT_OFF = { type: 'refused', reason: 'its data is cut off' };
const DAMAGED = { type: 'refused', reason: 'its data is damaged' };

describe('the bytes of an image', () => {
  it('have a recognized type and size in every format', () => {
    fc.assert(
      fc.property(size, ({ width, height }) => {
        const seen = [png, jpeg, gif].map((make) => inspectImage(make(width, height)));
        const webps = (['VP8 ', 'VP8L', 'VP8X'] as const).map((kind) => inspectImage(webp(kind, width, height)));
        expect([...seen, ...webps]).toEqual(
          ['png', 'jpeg', 'gif', 'webp', 'webp', 'webp'].map((kind) => ({
            type: 'image',
            mediaType: `image/${kind}`,
            width,
            height,
          })),
        );
      }),
    );
  });

  it.each([0xc0, 0xc1, 0xc2, 0xc9, 0xcf])('are a JPEG with the frame %i', (startOfFrame) => {
    expect(inspectImage(jpeg(3, 2, startOfFrame))).toEqual({
      type: 'image',
      mediaType: 'image/jpeg',
      width: 3,
      height: 2,
    });
  });

  it('are refused when they are cut anywhere in the header, without an exception', () => {
    const kinds = fc.constantFrom(png(), jpeg(), gif(), webp('VP8 '), webp('VP8L'), webp('VP8X'));
    fc.assert(
      fc.property(kinds, fc.double({ min: 0, max: 1, noNaN: true }), (whole, part) => {
        // A decoder can show the first pixels of an image that is cut off later.
        const header = { 0xff: whole.length - 3, 0x47: 19 }[whole[0] ?? 0] ?? whole.length - 1;
        expect(inspectImage(whole.subarray(0, Math.floor(header * part))).type).toBe('refused');
      }),
    );
  });

  it('never cause an exception', () => {
    const starts = fc.constantFrom(png(), jpeg(), gif(), webp('VP8L'), Buffer.alloc(0));
    const damage = fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 5 });
    fc.assert(
      fc.property(starts, damage, fc.uint8Array({ maxLength: 40 }), (whole, changes, more) => {
        const bytes = Buffer.concat([whole, more]);
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        expect(['image', 'refused']).toContain(inspectImage(bytes).type);
      }),
    );
  });

  const [IHDR, IDAT, IEND] = [png().subarray(8, 33), png().subarray(33, -12), png().subarray(-12)];
  const magic = png().subarray(0, 8);
  const flipped = Buffer.from(png());
  flipped[20] = 7;
  it.each<[string, Uint8Array, object]>([
    ['nothing', Buffer.alloc(0), { type: 'refused', reason: 'it is empty' }],
    ['a text', Buffer.from('hello'), { type: 'refused', reason: 'it is not a PNG, JPEG, GIF or WebP image' }],
    ['a BMP', Buffer.from('BM1234567890'), { type: 'refused', reason: 'it is not a PNG, JPEG, GIF or WebP image' }],
    [
      'an SVG',
      Buffer.from('\ufeff<?xml version="1.0"?><svg/>'),
      { type: 'refused', reason: 'it is an SVG; only PNG, JPEG, GIF and WebP images can be sent' },
    ],
    ['a PNG with another checksum', flipped, DAMAGED],
    ['a PNG without pixels', Buffer.concat([magic, IHDR, IEND]), DAMAGED],
    ['a PNG that begins with pixels', Buffer.concat([magic, IDAT, IHDR, IEND]), DAMAGED],
    ['a PNG without its end', Buffer.concat([magic, IHDR, IDAT]), CUT_OFF],
    [
      'a PNG with a comment that has another checksum',
      Buffer.concat([magic, IHDR, pngChunk('tEXt', Buffer.from('a\0b')).fill(0, 11), IDAT, IEND]),
      { type: 'image', mediaType: 'image/png', width: 1, height: 1 },
    ],
    ['a JPEG of no height', jpeg(3, 0), { type: 'refused', reason: 'it has no pixels (3 × 0)' }],
    ['a JPEG without a frame', jpeg().fill(0xfe, 10, 11), DAMAGED],
    ['a GIF of no size', gif(0, 0), { type: 'refused', reason: 'it has no pixels (0 × 0)' }],
    ['a WebP of an unknown kind', webp('VP8 ').fill('VP9 ', 12, 16), DAMAGED],
    [
      'too many pixels',
      png(20_000, 20_000),
      { type: 'refused', reason: 'it has 20000 × 20000 pixels, more than the 100000000 that are allowed' },
    ],
    [
      'too many bytes',
      Buffer.alloc(IMAGE_LIMITS.bytes + 1),
      { type: 'refused', reason: 'it has 20971521 bytes, more than the 20971520 that are allowed' },
    ],
  ])('are %s', (_name, bytes, expected) => {
    expect(inspectImage(bytes)).toEqual(expected);
  });
});

describe('the URL of an image', () => {
  it.each<[string, string, object]>([
    ['at another server', 'https://example.com/a.png', { type: 'remote' }],
    ['in the URL', dataUrl(png(2, 3)), { type: 'image', mediaType: 'image/png', width: 2, height: 3 }],
    ['under a wrong name', dataUrl(gif(2, 3)), { type: 'image', mediaType: 'image/gif', width: 2, height: 3 }],
    [
      'with parameters',
      dataUrl(png(), 'image/png;name=a.png'),
      { type: 'image', mediaType: 'image/png', width: 1, height: 1 },
    ],
    ['without a scheme', 'a.png', { type: 'refused', reason: 'its address is neither a data: nor an https: URL' }],
    ['in a file', 'file:///a.png', { type: 'refused', reason: 'its address is neither a data: nor an https: URL' }],
    ['of no data', 'data:image/png;base64', CUT_OFF],
    ['of empty data', 'data:image/png;base64,', { type: 'refused', reason: 'it is empty' }],
    ['in percent signs', 'data:image/png,%89PNG', { type: 'refused', reason: 'its data is not base64' }],
    ['in other letters', 'data:image/png;base64,***', { type: 'refused', reason: 'its data is not base64' }],
    [
      'of an SVG',
      'data:image/svg+xml,<svg/>',
      { type: 'refused', reason: 'it is an SVG; only PNG, JPEG, GIF and WebP images can be sent' },
    ],
    [
      'of too many bytes',
      `data:image/png;base64,${'A'.repeat(28_000_000)}`,
      { type: 'refused', reason: 'it has 21000000 bytes, more than the 20971520 that are allowed' },
    ],
  ])('is %s', (_name, url, expected) => {
    expect(inspectImageUrl(url)).toEqual(expected);
  });
});
