import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { mergeTexts } from '../../../src/core/baseline/mergeTexts.ts';
import { baseAfter, type MergedText, mergeThree } from '../../../src/core/sideCopies/mergeThree.ts';

/** Lines that are all different, as in most code, so that a diff has one meaning. */
const base = fc.integer({ min: 0, max: 14 }).map((count) => Array.from({ length: count }, (_, at) => `line ${at}`));

/** Changes, insertions and deletions by one side. */
const edits = fc.array(
  fc.record({ at: fc.nat(14), what: fc.constantFrom('change', 'insert', 'delete'), word: fc.nat(3) }),
  { maxLength: 4 },
);
type Edits = typeof edits extends fc.Arbitrary<infer Value> ? Value : never;

const trio = fc.record({ base, home: edits, result: edits }).map((one) => ({
  base: textOf(one.base),
  home: textOf(edited(one.base, one.home, 'home')),
  result: textOf(edited(one.base, one.result, 'copy')),
}));

function edited(lines: readonly string[], all: Edits, by: string): readonly string[] {
  const pieces = lines.map((line) => [line]);
  for (const { at, what, word } of all) {
    const piece = pieces[at];
    if (piece === undefined) continue;
    // Both sides may write the same words.
    const text = word === 0 ? 'the same' : `${by} ${word}`;
    if (what === 'delete') piece.splice(0);
    else if (what === 'change') piece.splice(0, 1, text);
    else piece.push(text);
  }
  return pieces.flat();
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The workspace with some of the changes. */
function homeWith(home: string, { text, hunks }: MergedText, taken: ReadonlySet<number>): string {
  const [old, now] = [home, text].map((one) => one.split(/(?<=\n)/)) as [string[], string[]];
  let at = 0;
  const lines: string[] = [];
  for (const [index, hunk] of hunks.entries()) {
    if (!taken.has(index)) continue;
    lines.push(...old.slice(at, hunk.home.start), ...now.slice(hunk.merged.start, hunk.merged.end));
    at = hunk.home.end;
  }
  return [...lines, ...old.slice(at)].join('');
}

describe('a text of a side copy', () => {
  it('comes home whole where the workspace is as it was', () => {
    fc.assert(
      fc.property(trio, (one) => {
        const merged = mergeThree(one.base, one.base, one.result);
        assert.equal(merged.text, one.result);
        assert.ok(merged.hunks.every(({ state }) => state === 'clean'));
      }),
    );
  });

  it('changes nothing where the copy changed nothing, or where the workspace has the same already', () => {
    fc.assert(
      fc.property(trio, (one) => {
        assert.deepEqual(mergeThree(one.base, one.home, one.base), { text: one.home, hunks: [], known: [] });
        const again = mergeThree(one.base, one.result, one.result);
        assert.deepEqual([again.text, again.hunks], [one.result, []]);
      }),
    );
  });

  it('is merged as an undo merges, and is a conflict only where that merges nothing', () => {
    fc.assert(
      fc.property(trio, (one) => {
        const merged = mergeThree(one.base, one.home, one.result);
        const expected = mergeTexts(one.base, one.home, one.result);
        const isClean = merged.hunks.every(({ state }) => state === 'clean') && merged.known.length === 0;
        assert.equal(isClean, expected !== undefined);
        if (expected !== undefined) assert.equal(merged.text, expected);
      }),
    );
  });

  it('loses no line of the workspace while conflicts are left out', () => {
    fc.assert(
      fc.property(trio, (one) => {
        const merged = mergeThree(one.base, one.home, one.result);
        const clean = new Set([...merged.hunks.keys()].filter((index) => merged.hunks[index]?.state === 'clean'));
        const brought = homeWith(one.home, merged, clean);
        const own = one.home.split('\n').filter((line) => line.startsWith('home'));
        assert.deepEqual(
          brought.split('\n').filter((line) => line.startsWith('home')),
          own,
        );
      }),
    );
  });

  it('comes home in two parts as in one', () => {
    fc.assert(
      fc.property(trio, fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }), (one, firstHalf) => {
        const merged = mergeThree(one.base, one.home, one.result);
        fc.pre(merged.hunks.every(({ state }) => state === 'clean'));
        const taken = new Set([...merged.hunks.keys()].filter((index) => firstHalf[index]));
        const home = homeWith(one.home, merged, taken);
        const next = baseAfter(one.base, one.result, merged, taken);
        const second = mergeThree(next, home, one.result);
        assert.equal(second.text, merged.text);
        assert.equal(second.hunks.length, merged.hunks.length - taken.size);
      }),
    );
  });

  it('counts as home when all of it is taken', () => {
    fc.assert(
      fc.property(trio, (one) => {
        const merged = mergeThree(one.base, one.home, one.result);
        assert.equal(baseAfter(one.base, one.result, merged, new Set(merged.hunks.keys())), one.result);
        assert.equal(homeWith(one.home, merged, new Set(merged.hunks.keys())), merged.text);
      }),
    );
  });

  it('names the lines of a conflict in both texts', () => {
    const merged = mergeThree('a\nb\nc\nd\ne\n', 'a\nB of the user\nc\nd\ne\n', 'a\nB of the copy\nc\nd\nE\n');
    assert.deepEqual(merged, {
      text: 'a\nB of the copy\nc\nd\nE\n',
      hunks: [
        {
          state: 'conflict',
          base: { start: 1, end: 2 },
          home: { start: 1, end: 2 },
          result: { start: 1, end: 2 },
          merged: { start: 1, end: 2 },
        },
        {
          state: 'clean',
          base: { start: 4, end: 5 },
          home: { start: 4, end: 5 },
          result: { start: 4, end: 5 },
          merged: { start: 4, end: 5 },
        },
      ],
      known: [],
    });
  });
});
