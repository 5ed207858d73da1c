import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { applyHunks, invertHunks } from '../../../src/core/patch/hunkAlgebra.ts';
import type { TextHunk } from '../../../src/core/ports.ts';
import { hunksWithout, keepHunks, unkeepHunks } from '../../../src/core/changeReview/decisions.ts';
import { applyEdits, type Author, becomeText } from '../../../src/core/changeReview/edits.ts';
import type { TextEdit } from '../../../src/core/util/textEdit.ts';
import {
  hunkAt,
  isConsistent,
  type ReviewHunk,
  startReview,
  type TextReview,
} from '../../../src/core/changeReview/textReview.ts';
import { rounds } from '../../support/rounds.ts';

const AUTHORS: readonly Author[] = ['agent', 'decision', 'history', 'user', 'agreed'];

const word = fc.constantFrom('a', 'b', 'c', '', 'long line');
const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((lines) => lines.join('\n'));

/** One random step; the numbers are taken modulo the number of choices. */
const happening = fc.oneof(
  fc.record({
    type: fc.constant('edit' as const),
    author: fc.constantFrom(...AUTHORS),
    from: fc.nat(),
    to: fc.nat(),
    text,
  }),
  fc.record({ type: fc.constant('become' as const), author: fc.constantFrom(...AUTHORS), text }),
  fc.record({ type: fc.constant('keep' as const), which: fc.nat() }),
  fc.record({ type: fc.constant('undo' as const), which: fc.nat() }),
  fc.record({ type: fc.constant('unkeep' as const), which: fc.nat() }),
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

/** The document of the user with its review. */
interface Story {
  readonly document: string;
  readonly review: TextReview;
}

describe('a text under review', () => {
  test('has hunks that lead back to its base, whatever the agent and the user do', () => {
    fc.assert(
      fc.property(text, text, fc.array(happening, { maxLength: 25 }), (before, after, happenings) => {
        let story: Story = { document: after, review: startReview(before, after) };
        for (const [step, what] of happenings.entries()) {
          story = goOn(story, what, step);
          assert.equal(story.review.current.join('\n'), story.document);
          assert.ok(isConsistent(story.review), 'the hunks do not lead back');
        }
        const all = new Set(story.review.hunks.map(({ id }) => id));
        assert.equal(all.size, story.review.hunks.length);
        assert.deepEqual(textOf(keepHunks(story.review, all, -1).base), story.document);
        assert.equal(textWithout(story.review, story.review.hunks, story.document), textOf(story.review.base));
      }),
      { numRuns: rounds(500, 15_000) },
    );
  });

  test('has no hunks once all were kept, and the same ones when that is reverted', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const review = startReview(before, after);
        const kept = keepHunks(review, new Set(review.hunks.map(({ id }) => id)), 1);
        assert.deepEqual([kept.hunks, textOf(kept.base)], [[], after]);
        const again = unkeepHunks(kept, 1);
        assert.ok(isConsistent(again));
        assert.deepEqual([textOf(again.base), again.kept], [before, []]);
      }),
    );
  });

  test('has no hunks once all were undone, and all of them when Ctrl+Z reverts that', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const review = startReview(before, after);
        const undone = undo(review, review.hunks, after);
        assert.deepEqual([undone.hunks, textOf(undone.base)], [[], before]);
        const again = applyEdits(undone, editsOf(redoing(review, after), before), 'history');
        assert.deepEqual([textOf(again.base), textOf(again.current)], [before, after]);
        assert.ok(isConsistent(again));
      }),
    );
  });
});

const BEFORE = '1\n2\n3\n4\n5\n6\n';
const AFTER = '1\ntwo\n3\n4\n6\n';
const typed = (startLine: number, startCharacter: number, words: string): TextEdit => ({
  ...{ startLine, startCharacter, endLine: startLine, endCharacter: startCharacter },
  text: words,
});

const deletion = (line: number): TextEdit => ({
  ...{ startLine: line, startCharacter: 0, endLine: line + 1, endCharacter: 0 },
  text: '',
});

describe('the owners of a hunk', () => {
  const owners = ({ hunks }: TextReview) => hunks.map((hunk) => hunk.owners);
  const patched = (line: number, text: string) => ({
    startLine: line,
    startCharacter: 0,
    endLine: line + 1,
    endCharacter: 0,
    text,
  });
  const one = applyEdits(startReview(BEFORE, BEFORE), [patched(1, 'two\n')], 'agent', 'one');

  test('are the threads whose patches have made it', () => {
    const both = applyEdits(one, [patched(4, 'five\n')], 'agent', 'other');
    assert.deepEqual(owners(both), [['one'], ['other']]);
    assert.deepEqual(owners(becomeText(both, 'nothing\n', 'agent', 'third')), [['one', 'other', 'third']]);
  });

  test('are several where patches meet', () => {
    assert.deepEqual(owners(applyEdits(one, [patched(2, 'three\n')], 'agent', 'other')), [['one', 'other']]);
  });

  test('stay when the user types in it, and are unknown of what a command has written', () => {
    const typedIn = applyEdits(one, [typed(1, 3, '!')], 'user', 'other');
    assert.deepEqual(owners(typedIn), [['one']]);
    assert.deepEqual(owners(applyEdits(one, [patched(4, 'five\n')], 'agent')), [['one'], undefined]);
  });
});

describe('text that the user types', () => {
  const review = startReview(BEFORE, AFTER);

  test('at several places at once is applied at each as it was before', () => {
    const replaced = { startLine: 1, startCharacter: 0, endLine: 1, endCharacter: 1, text: 'two' };
    for (const edits of [
      [typed(1, 0, 'x'), replaced],
      [replaced, typed(1, 0, 'x')],
    ]) {
      assert.equal(textOf(applyEdits(startReview(BEFORE, BEFORE), edits, 'user').current), '1\nxtwo\n3\n4\n5\n6\n');
    }
  });

  test('outside of hunks is not reviewed', () => {
    const now = applyEdits(review, [typed(3, 1, ' and a half\nmore')], 'user');
    assert.equal(textOf(now.base), '1\n2\n3\n4 and a half\nmore\n5\n6\n');
    assert.deepEqual(places(now), ['1-2 for 1-2', '5-5 for 5-6']);
    assert.ok(now.hunks.every(({ touched }) => !touched));
  });

  test('ends a deletion when it puts the lines back, so that an undo does not insert them twice', () => {
    const back = applyEdits(review, [typed(4, 0, '5\n')], 'user');
    assert.deepEqual([textOf(back.base), places(back)], [BEFORE, ['1-2 for 1-2']]);
    const checkedOut = becomeText(review, BEFORE.replace('4', 'four'), 'user');
    assert.deepEqual([textOf(checkedOut.base), places(checkedOut)], ['1\n2\n3\nfour\n5\n6\n', []]);
    const half = startReview('1\n2\n3\n4\n', '1\n4\n');
    assert.deepEqual(places(applyEdits(half, [typed(1, 0, '2\n')], 'user')), ['1-1 for 1-3']);
    const halfBeforeEqual = startReview('1\n2\n3\n3\n4\n', '1\n3\n4\n');
    assert.equal(applyEdits(halfBeforeEqual, [typed(1, 0, '2\n')], 'user').hunks.length, 1);
  });

  test('leaves a deletion of the same lines at another place, or behind another change', () => {
    const elsewhere = { startLine: 1, startCharacter: 0, endLine: 1, endCharacter: 1, text: 'x\n5' };
    const removed = startReview(BEFORE, '1\n2\n3\n4\n6\n');
    assert.deepEqual(places(applyEdits(removed, [elsewhere], 'user')), ['5-5 for 5-6']);
    const text = 'a\nb\nb\nX\nb\nc\n';
    const twice = [1, 2].reduce((now, line) => applyEdits(now, [deletion(line)], 'agent'), startReview(text, text));
    const behind = applyEdits(twice, [typed(3, 0, 'b\n')], 'user');
    assert.deepEqual([textOf(behind.base), behind.hunks.length], ['a\nb\nb\nX\nb\nb\nc\n', 2]);
  });

  test('ends a deletion also where it puts one of several equal lines back', () => {
    const removed = startReview('a\nb\nb\nc\n', 'a\nb\nc\n');
    for (const line of [1, 2]) {
      const back = applyEdits(removed, [typed(line, 0, 'b\n')], 'user');
      assert.deepEqual([textOf(back.base), places(back)], ['a\nb\nb\nc\n', []]);
    }
    const withMore = applyEdits(startReview('a\nb\nc\n', 'a\nc\n'), [typed(1, 0, 'new\nb\n')], 'user');
    assert.deepEqual([textOf(withMore.base), places(withMore)], ['a\nnew\nb\nc\n', []]);
  });

  test('ends a kept deletion when it puts the lines back, so that an undone Keep does not insert them twice', () => {
    const kept = keepHunks(review, new Set([2]), 1);
    const back = becomeText(kept, '1\ntwo\n3\n4\n5\n6\n', 'user');
    const again = unkeepHunks(back, 1);
    assert.deepEqual([textOf(again.base), places(again)], [BEFORE, ['1-2 for 1-2']]);
    const undone = unkeepHunks(applyEdits(kept, [typed(4, 0, '5\n')], 'history'), 1);
    assert.deepEqual([textOf(undone.base), places(undone)], [BEFORE, ['1-2 for 1-2']]);
    const equal = keepHunks(startReview('a\nb\nb\nc\n', 'a\nb\nc\n'), new Set([1]), 1);
    for (const line of [1, 2]) {
      const both = unkeepHunks(applyEdits(equal, [typed(line, 0, 'b\n')], 'user'), 1);
      assert.deepEqual([textOf(both.base), places(both)], ['a\nb\nb\nc\n', []]);
    }
    const shifted = unkeepHunks(
      applyEdits(keepHunks(startReview(BEFORE, '1\n3\n4\n6\n'), new Set([2]), 1), [typed(1, 0, '2\n')], 'user'),
      1,
    );
    assert.deepEqual([textOf(shifted.base), places(shifted)], [BEFORE, ['4-4 for 4-5']]);
    const other = unkeepHunks(applyEdits(kept, [typed(4, 0, 'other\n')], 'user'), 1);
    assert.deepEqual(places(other), ['1-2 for 1-2', '4-4 for 4-5']);
  });

  test('beside a hunk does not belong to it', () => {
    const now = applyEdits(review, [typed(2, 0, 'mine\n')], 'user');
    assert.deepEqual(places(now), ['1-2 for 1-2', '5-5 for 5-6']);
  });

  test('inside a hunk makes it a hunk of both', () => {
    const now = applyEdits(review, [typed(1, 3, '!')], 'user');
    assert.equal(textOf(now.base), BEFORE);
    assert.deepEqual(
      now.hunks.map(({ touched }) => touched),
      [true, false],
    );
    assert.ok(applyEdits(review, [typed(1, 3, '!')], 'agreed').hunks.every(({ touched }) => !touched));
    const patchedAgain = applyEdits(now, [typed(1, 0, 'again ')], 'agent');
    assert.equal(patchedAgain.hunks[0]?.touched, true);
    const beside = { startLine: 2, startCharacter: 0, endLine: 2, endCharacter: 1, text: 'three' };
    const grown = applyEdits(keepHunks(review, new Set([1]), 1), [beside], 'agent');
    const keptBeside = unkeepHunks(applyEdits(grown, [typed(2, 5, '!')], 'user'), 1);
    assert.deepEqual([places(keptBeside)[0], keptBeside.hunks[0]?.touched], ['1-3 for 1-3', true]);
  });

  test('inside a hunk, equal to the old text, ends the hunk', () => {
    const edit = { startLine: 1, startCharacter: 0, endLine: 1, endCharacter: 3, text: '2' };
    assert.deepEqual(places(applyEdits(review, [edit], 'user')), ['4-4 for 4-5']);
  });
});

describe('Ctrl+Z and Ctrl+Y', () => {
  const applied = [
    { startLine: 1, startCharacter: 0, endLine: 2, endCharacter: 0, text: 'two\n' },
    { startLine: 4, startCharacter: 0, endLine: 5, endCharacter: 0, text: '' },
  ];
  const back = [
    { startLine: 1, startCharacter: 0, endLine: 2, endCharacter: 0, text: '2\n' },
    { startLine: 4, startCharacter: 0, endLine: 4, endCharacter: 0, text: '5\n' },
  ];

  test('of a patch remove the hunks and restore them', () => {
    const review = startReview(BEFORE, AFTER);
    const undone = applyEdits(review, back, 'history');
    assert.deepEqual([undone.hunks, textOf(undone.base)], [[], BEFORE]);
    assert.deepEqual(places(applyEdits(undone, applied, 'history')), places(review));
  });

  test('remove the hunk also where the editor reports another one of several equal lines', () => {
    const text = 'a\nb\nb\nb\nc\n';
    const below = startReview(text, 'a\nb\nb\nb\nb\nc\n');
    const above = applyEdits(startReview(text, text), [typed(1, 0, 'b\n')], 'agent');
    assert.deepEqual([places(below), places(above)], [['4-5 for 4-4'], ['1-2 for 1-1']]);
    for (const review of [below, above]) {
      for (const line of [1, 2, 3, 4]) {
        const undone = applyEdits(review, [deletion(line)], 'history');
        assert.deepEqual([undone.hunks, textOf(undone.base)], [[], text]);
      }
    }
  });

  test('of a kept patch leave nothing to decide', () => {
    const review = startReview(BEFORE, AFTER);
    const kept = keepHunks(review, new Set([1, 2]), 1);
    const undone = applyEdits(kept, back, 'history');
    assert.deepEqual([undone.hunks, textOf(undone.base)], [[], BEFORE]);
  });
});

describe('a later edit of the agent', () => {
  test('extends the hunk that it touches, and ends one by restoring its old lines', () => {
    const review = startReview(BEFORE, AFTER);
    const grown = applyEdits(review, [typed(2, 0, 'between\n')], 'agent');
    assert.deepEqual(places(grown), ['1-3 for 1-2', '5-5 for 4-5']);
    const same = becomeText(grown, BEFORE, 'agent');
    assert.deepEqual([same.hunks, textOf(same.base)], [[], BEFORE]);
  });
});

describe('undoing hunks in a text', () => {
  test('keeps its line endings, and its last line without one', () => {
    const review = startReview('1\n2\n3', '1\ntwo\nmore\n3');
    assert.equal(textWithout(review, review.hunks, '1\r\ntwo\r\nmore\r\n3'), '1\r\n2\r\n3');
    const shorter = startReview('1\n2\n3\n', '1');
    assert.equal(textWithout(shorter, shorter.hunks, '1'), '1\n2\n3\n');
  });

  test('restores the line endings of the file where the agent has written others', () => {
    const review = startReview('1\n2\n3\n4\n', '1\ntwo\nmore\n3\nfour\n');
    assert.equal(textWithout(review, review.hunks, '1\r\ntwo\nmore\r\n3\r\nfour\n'), '1\r\n2\r\n3\r\n4\r\n');
  });

  test('is refused in another text', () => {
    const review = startReview('1\n', '2\n');
    assert.equal(textWithout(review, review.hunks, '3\n'), undefined);
  });
});

test('hunks that do not lead back to their base, as in a damaged file, are recognized', () => {
  const lines = BEFORE.split('\n');
  const hunk = (start: number, end: number, baseStart = start, baseEnd = end) => ({
    ...{ id: 1, touched: false },
    ...{ start, end, baseStart, baseEnd },
  });
  const isGood = (hunks: readonly ReviewHunk[], base = lines) => isConsistent({ base, current: lines, hunks });
  assert.ok(isGood([hunk(1, 2), hunk(2, 2)]));
  assert.ok(!isGood([hunk(2, 1)]));
  assert.ok(!isGood([hunk(2, 3), hunk(1, 2)]));
  assert.ok(!isGood([hunk(2, 3, 1, 2)]));
  assert.ok(!isGood([], [...lines, 'more']));
});

test('an undo of hunks takes a cursor beside a deletion as inside it, and one inside a hunk as in that hunk', () => {
  const review = startReview(BEFORE, AFTER);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((line) => hunkAt(review, line)?.id),
    [undefined, 1, undefined, 2, 2],
  );
});

function goOn({ document, review }: Story, what: Happening, step: number): Story {
  switch (what.type) {
    case 'edit': {
      const [from, to] = [what.from % (document.length + 1), what.to % (document.length + 1)].toSorted((a, b) => a - b);
      const [start, end] = [from ?? 0, to ?? 0];
      const edit = { ...placeOf(document, start, 'start'), ...placeOf(document, end, 'end'), text: what.text };
      return {
        document: document.slice(0, start) + what.text + document.slice(end),
        review: applyEdits(review, [edit as TextEdit], what.author),
      };
    }
    case 'become':
      return { document: what.text, review: becomeText(review, what.text, what.author) };
    case 'keep': {
      const hunk = review.hunks[what.which % Math.max(1, review.hunks.length)];
      return { document, review: keepHunks(review, new Set(hunk ? [hunk.id] : []), step) };
    }
    case 'undo': {
      const hunk = review.hunks[what.which % Math.max(1, review.hunks.length)];
      if (hunk === undefined) return { document, review };
      return { document: textWithout(review, [hunk], document) ?? '', review: undo(review, [hunk], document) };
    }
    case 'unkeep':
      return { document, review: unkeepHunks(review, what.which % Math.max(1, step)) };
  }
}

function textWithout(review: TextReview, hunks: readonly ReviewHunk[], document: string): string | undefined {
  const edits = hunksWithout(review, hunks, document);
  return edits && applyHunks(document, edits);
}

function undo(review: TextReview, hunks: readonly ReviewHunk[], document: string): TextReview {
  return applyEdits(review, editsOf(hunksWithout(review, hunks, document) ?? [], document), 'decision');
}

/** The edits of Ctrl+Z after all hunks were undone. */
function redoing(review: TextReview, document: string): readonly TextHunk[] {
  const undone = hunksWithout(review, review.hunks, document) ?? [];
  return invertHunks(document, undone);
}

/** Returns edits in VS Code’s order: the last one first. */
function editsOf(hunks: readonly TextHunk[], document: string): readonly TextEdit[] {
  const lines = document.split('\n');
  const place = (line: number) =>
    line < lines.length ? { line, character: 0 } : { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  return hunks.toReversed().map(({ start, end, text: words }) => {
    const [from, to] = [place(start), place(end)];
    return {
      ...{ startLine: from.line, startCharacter: from.character, endLine: to.line, endCharacter: to.character },
      text: words,
    };
  });
}

function placeOf(document: string, offset: number, name: 'start' | 'end'): Record<string, number> {
  const before = document.slice(0, offset).split('\n');
  return { [`${name}Line`]: before.length - 1, [`${name}Character`]: before.at(-1)?.length ?? 0 };
}

function textOf(lines: readonly string[]): string {
  return lines.join('\n');
}

function places({ hunks }: TextReview): string[] {
  return hunks.map(({ start, end, baseStart, baseEnd }) => `${start}-${end} for ${baseStart}-${baseEnd}`);
}
