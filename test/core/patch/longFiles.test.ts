import { expect, test } from 'vitest';
import { mergeTexts } from '../../../src/core/baseline/mergeTexts.ts';
import { applyHunks, hunksFrom, hunksTakingBack } from '../../../src/core/patch/hunkAlgebra.ts';
import { parsePatch } from '../../../src/core/patch/parse.ts';
import { planPatch } from '../../../src/core/patch/plan.ts';
import { textWithout } from '../../../src/core/patch/proposalChoices.ts';
import { fileDiff } from '../../../src/core/patch/unifiedDiff.ts';
import { baseAfter, mergeThree } from '../../../src/core/sideCopies/mergeThree.ts';
import type { FileChange } from '../../../src/core/ports.ts';

/** More than a call may have arguments. */
const COUNT = 200_000;
const lines = Array.from({ length: COUNT }, (_, index) => `line ${index}\n`);
const before = lines.join('');
const first = lines.with(0, 'FIRST\n').join('');
const last = lines.with(COUNT - 1, 'LAST\n').join('');
const both = lines
  .with(0, 'FIRST\n')
  .with(COUNT - 1, 'LAST\n')
  .join('');

test('hunks at both ends of a long file are applied, taken back and left out one by one', () => {
  const hunks = hunksFrom(before, both);
  expect(applyHunks(before, hunks) === both).toBe(true);
  expect(hunksTakingBack(hunks, { before, after: both, now: both })).toHaveLength(2);
  const change: FileChange = {
    kind: 'update',
    path: '/w/a',
    before,
    after: both,
    hunks,
    movedTo: null,
    movedOver: null,
  };
  const file = { name: 'a', change, hunks: fileDiff(change, '/w').hunks };
  expect(textWithout(file, [0]) === last).toBe(true);
  expect(textWithout(file, [1]) === first).toBe(true);
});

test('a long file that is new or deleted can be left out', () => {
  const added: FileChange = { kind: 'add', path: '/w/a', text: before, before: null };
  const deleted: FileChange = { kind: 'delete', path: '/w/a', before };
  expect(textWithout({ name: 'a', change: added, hunks: fileDiff(added, '/w').hunks }, []) === before).toBe(true);
  expect(textWithout({ name: 'a', change: deleted, hunks: fileDiff(deleted, '/w').hunks }, [0]) === before).toBe(true);
});

test('changes at both ends of a long file are merged, and of one that both sides have written anew', () => {
  expect(mergeTexts(before, first, last) === both).toBe(true);
  const merged = mergeThree(before, first, last);
  expect(merged.text === both).toBe(true);
  expect(baseAfter(before, last, merged, new Set([0])) === last).toBe(true);
  expect(mergeThree('', '', before).text === before).toBe(true);
});

test('a patch may add and quote as many lines', () => {
  const patch = (body: readonly string[]) =>
    parsePatch(['*** Begin Patch', '*** Update File: a', '@@', ...body, '*** End Patch'].join('\n'));
  const plan = (text: string, body: readonly string[]) => {
    const parsed = patch(body);
    if (parsed.type === 'invalid') throw new Error(parsed.message);
    return planPatch(parsed.operations, '/w', new Map([['/w/a', { type: 'text', text }]]));
  };
  const added = plan(
    '',
    lines.map((line) => `+${line.trimEnd()}`),
  );
  expect(added.type === 'planned' && added.changes[0]?.kind === 'update' && added.changes[0].after === before).toBe(
    true,
  );
  const quoted = plan(before, [...lines.map((line) => ` ${line.trimEnd()}`), '+end']);
  expect(quoted.type).toBe('planned');
  expect(plan('other\n', [...lines.map((line) => ` ${line.trimEnd()}`), '+end'])).toMatchObject({ type: 'failed' });
});
