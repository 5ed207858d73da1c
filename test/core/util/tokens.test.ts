import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, estimateTokens, truncateMiddle } from '../../../src/core/util/tokens.ts';

const header = (tokens: number, lines: number) =>
  `Warning: output was cut in the middle (${tokens} tokens in all).\nTotal output lines: ${lines}\n\n`;

/** Characters of one to four bytes, lone surrogates included. */
const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '…', '💡', '\u{10ffff}'), maxLength: 400 });

describe('an estimate', () => {
  it('is a quarter of the bytes, rounded up', () => {
    expect(['', 'a', 'abcd', 'abcde', '💡'].map(estimateTokens)).toEqual([0, 1, 1, 2, 1]);
  });

  it('counts bytes as an encoder does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(byteLength(text)).toBe(Buffer.byteLength(text));
      }),
    );
    expect(byteLength('\ud83d')).toBe(3);
  });
});

describe('a cut in the middle', () => {
  it.each([
    ['a'.repeat(1001), 20, `${header(251, 1)}${'a'.repeat(40)}…231 tokens truncated…${'a'.repeat(40)}`],
    ['b'.repeat(21), 1, `${header(6, 1)}bb…5 tokens truncated…bb`],
    ['line\n'.repeat(4), 0, `${header(5, 4)}…5 tokens truncated…`],
    ['💡💡💡💡', 3, `${header(4, 1)}💡…2 tokens truncated…💡`],
  ])('of %j within %i tokens', (text, budget, cut) => {
    expect(truncateMiddle(text, budget)).toBe(cut);
  });

  it('changes no text that fits', () => {
    fc.assert(
      fc.property(text, fc.nat(20), (text, spare) => {
        expect(truncateMiddle(text, estimateTokens(text) + spare)).toBe(text);
      }),
    );
  });

  it('keeps both ends within the budget, with the number of missing tokens', () => {
    fc.assert(
      fc.property(text, fc.nat(60), (text, budget) => {
        const cut = truncateMiddle(text, budget);
        if (byteLength(text) <= budget * 4) return;
        const body = cut.slice(cut.indexOf('\n\n') + 2);
        const [, head = '', missing, tail = ''] = /^(.*)…(\d+) tokens truncated…(.*)$/s.exec(body) ?? [];
        expect(byteLength(head) + byteLength(tail)).toBeLessThanOrEqual(budget * 4);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(body).not.toContain('\ufffd');
        expect(Number(missing)).toBe(Math.ceil((byteLength(text) - byteLength(head) - byteLength(tail)) / 4));
        const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
        expect(cut).toContain(`Total output lines: ${lines}\n`);
      }),
    );
  });

  it('counts tokens that were dropped before', () => {
    expect(truncateMiddle({ head: 'aaaa', tail: 'zzzz', omittedBytes: 92, lineBreaks: 3 }, 10_000)).toBe(
      `${header(25, 4)}aaaa…23 tokens truncated…zzzz`,
    );
  });
});
