import { describe, expect, it } from 'vitest';
import { type LineEdit, trackLines } from '../../../src/core/util/trackLines.ts';
import { randomOf } from '../../support/random.ts';

describe('lines that are tracked', () => {
  const at = (startLine: number, endLine: number, endCharacter: number, text: string): LineEdit => {
    return { startLine, endLine, endCharacter, text };
  };
  const place = { first: 4, last: 5 };

  it.each([
    ['moves with lines that are inserted above', at(0, 0, 0, 'a\nb\n'), { first: 6, last: 7 }],
    ['moves with a line that is inserted at its begin', at(3, 3, 0, 'a\n'), { first: 5, last: 6 }],
    ['moves with lines that are removed above', at(1, 3, 0, ''), { first: 2, last: 3 }],
    ['stays when lines below change', at(5, 5, 0, 'a\nb'), place],
    ['stays when a line above changes', at(1, 1, 2, 'abc'), place],
    ['grows with lines inside', at(3, 3, 2, '\n\n'), { first: 4, last: 7 }],
    ['shrinks with lines inside, to one at least', at(3, 4, 1, ''), { first: 4, last: 4 }],
    ['is what is left when lines around it are removed', at(1, 7, 0, ''), { first: 2, last: 2 }],
  ])('%s', (_title, edit, expected) => {
    expect(trackLines(place, edit)).toEqual(expected);
  });

  it('has at least one line that the document has, whatever is edited', () => {
    const random = randomOf('lines that are tracked');
    for (let round = 0; round < 300; round++) {
      let count = 1 + random.below(12);
      let lines = { first: 1 + random.below(count), last: count };
      for (let step = 0; step < 6; step++) {
        const startLine = random.below(count);
        const endLine = startLine + random.below(count - startLine);
        const added = random.below(4);
        lines = trackLines(lines, at(startLine, endLine, random.below(2), '\n'.repeat(added)));
        count += added - (endLine - startLine);
        expect(lines.first).toBeGreaterThanOrEqual(1);
        expect(lines.last).toBeGreaterThanOrEqual(lines.first);
        expect(lines.last).toBeLessThanOrEqual(count);
      }
    }
  });
});
