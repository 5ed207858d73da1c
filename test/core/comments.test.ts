import { describe, expect, it } from 'vitest';
import { commentsText, overlap, patchedLines, QUOTE_BUDGET } from '../../src/core/comments/commentsText.ts';

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
