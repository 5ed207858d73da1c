import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { movedLines } from '../../../src/core/util/textEdit.ts';
import { randomOf } from '../../support/random.ts';

const edit = (startLine: number, startCharacter: number, endLine: number, endCharacter: number, text: string) => ({
  startLine,
  startCharacter,
  endLine,
  endCharacter,
  text,
});

describe('lines', () => {
  it.each([
    ['a line typed above', edit(0, 3, 0, 3, '\nnew'), 4, 5, false],
    ['whole lines inserted right above', edit(2, 0, 2, 0, 'a\nb\n'), 5, 6, false],
    ['whole lines removed above', edit(0, 0, 2, 0, ''), 1, 2, false],
    ['an edit below', edit(4, 0, 4, 0, 'x\n'), 3, 4, false],
    ['a letter in them', edit(2, 1, 2, 1, 'x'), 3, 4, true],
    ['a line broken in them', edit(2, 1, 2, 1, '\n'), 3, 5, true],
    ['one of them removed', edit(2, 0, 3, 0, ''), 3, 3, true],
    ['all of them removed', edit(2, 0, 4, 0, ''), 3, 3, true],
    ['everything replaced', edit(0, 0, 6, 0, 'x'), 1, 1, true],
    ['a line inserted at their begin', edit(2, 0, 2, 0, 'a\n'), 4, 5, false],
    ['lines added in them', edit(2, 2, 2, 2, '\n\n'), 3, 6, true],
    ['the line break above them removed', edit(1, 5, 2, 0, ''), 2, 3, true],
    ['all lines around them removed', edit(1, 1, 6, 0, ''), 2, 2, true],
  ])('move with %s', (_name, one, first, last, isTouched) => {
    expect(movedLines({ first: 3, last: 4 }, [one])).toEqual({ lines: { first, last }, isTouched });
  });

  it('move with several edits at the same time, and stay lines of the text', () => {
    const edits = [edit(0, 0, 0, 0, 'a\n'), edit(5, 0, 6, 0, ''), edit(1, 0, 2, 0, '')];
    expect(movedLines({ first: 3, last: 4 }, edits)).toEqual({ lines: { first: 3, last: 4 }, isTouched: false });
    const anyEdit = fc
      .tuple(fc.nat(20), fc.nat(3), fc.nat(20), fc.nat(3), fc.constantFrom('', 'x', '\n', 'a\nb\n'))
      .map(([start, from, length, to, text]) => edit(start, from, start + length, to, text));
    fc.assert(
      fc.property(fc.nat(20), fc.nat(5), anyEdit, (first, more, one) => {
        const { lines } = movedLines({ first: first + 1, last: first + 1 + more }, [one]);
        expect(lines.first).toBeGreaterThan(0);
        expect(lines.last).toBeGreaterThanOrEqual(lines.first);
      }),
    );
  });

  it('stay lines that the text has, whatever is edited', () => {
    const random = randomOf('lines that follow edits');
    for (let round = 0; round < 300; round++) {
      let count = 1 + random.below(12);
      let lines = { first: 1 + random.below(count), last: count };
      for (let step = 0; step < 6; step++) {
        const startLine = random.below(count);
        const endLine = startLine + random.below(count - startLine);
        const added = random.below(4);
        const one = edit(startLine, random.below(2), endLine, random.below(2), '\n'.repeat(added));
        ({ lines } = movedLines(lines, [one]));
        count += added - (endLine - startLine);
        expect(lines.first).toBeGreaterThanOrEqual(1);
        expect(lines.last).toBeGreaterThanOrEqual(lines.first);
        expect(lines.last).toBeLessThanOrEqual(count);
      }
    }
  });
});
