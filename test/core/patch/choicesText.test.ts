import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { hunksFrom } from '../../../src/core/patch/hunkAlgebra.ts';
import { reviewedChanges, textAfter, textWithout } from '../../../src/core/patch/proposalChoices.ts';
import { hunkEdit, placeHunks, readReview, withEdit } from '../../../src/core/patch/choicesText.ts';
import { fileDiff } from '../../../src/core/patch/unifiedDiff.ts';
import type { FileChange, ProposedFile } from '../../../src/core/ports.ts';
import { rounds } from '../../support/rounds.ts';

function proposed(before: string, after: string): ProposedFile {
  const hunks = hunksFrom(before, after);
  const change: FileChange = { kind: 'update', path: '/w/a', before, after, hunks, movedTo: null, movedOver: null };
  return { name: 'a', change, hunks: fileDiff(change, '/w').hunks };
}

const line = fc.constantFrom('a\n', 'b\n', '}\n', '\n');
const file = fc
  .tuple(
    fc.array(line, { minLength: 10, maxLength: 60 }),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.array(line, { maxLength: 3 })), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', 'end'),
  )
  .map(([lines, edits, end]) => {
    const after = [...lines];
    for (const [at, removed, added] of edits) after.splice(at % (after.length + 1), removed, ...added);
    return proposed(lines.join('') + end, after.join('') + end);
  })
  .filter(({ change }) => change.kind === 'update' && change.before !== change.after);
const coins = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });

const long = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);
const three = proposed(long.join(''), long.with(1, 'TWO\n').with(14, 'FIFTEEN\n').with(28, 'LAST\n').join(''));
const states = (text: string) => placeHunks(three, text).map(({ state }) => state);

describe('a proposed text that the user edits', () => {
  test('is read as choices, as far as the edits are only choices', () => {
    fc.assert(
      fc.property(file, coins, (one, sides) => {
        const leftOut = [...one.hunks.keys()].filter((index) => sides[index % sides.length]);
        const text = textWithout(one, leftOut);
        const review = readReview(one, text);
        // Another choice may mean the same text: the text is what is applied.
        assert.ok(review === undefined || 'leftOut' in review);
        const [change] = review === undefined ? [one.change] : reviewedChanges([one], [review]);
        assert.equal(change?.kind === 'update' ? change.after : textWithout(one, one.hunks.keys()), text);
      }),
      { numRuns: rounds(200, 5000) },
    );
  });

  test('takes any hunk out and in again, in any order, and ends as the proposal', () => {
    fc.assert(
      fc.property(file, fc.array(fc.nat(), { maxLength: 6 }), (one, order) => {
        let text = one.change.kind === 'update' ? one.change.after : '';
        const whole = text;
        const toggle = (index: number, wanted: 'in' | 'out') => {
          const edit = hunkEdit(one, text, index, wanted);
          assert.ok(edit);
          text = withEdit(text, edit);
        };
        for (const number of order) toggle(number % one.hunks.length, 'out');
        const out = new Set(order.map((number) => number % one.hunks.length));
        assert.equal(text, textWithout(one, out));
        for (const index of one.hunks.keys()) toggle(index, 'in');
        assert.equal(text, whole);
      }),
      { numRuns: rounds(200, 5000) },
    );
  });

  test('has no choices where the file is to be deleted', () => {
    const change: FileChange = { kind: 'delete', path: '/w/a', before: 'one\n' };
    assert.equal(readReview({ name: 'a', change, hunks: fileDiff(change, '/w').hunks }, 'mine\n'), undefined);
  });

  test('finds its hunks, whatever was written between them', () => {
    const { change } = three;
    assert.ok(change.kind === 'update');
    assert.deepEqual(states(change.after), ['in', 'in', 'in']);
    assert.deepEqual(states(textWithout(three, [1])), ['in', 'out', 'in']);
    const mine = textWithout(three, [1]).replace('LAST', 'the end').replace('line 8\n', 'line 8\nmine\n');
    assert.deepEqual(states(mine), ['in', 'out', 'edited']);
    assert.deepEqual(
      placeHunks(three, mine).map(({ start }) => start),
      [1, 15, 29],
    );
    assert.deepEqual(readReview(three, mine), { path: 'a', text: mine });
    const longer = `${textWithout(three, [1])}more\n`;
    assert.deepEqual(readReview(three, longer), { path: 'a', text: longer });
    const above = textAfter(three.change).replace('FIFTEEN', 'mine\nFIFTEEN');
    assert.deepEqual(states(above), ['in', 'edited', 'in']);
    assert.deepEqual(
      placeHunks(three, above).map(({ start, end }) => [start, end]),
      [
        [1, 2],
        [14, 16],
        [29, 30],
      ],
    );
    const edit = hunkEdit(three, mine, 2, 'out');
    assert.ok(edit);
    const rest = withEdit(mine, edit);
    assert.deepEqual(states(rest), ['in', 'out', 'out']);
    assert.ok(rest.includes('line 8\nmine\n'));
  });
});
