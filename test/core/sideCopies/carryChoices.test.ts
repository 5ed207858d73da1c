import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { beginChoices } from '../../../src/core/sideCopies/carryChoices.ts';
import { type CopyContent, type FilePlan, planBringHome } from '../../../src/core/sideCopies/planBringHome.ts';

const lines = (changed: Readonly<Record<number, string>>): CopyContent => {
  const text = Array.from({ length: 20 }, (_, index) => `${changed[index + 1] ?? `line ${index + 1}`}\n`).join('');
  return { type: 'file', hash: text, mode: 0o644, text };
};
const BASE = lines({});
const COPY = lines({ 3: 'copy 3', 10: 'copy 10', 17: 'copy 17' });

function plans(home: CopyContent, result = COPY): readonly FilePlan[] {
  return planBringHome([{ name: 'a.txt', path: '/w/a.txt', base: BASE, home, result }]);
}

const out = (...leftOut: readonly number[]) => [{ path: 'a.txt', leftOut }];

describe('a review of a side copy that is shown again', () => {
  const one = plans(lines({ 3: 'mine 3' }));
  const two = plans(lines({ 3: 'mine 3', 10: 'mine 10' }));

  it('leaves a new conflict out, too', () => {
    assert.deepEqual(beginChoices(one), out(0));
    assert.deepEqual(beginChoices(two, { plans: one, choices: [{ path: 'a.txt', leftOut: [0] }] }), out(0, 1));
  });

  it('leaves a conflict out whose lines have changed since', () => {
    const other = plans(lines({ 3: 'mine again 3' }));
    assert.deepEqual(beginChoices(other, { plans: one, choices: [{ path: 'a.txt', leftOut: [0] }] }), out(0));
    assert.deepEqual(beginChoices(other, { plans: one, choices: undefined }), out(0));
  });

  it('keeps the conflict that the user restored, and the hunk that the user left out', () => {
    assert.deepEqual(beginChoices(two, { plans: one, choices: undefined }), out(1));
    assert.deepEqual(beginChoices(two, { plans: one, choices: [{ path: 'a.txt', leftOut: [2] }] }), out(1, 2));
    assert.equal(beginChoices(one, { plans: one, choices: undefined }), undefined);
  });

  it('leaves out what was in and is a conflict now, though it has the same lines', () => {
    const inserted: CopyContent = lines({ 10: 'copy 10\nline 10', 17: 'copy 17' });
    const clean = plans(BASE, inserted);
    const beside = plans(lines({ 10: 'line 10', 9: 'mine 9' }), inserted);
    assert.equal(beginChoices(clean), undefined);
    assert.deepEqual(beginChoices(beside, { plans: clean, choices: undefined }), beginChoices(beside));
  });

  it('keeps an edited text only where no new conflict is in the file', () => {
    const text = lines({ 3: 'mine 3', 10: 'edited 10', 17: 'copy 17' });
    assert.ok(text.type === 'file' && text.text !== null);
    const choices = [{ path: 'a.txt', text: text.text }];
    assert.deepEqual(beginChoices(one, { plans: one, choices }), choices);
    const top = plans(lines({ 3: 'mine 3', 17: 'mine 17' }));
    assert.deepEqual(beginChoices(top, { plans: one, choices }), out(0, 2));
  });

  it('leaves a file out that is a conflict as a whole, until the user restores it', () => {
    const gone: CopyContent = { type: 'absent' };
    const deleted = plans(lines({ 3: 'mine 3' }), gone);
    const file = [{ path: 'a.txt', leftOut: 'file' as const }];
    assert.deepEqual(beginChoices(deleted, { plans: plans(BASE, gone), choices: undefined }), file);
    assert.deepEqual(beginChoices(deleted, { plans: deleted, choices: file }), file);
    assert.equal(beginChoices(deleted, { plans: deleted, choices: undefined }), undefined);
    const again = plans(lines({ 3: 'mine again 3' }), gone);
    assert.deepEqual(beginChoices(again, { plans: deleted, choices: undefined }), file);
  });
});
