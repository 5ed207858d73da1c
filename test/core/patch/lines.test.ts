/** Lines of a text, compared without copies. */
import { expect, test } from 'vitest';
import { areLinesAt, textLines } from '../../../src/core/patch/lines.ts';

test.each([
  ['abcd', 0, ['abc'], false],
  ['abc', 0, ['abc'], true],
  ['abc\n', 0, ['abc'], true],
  ['one\nabcd', 1, ['abc'], false],
  ['one\r\nabcde', 1, ['abc'], false],
  ['one\r\nabc', 0, ['one', 'abc'], true],
  ['one\nabc', 0, ['one', 'abc'], true],
  ['a\r', 0, ['a\r'], false],
  ['one\nabc', 1, ['abc', ''], false],
] as const)('of the text %j the lines from %i are %j: %s', (text, index, wanted, are) => {
  expect(areLinesAt(textLines(text), index, wanted)).toBe(are);
});
