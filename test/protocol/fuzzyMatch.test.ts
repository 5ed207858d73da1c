import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuzzyMatch } from '../../src/protocol/text/fuzzyMatch.ts';

/** The texts that match, the best first. */
function ranked(query: string, ...texts: string[]): readonly string[] {
  const found = texts.flatMap((text) => {
    const match = fuzzyMatch(query, text);
    return match === undefined ? [] : [{ text, score: match.score }];
  });
  return found.toSorted((one, two) => two.score - one.score).map(({ text }) => text);
}

const marked = (query: string, text: string) =>
  fuzzyMatch(query, text)
    ?.positions.map((at) => text[at])
    .join('');

describe('a fuzzy match', () => {
  it('counts the name of a file more than its folders, its start more than its middle', () => {
    expect(
      ranked('session', 'session/other.ts', 'src/mySession.ts', 'src/sessionOptions.ts', 'src/session.ts'),
    ).toEqual(['src/session.ts', 'src/sessionOptions.ts', 'src/mySession.ts', 'session/other.ts']);
  });

  it('finds a file by the starts of its words, and by its folders', () => {
    expect(ranked('tp', 'src/turnPlan.ts', 'src/tap.ts')).toEqual(['src/turnPlan.ts', 'src/tap.ts']);
    expect(fuzzyMatch('tp', 'src/turnPlan.ts')?.positions).toEqual([4, 8]);
    expect(ranked('core/turn', 'src/core/turn.ts', 'src/node/turn.ts')).toEqual(['src/core/turn.ts']);
    expect(ranked('sct', 'src/core/turn.ts', 'abc')).toEqual(['src/core/turn.ts']);
  });

  it('puts a short path before a long one with the same name', () => {
    expect(ranked('index.ts', 'a/very/long/way/index.ts', 'a/index.ts')).toEqual([
      'a/index.ts',
      'a/very/long/way/index.ts',
    ]);
  });

  it('takes the slash of a folder as a part of its name', () => {
    expect(ranked('core', 'src/core/a.ts', 'src/core/')).toEqual(['src/core/', 'src/core/a.ts']);
  });

  it('is there exactly where the characters occur in this order, and says where', () => {
    const character = fc.constantFrom('a', 'b', 'A', 'B', '/', '.', '_', '-', '1', 'é', ' ', 'ß', 'İ');
    const string = (maxLength: number) => fc.string({ unit: character, maxLength });
    fc.assert(
      fc.property(string(4), string(14), (query, text) => {
        const fold = (one: string) => (one.toLowerCase().length === 1 ? one.toLowerCase() : one);
        let left = query.split('').map(fold);
        for (const one of text) if (fold(one) === left[0]) left = left.slice(1);
        const match = fuzzyMatch(query, text);
        expect(match !== undefined).toBe(left.length === 0);
        if (match === undefined) return;
        const { positions } = match;
        expect(positions).toEqual([...new Set(positions)].toSorted((one, two) => one - two));
        expect(positions.map((at) => fold(text[at] ?? '')).join('')).toBe(query.split('').map(fold).join(''));
      }),
    );
  });

  it('marks a part in one piece where there is one', () => {
    expect(marked('turn', 'src/t/u/r/n/turn.ts')).toBe('turn');
    expect(fuzzyMatch('turn', 'src/t/u/r/n/turn.ts')?.positions).toEqual([12, 13, 14, 15]);
  });
});
