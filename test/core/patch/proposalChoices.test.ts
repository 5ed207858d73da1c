import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { applyHunks, hunksFrom, rebaseHunks } from '../../../src/core/patch/hunkAlgebra.ts';
import {
  carryReview,
  rebaseChange,
  reviewedChanges,
  reviewProblem,
  textAfter,
  textBefore,
  textWithout,
} from '../../../src/core/patch/proposalChoices.ts';
import { fileDiff } from '../../../src/core/patch/unifiedDiff.ts';
import type { FileChange, ProposedFile } from '../../../src/core/ports.ts';
import { rounds } from '../../support/rounds.ts';

const line = fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'd\n', '}\n', 'e\rf\n');
const text = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom('', 'end', 'end\r'))
  .map(([lines, end]) => lines.join('') + end);

/** Two texts that differ in few places, far enough apart for several hunks. */
const sides = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.array(line, { maxLength: 3 })), { maxLength: 4 }))
  .map(([before, edits]) => {
    const lines = before.split(/(?<=\n)/);
    for (const [at, removed, added] of edits) lines.splice(at % (lines.length + 1), removed, ...added);
    return { before, after: lines.join('') };
  });

function update(before: string, after: string, name = 'a.txt'): ProposedFile {
  const hunks = hunksFrom(before, after);
  return proposed({ kind: 'update', path: `/w/${name}`, before, after, hunks, movedTo: null, movedOver: null }, name);
}

function proposed(change: FileChange, name: string): ProposedFile {
  return { name, change, hunks: fileDiff(change, '/w').hunks };
}

const long = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);
const edited = long.with(1, 'TWO\n').with(14, 'FIFTEEN\n').with(28, 'TWENTY-NINE\n').join('');
const three = update(long.join(''), edited);

describe('any part of the hunks', () => {
  test('gives the text with the other hunks undone; all of them are the plan, none is the old text', () => {
    fc.assert(
      fc.property(sides, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), ({ before, after }, coins) => {
        fc.pre(before !== after);
        const file = update(before, after);
        const all = [...file.hunks.keys()];
        const leftOut = all.filter((index) => coins[index % coins.length]);
        assert.equal(textWithout(file, []), after);
        assert.equal(textWithout(file, all), before);
        assert.deepEqual(reviewedChanges([file], [{ path: 'a.txt', leftOut: all }]), []);

        const without = textWithout(file, leftOut);
        const byTakingBack = textWithout(
          {
            ...file,
            change: { ...file.change, before: after, after: before } as FileChange,
            hunks: file.hunks.map(turned),
          },
          all.filter((index) => !leftOut.includes(index)),
        );
        assert.equal(without, byTakingBack);
        if (leftOut.length === 0) return;
        for (const change of reviewedChanges([file], [{ path: 'a.txt', leftOut }])) {
          assert.ok(change.kind === 'update');
          assert.equal(change.after, without);
          assert.equal(applyHunks(before, change.hunks), without);
        }
      }),
      { numRuns: rounds(200, 5000) },
    );
  });

  test('keeps the move of a moved file', () => {
    const moved = { ...three, change: { ...three.change, movedTo: '/w/b.txt' } as FileChange };
    const [left, ...others] = reviewedChanges([moved], [{ path: 'a.txt', leftOut: [0, 1, 2] }]);
    assert.ok(left?.kind === 'update');
    assert.deepEqual([left.movedTo, left.after, left.hunks, others], ['/w/b.txt', long.join(''), [], []]);
  });
});

function turned({ before, after }: ProposedFile['hunks'][number]) {
  return { before: after, after: before };
}

describe('the choices of a review', () => {
  const added = proposed({ kind: 'add', path: '/w/new.txt', text: 'n\n', before: null }, 'new.txt');
  const deleted = proposed({ kind: 'delete', path: '/w/old.txt', before: 'o\n' }, 'old.txt');
  const all = [three, added, deleted];

  test('leave out files, and replace the proposed text by the user’s', () => {
    const changes = reviewedChanges(all, [
      { path: 'new.txt', text: 'mine\n' },
      { path: 'old.txt', leftOut: 'file' },
    ]);
    assert.deepEqual(changes, [three.change, { ...added.change, text: 'mine\n' }]);
    assert.deepEqual(
      reviewedChanges(
        [added, deleted],
        [
          { path: 'new.txt', leftOut: [0] },
          { path: 'old.txt', leftOut: [0] },
        ],
      ),
      [],
    );
  });

  test.each([
    ['another file', [{ path: 'b.txt', text: '' }], 'The patch does not touch b.txt.'],
    ['a path that leads out', [{ path: '../a.txt', text: '' }], 'The patch does not touch ../a.txt.'],
    [
      'one file twice',
      [
        { path: 'a.txt', text: '' },
        { path: 'a.txt', leftOut: 'file' as const },
      ],
      'a.txt is named twice.',
    ],
    ['a hunk that is not there', [{ path: 'a.txt', leftOut: [1, 3] }], 'a.txt has no hunk 3: there are 3.'],
    ['the text of what goes', [{ path: 'old.txt', text: '' }], 'old.txt would be deleted and cannot get another text.'],
    [
      'what is there',
      [
        { path: 'a.txt', leftOut: [2] },
        { path: 'new.txt', text: '' },
      ],
      undefined,
    ],
  ])('of %s is distinguished', (_name, review, problem) => {
    assert.equal(reviewProblem(review, all), problem);
  });
});

describe('choices, when the file has changed', () => {
  test('stay with their hunks; those about removed lines must be made again', () => {
    const review = [{ path: 'a.txt', leftOut: [0, 2] }];
    const above = `new\n${long.join('')}`;
    assert.deepEqual(carryReview(review, [three], [update(above, `new\n${edited}`)]), review);
    const twoDone = long.with(1, 'two\n');
    const fewer = update(twoDone.join(''), twoDone.with(14, 'FIFTEEN\n').with(28, 'TWENTY-NINE\n').join(''));
    assert.deepEqual(carryReview(review, [three], [fewer]), [{ path: 'a.txt', leftOut: [1] }]);
    assert.equal(carryReview([{ path: 'a.txt', leftOut: [0] }], [three], [fewer]), undefined);
    const reasons = [
      { hunk: 0, text: 'gone' },
      { hunk: 2, text: 'stays' },
      { hunk: null, text: 'all' },
    ];
    assert.deepEqual(carryReview([{ path: 'a.txt', leftOut: [0, 2], reasons }], [three], [fewer]), [
      {
        path: 'a.txt',
        leftOut: [1],
        reasons: [
          { hunk: 1, text: 'stays' },
          { hunk: null, text: 'all' },
        ],
      },
    ]);
  });

  test('are about one of several equal hunks, and are dropped where the file is added now', () => {
    const equal = update(long.join(''), long.with(1, 'X\nline 2\n').with(14, 'X\nline 15\n').join(''));
    const review = [{ path: 'a.txt', leftOut: [1] }];
    assert.deepEqual(carryReview(review, [equal], [equal]), review);
    const added = proposed({ kind: 'add', path: '/w/a.txt', text: edited, before: null }, 'a.txt');
    assert.equal(carryReview([{ path: 'a.txt', leftOut: 'file' }], [three], [added]), undefined);
  });

  test('as a text are mapped where no other edit touches the same lines', () => {
    const review = [{ path: 'a.txt', text: edited.replace('FIFTEEN', 'mine') }];
    const now = update(`new\n${long.join('')}`, `new\n${edited}`);
    assert.deepEqual(carryReview(review, [three], [now]), [
      { path: 'a.txt', text: `new\n${edited.replace('FIFTEEN', 'mine')}` },
    ]);
    const clash = update(long.join('').replace('line 15', 'theirs'), edited);
    assert.equal(carryReview(review, [three], [clash]), undefined);
  });

  test('are applied beside other edits, as the same change, or not at all', () => {
    fc.assert(
      fc.property(sides, text, ({ before, after }, now) => {
        fc.pre(before !== after);
        const { change } = update(before, after);
        assert.ok(change.kind === 'update');
        const rebased = rebaseChange(change, { type: 'text', text: now });
        const hunks = rebaseHunks(change.hunks, before, now);
        assert.equal(rebased && textAfter(rebased), hunks && applyHunks(now, hunks));
        assert.equal(rebased && textBefore(rebased), hunks && now);
      }),
    );
    const add: FileChange = { kind: 'add', path: '/w/n', text: 'n\n', before: null };
    assert.equal(rebaseChange(add, { type: 'missing' }), add);
    assert.equal(rebaseChange(add, { type: 'text', text: '' }), undefined);
    assert.equal(rebaseChange(add, { type: 'directory' }), undefined);
    const moved: FileChange = { ...three.change, movedTo: '/w/b.txt' } as FileChange;
    const found = { type: 'text', text: long.join('') } as const;
    assert.deepEqual(rebaseChange(moved, found, { type: 'missing' }), moved);
    assert.equal(rebaseChange(moved, found, { type: 'text', text: 'theirs\n' }), undefined);
    const remove: FileChange = { kind: 'delete', path: '/w/n', before: 'n\n' };
    assert.equal(rebaseChange(remove, { type: 'text', text: 'n\n' }), remove);
    assert.equal(rebaseChange(remove, { type: 'missing' }), undefined);
  });
});
