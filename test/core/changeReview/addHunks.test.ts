import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addHunks } from '../../../src/core/changeReview/addHunks.ts';
import { isConsistent, startReview, type TextReview } from '../../../src/core/changeReview/textReview.ts';

const shown = ({ hunks }: TextReview) =>
  hunks.map(({ start, end, baseStart, baseEnd }) => `${start}-${end} for ${baseStart}-${baseEnd}`);

test('a review gets the hunks of another one of the same text, but not where it has hunks itself', () => {
  const now = '1\ntwo\n3\n4\n5\n6\nseven\nand more\n8\nnine\n10\n';
  const mine = startReview('1\n2\n3\n4\n5\n6\nseven\nand more\n8\nnine\n10\n', now);
  const others = startReview('1\nII\n3\n4\n4a\n5\n6\n7\n8\n9\n10\n', now);
  const both = addHunks(mine, others);
  expect(both.base).toEqual('1\n2\n3\n4\n4a\n5\n6\n7\n8\n9\n10\n'.split('\n'));
  expect(shown(both)).toEqual(['1-2 for 1-2', '4-4 for 4-5', '6-8 for 7-8', '9-10 for 9-10']);
  expect(both.current).toEqual(mine.current);
  expect(new Set(both.hunks.map(({ id }) => id)).size).toBe(4);
  expect(addHunks(both, others)).toEqual(both);
});

test('a hunk of which the user has written stays one when it is added', () => {
  const now = 'one\n2\n3\n';
  const { hunks, ...others } = startReview('1\n2\n3\n', now);
  const touched = { ...others, hunks: hunks.map((hunk) => ({ ...hunk, touched: true })) };
  expect(addHunks(startReview(now, now), touched).hunks.map((hunk) => hunk.touched)).toEqual([true]);
});

test('hunks that are added lead back to one base, whatever the two reviews are', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 }).map((it) => it.join('\n'));
  fc.assert(
    fc.property(text, text, text, (one, other, now) => {
      const both = addHunks(startReview(one, now), startReview(other, now));
      expect(isConsistent(both)).toBe(true);
      expect(both.current.join('\n')).toBe(now);
    }),
  );
});
