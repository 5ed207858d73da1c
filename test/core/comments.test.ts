import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commentsText, overlap, patchedLines, QUOTE_BUDGET } from '../../src/core/comments/commentsText.ts';
import { movedLines } from '../../src/core/comments/movedLines.ts';

const edit = (startLine: number, startCharacter: number, endLine: number, endCharacter: number, text: string) => ({
  startLine,
  startCharacter,
  endLine,
  endCharacter,
  text,
});

describe('commented lines', () => {
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
});

describe('comments as a message', () => {
  const about = { path: 'a.ts', lines: { first: 2, last: 3 }, quote: 'two\n three', isProposed: false };

  it('have place, lines and words, in the order of the files', () => {
    const texts = ['Why twice?', 'And here?'];
    const comments = [
      { ...about, path: 'b.ts', lines: { first: 1, last: 1 }, quote: '', isProposed: true, texts: ['Gone.'] },
      { ...about, texts },
    ];
    expect(commentsText(comments, 'My comments:')).toBe(
      'My comments:\n\na.ts:2-3\n> two\n>  three\nWhy twice?\nAnd here?\n\nb.ts:1 (in the proposed patch)\nGone.',
    );
  });

  it('have no more quotes than the budget allows', () => {
    const comments = Array.from({ length: 40 }, (_, at) => ({
      ...about,
      lines: { first: at + 1, last: at + 1 },
      quote: 'x'.repeat(1_000),
      texts: [`number ${at}`],
    }));
    const text = commentsText(comments, 'My comments:');
    expect(text.length).toBeLessThan(QUOTE_BUDGET + 40 * 30);
    expect(text.match(/^> /gm)).toHaveLength(16);
    expect(text).toContain('a.ts:40\nnumber 39');
  });
});

describe('the lines that a patch has changed', () => {
  const diff = [
    'diff --git a/src/a.ts b/src/a.ts',
    '--- a/src/a.ts',
    '+++ b/src/a.ts',
    '@@ -1,4 +1,5 @@',
    '+x',
    '@@ -20 +21,0 @@ function',
    '-y',
    'diff --git a/b.ts b/b.ts',
    '--- /dev/null',
    '+++ b/b.ts',
    '@@ -0,0 +1 @@',
    '+z',
    '',
  ].join('\n');

  it('are those of its hunks in the file', () => {
    expect(patchedLines(diff, 'src/a.ts')).toEqual([
      { first: 1, last: 5 },
      { first: 21, last: 21 },
    ]);
    expect(patchedLines(diff, 'b.ts')).toEqual([{ first: 1, last: 1 }]);
    expect(patchedLines(diff, 'a.ts')).toEqual([]);
    expect(overlap({ first: 5, last: 9 }, { first: 1, last: 5 })).toBe(true);
    expect(overlap({ first: 6, last: 9 }, { first: 1, last: 5 })).toBe(false);
  });
});
