import { expect, it } from 'vitest';
import { commentsAndTitles, countBanned, tooMany } from '../../scripts/lint/plainEnglish.mjs';

const source = `
/** Whoever asks is told. */
const url = 'https://nobody.example'; // the person decides
it('says that somebody waits', () => 'whoever');
/**
 * What it is.
 */
/** Whether it is. What it is not. */
// What a line says.
/** For the panel. */
export function shown(): void {}
class Panel {
  /** In lines. */
  get #height(): number {
    return 1;
  }
  /** In pixels. */
  readonly width: number;
}
`;

it('the gate for plain English reads comments and titles, and no other text', () => {
  const prose: string = commentsAndTitles(source);
  expect(prose.split('\n').map((line) => line.trim())).toEqual([
    '/** Whoever asks is told. */',
    '// the person decides',
    '/**',
    '* What it is.',
    '*/',
    '/** Whether it is. What it is not. */',
    '// What a line says.',
    '/** For the panel. */',
    '/** In lines. */',
    '/** In pixels. */',
    'says that somebody waits',
  ]);
});

it('the gate for plain English counts banned words, and fails only where there are more than before', () => {
  const counts = countBanned([source]);
  expect(counts).toMatchObject({
    'whoever, whatever': 1,
    'is told': 1,
    'the person': 1,
    'somebody, nobody, everybody': 1,
    'a doc comment that begins with What, Whether, How, Why, Where, Who, Of, Those, That, Says or Tells': 2,
    'a line comment that begins with What, Whether, How, Why, Where, Who, Of, Those or That': 1,
    'a doc comment of a function that begins with a preposition': 2,
  });
  expect(tooMany(counts, counts)).toEqual([]);
  expect(tooMany(counts, { ...counts, 'is told': 0 })).toEqual(['“is told”: 1, at most 0']);
});
