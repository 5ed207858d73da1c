import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import {
  applyHunks,
  hunksFrom,
  hunksTakingBack,
  invertHunks,
  rebaseHunks,
} from '../../../src/core/patch/hunkAlgebra.ts';

const line = fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'd\n');
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('', 'end'))
  .map(([lines, end]) => lines.join('') + end);

describe('hunks between two texts', () => {
  test('lead from one to the other and back', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = hunksFrom(before, after);
        assert.equal(applyHunks(before, hunks), after);
        assert.equal(applyHunks(after, invertHunks(before, hunks)), before);
      }),
    );
  });
});

describe('hunks mapped to a text that has changed', () => {
  const base = '1\n2\n3\n4\n5\n';
  const ours = hunksFrom(base, '1\n2\nthree\n4\n5\n');

  test('move with the lines around them', () => {
    const rebased = rebaseHunks(ours, base, '0\n1\n2\n3\n4\nfive\n');
    assert.equal(applyHunks('0\n1\n2\n3\n4\nfive\n', rebased ?? []), '0\n1\n2\nthree\n4\nfive\n');
  });

  test('stay beside a change of the neighbouring line', () => {
    const rebased = rebaseHunks(ours, base, '1\ntwo\n3\nfour\n5\n');
    assert.deepEqual(rebased, ours);
  });

  test.each([
    ['the same line was changed', ours, '1\n2\nTHREE\n4\n5\n'],
    ['the same line was removed', ours, '1\n2\n4\n5\n'],
    ['both insert at one place', hunksFrom(base, '1\nx\n2\n3\n4\n5\n'), '1\ny\n2\n3\n4\n5\n'],
    ['the line before an insertion lost its end', hunksFrom(base, `${base}6\n`), '1\n2\n3\n4\n5'],
  ])('do not exist when %s', (_name, hunks, now) => {
    assert.equal(rebaseHunks(hunks, base, now), undefined);
  });

  test('keep the edits of both, whichever is applied first', () => {
    fc.assert(
      fc.property(text, text, text, (origin, mine, theirs) => {
        const forward = rebaseHunks(hunksFrom(origin, mine), origin, theirs);
        const backward = rebaseHunks(hunksFrom(origin, theirs), origin, mine);
        fc.pre(forward !== undefined && backward !== undefined);
        assert.equal(applyHunks(theirs, forward), applyHunks(mine, backward));
      }),
    );
  });
});

describe('hunks undone in a text that was edited', () => {
  const before = '1\n2\n3\n4\n5\n';
  const after = 'one\n2\n3\n3a\n5\nsix\n';
  const hunks = hunksFrom(before, after);
  const left = (now: string) => {
    const remaining = hunksTakingBack(hunks, { before, after, now });
    return remaining && applyHunks(now, remaining);
  };

  test.each([
    ['nobody did anything', after, before],
    ['somebody wrote elsewhere', 'one\n2\nmine 3\n3a\n5\nsix\n', '1\n2\nmine 3\n4\n5\n'],
    ['one hunk was undone already', '1\n2\n3\n3a\n5\nsix\n', before],
    ['all were undone already, and something was written', '1\nmine\n2\n3\n4\n5\n', '1\nmine\n2\n3\n4\n5\n'],
  ])('when %s', (_name, now, expected) => {
    assert.equal(left(now), expected);
  });

  test.each([
    ['on a changed line', 'mine one\n2\n3\n3a\n5\nsix\n'],
    ['on an added line, with the other hunks undone', '1\n2\n3\n4\n5\nmine six\n'],
  ])('not after an edit %s', (_name, now) => {
    assert.equal(left(now), undefined);
  });

  test('and the rest has none of the agent’s edits and all of the user’s', () => {
    const who = fc.constantFrom('nobody', 'ours', 'ours, undone since', 'theirs');
    fc.assert(
      fc.property(fc.array(who, { maxLength: 20 }), (lines) => {
        const written = (...shown: string[]) =>
          lines.map((by, index) => (shown.includes(by) ? `${by} ${index}\n` : `${index}\n`)).join('');
        const origin = written();
        const applied = written('ours', 'ours, undone since');
        const now = written('ours', 'theirs');
        const texts = { before: origin, after: applied, now };
        const remaining = hunksTakingBack(hunksFrom(origin, applied), texts);
        // Neighbouring lines of ours are one hunk: partly undone, it has no defined content.
        fc.pre(remaining !== undefined);
        assert.equal(applyHunks(now, remaining), written('theirs'));
      }),
    );
  });
});
