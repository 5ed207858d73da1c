import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeeker } from '../../../src/core/patch/seek.ts';
import { plain, trim, trimEnd } from '../../../src/core/patch/whitespace.ts';

const find = (lines: string[], pattern: string[], from = 0, atEnd = false) =>
  createSeeker(lines).find(pattern, from, atEnd);

describe('find', () => {
  it('prefers the stricter comparison to the earlier place', () => {
    expect(find(['  a', 'a  ', 'a'], ['a'])).toBe(2);
    expect(find(['  a', 'a  '], ['a'])).toBe(1);
    expect(find(['\u2014', '  - '], ['-'])).toBe(1);
    expect(find(['x', ' \u2014\u00a0\u201cy\u201d'], ['- "y"'])).toBe(1);
  });

  it('ignores the same blanks as the reference', () => {
    expect(find(['\u0085a\u0085'], ['a'])).toBe(0);
    expect(find(['\ufeffa'], ['a'])).toBeUndefined();
    expect(find(['a\u200b'], ['a'])).toBeUndefined();
  });

  it('searches only at the end when requested, and not above the start', () => {
    expect(find(['a', 'b', 'a'], ['a'], 0, true)).toBe(2);
    expect(find(['a', 'b'], ['a'], 0, true)).toBeUndefined();
    expect(find(['a', 'b'], ['a', 'b'], 1, true)).toBeUndefined();
  });

  it('finds an empty pattern at the start, and a pattern longer than the text nowhere', () => {
    expect(find(['a'], [], 1)).toBe(1);
    expect(find(['a'], ['a', 'a'])).toBeUndefined();
  });

  it('finds the same place when repeated, and the same as a simple search', () => {
    const line = fc.constantFrom('a', ' a', 'a ', '-', '\u2014', '');
    const searches = fc.array(fc.tuple(fc.array(line, { minLength: 1, maxLength: 3 }), fc.nat(12)), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), searches, (lines, wanted) => {
        const seeker = createSeeker(lines);
        for (const [pattern, from] of wanted) {
          expect(seeker.find(pattern, from, false)).toBe(walk(lines, pattern, from));
        }
      }),
    );
  });
});

/** docs/reference/codex-behaviour.md §1.3 step 4, literally. */
function walk(lines: readonly string[], pattern: readonly string[], from: number): number | undefined {
  for (const fold of [(line: string) => line, trimEnd, trim, plain]) {
    for (let at = from; at + pattern.length <= lines.length; at++) {
      if (pattern.every((line, offset) => fold(line) === fold(lines[at + offset] ?? ''))) return at;
    }
  }
  return undefined;
}
