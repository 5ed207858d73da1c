import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excessOf, parseJson } from '../../../src/core/util/json.ts';
import { jsonLine } from '../../../src/core/util/jsonPieces.ts';
import { TextPieces } from '../../../src/core/util/textPieces.ts';

const LONG = 'a"\\\n\u{1f33b}'.repeat(300_000);

function piecesOf(line: string | Iterable<string>): readonly string[] {
  return typeof line === 'string' ? [line] : [...line];
}

test('a line of JSON in pieces has the same content', () => {
  const line = (value: unknown) => piecesOf(jsonLine(value, '> ')).join('');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(line(value)).toBe(`> ${JSON.stringify(value)}\n`);
    }),
  );
  const value = { a: [LONG, null, undefined, { b: LONG, c: undefined }], d: 1, e: `${LONG}!` };
  const pieces = piecesOf(jsonLine(value));
  expect(pieces.length).toBeGreaterThan(3);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(3_000_000);
  expect(JSON.parse(pieces.join(''))).toEqual(JSON.parse(JSON.stringify(value)));
  expect(pieces.join('').endsWith('}\n')).toBe(true);
});

test('pieces of a text add up to the text', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 3000 }), (pieces) => {
      const text = new TextPieces();
      expect(text.isEmpty).toBe(true);
      for (const piece of pieces) text.add(piece);
      expect(text.isEmpty).toBe(pieces.length === 0);
      expect(text.take()).toBe(pieces.join(''));
      expect(text.isEmpty).toBe(true);
    }),
  );
});

test('a text of millions of short pieces is held in few', () => {
  const text = new TextPieces();
  for (let index = 0; index < 1024; index++) text.add('ab');
  // All of them are joined, and none is left over.
  expect(text.isEmpty).toBe(false);
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 4_000_000; index++) text.add('a');
  // One by one they would take 32 MB; joined they are 4 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(24_000_000);
  expect(text.take()).toHaveLength(4_002_048);
});

test('JSON of more than a million values is refused; commas and braces in texts are not counted as values', () => {
  const many = `[${'0,'.repeat(1_000_001)}0]`;
  expect(excessOf(many)).toBe('has too many values');
  expect(parseJson(many)).toBeUndefined();
  const few = `[${'0,'.repeat(999_998)}0]`;
  expect(excessOf(few)).toBeUndefined();
  expect(parseJson(JSON.stringify([LONG, ',{['.repeat(2_000_000)]))).toBeDefined();
  expect(parseJson('{')).toBeUndefined();
});
