import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mentionQueryAt, mentionRanges, unusedName } from '../../src/protocol/text/mentionTokens.ts';

describe('the word at the caret', () => {
  it.each([
    ['@', 1, { start: 0, query: '' }],
    ['look at @src/a', 14, { start: 8, query: 'src/a' }],
    ['look at @src/a now', 11, { start: 8, query: 'sr' }],
    ['(@a', 3, { start: 1, query: 'a' }],
    ['line\n@b', 7, { start: 5, query: 'b' }],
    ['mail me@example.com', 19, undefined],
    ['@a b', 4, undefined],
    ['none', 4, undefined],
  ])('of %j at %i', (text, caret, expected) => {
    expect(mentionQueryAt(text, caret)).toEqual(expected);
  });
});

describe('the mentions in a text', () => {
  const names = (text: string, ...known: string[]) => mentionRanges(text, known).map(({ name }) => name);

  it('are the names that it has, to their end', () => {
    expect(names('See @a.ts, @a.tsx and @a.ts.', 'a.ts')).toEqual(['a.ts', 'a.ts']);
    expect(names('@src/ and @src/b', 'src', 'src/')).toEqual(['src/']);
    expect(names('x@a.ts', 'a.ts')).toEqual([]);
    expect(names('@my notes.md!', 'my notes.md')).toEqual(['my notes.md']);
  });

  it('are the longest of several', () => {
    expect(names('@a.ts:10-20 @a.ts', 'a.ts', 'a.ts:10-20')).toEqual(['a.ts:10-20', 'a.ts']);
  });

  it('do not overlap, and stand where they say', () => {
    const text = fc.string({ unit: fc.constantFrom('@', 'a', 'b', '.', ' ', '/', '\n', '('), maxLength: 30 });
    fc.assert(
      fc.property(
        text,
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '.', '/', ' '), maxLength: 4 })),
        (said, known) => {
          let end = 0;
          for (const range of mentionRanges(said, known)) {
            expect(range.start).toBeGreaterThanOrEqual(end);
            expect(said.slice(range.start, range.end)).toBe(`@${range.name}`);
            expect(known).toContain(range.name);
            end = range.end;
          }
        },
      ),
    );
  });
});

it('a name is the first that is not taken, or has a number', () => {
  expect(unusedName(['a', 'a (b)'], new Set())).toBe('a');
  expect(unusedName(['a', 'a (b)'], new Set(['a']))).toBe('a (b)');
  expect(unusedName(['a', 'a (b)'], new Set(['a', 'a (b)', 'a 2']))).toBe('a 3');
});
