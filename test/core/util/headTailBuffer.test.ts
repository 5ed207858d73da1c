import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeadTailBuffer } from '../../../src/core/util/headTailBuffer.ts';

/** The expected content of the buffer, computed from the whole text. */
function naive(text: string, limit: number) {
  const half = limit / 2;
  const rest = text.slice(half);
  const tail = rest.slice(Math.max(0, rest.length - half));
  return {
    head: text.slice(0, half),
    tail,
    omittedBytes: Buffer.byteLength(rest.slice(0, rest.length - tail.length)),
    lineBreaks: text.split('\n').length - 1,
  };
}

describe('a head and tail buffer', () => {
  it('keeps both ends and counts the bytes between, in whatever pieces the text arrives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '…') })),
        fc.integer({ min: 1, max: 8 }),
        (pieces, half) => {
          const buffer = new HeadTailBuffer(half * 2);
          for (const piece of pieces) buffer.append(piece);
          expect(buffer.read()).toEqual(naive(pieces.join(''), half * 2));
          expect(buffer.read()).toEqual(naive(pieces.join(''), half * 2));
        },
      ),
    );
  });

  it('can be read while it grows', () => {
    const buffer = new HeadTailBuffer(4);
    buffer.append('abcde');
    expect(buffer.read()).toEqual({ head: 'ab', tail: 'de', omittedBytes: 1, lineBreaks: 0 });
    buffer.append('fg');
    expect(buffer.read()).toEqual({ head: 'ab', tail: 'fg', omittedBytes: 3, lineBreaks: 0 });
  });

  it('needs the same memory for a long stream as for a short one', () => {
    const buffer = new HeadTailBuffer();
    const piece = `${'x'.repeat(65_535)}\n`;
    const before = process.memoryUsage().heapUsed;
    for (let written = 0; written < 4096; written++) buffer.append(piece);
    const { head, tail, omittedBytes, lineBreaks } = buffer.read();
    expect([head.length, tail.length]).toEqual([512 * 1024, 512 * 1024]);
    expect([omittedBytes, lineBreaks]).toEqual([255 * 1024 * 1024, 4096]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(128 * 1024 * 1024);
  });
});
