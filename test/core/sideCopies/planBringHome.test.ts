import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { textWithout } from '../../../src/core/patch/proposalChoices.ts';
import {
  type CopyContent,
  type FilePlan,
  firstChoices,
  modeOfWhole,
  nextBase,
  planBringHome,
} from '../../../src/core/sideCopies/planBringHome.ts';

const ABSENT: CopyContent = { type: 'absent' };
const OTHER: CopyContent = { type: 'other' };
const text = (content: string, mode = 0o644): CopyContent => ({ type: 'file', hash: content, mode, text: content });
const binary = (hash: string, mode = 0o644): CopyContent => ({ type: 'file', hash, mode, text: null });

function plan(base: CopyContent, home: CopyContent, result: CopyContent): FilePlan {
  const [made] = planBringHome([{ name: 'a.txt', path: '/w/a.txt', base, home, result }]);
  assert.ok(made);
  return made;
}

/** Names in a word what is done with the file. */
function word(made: FilePlan): string {
  switch (made.type) {
    case 'proposed': {
      const { kind } = made.proposal.change;
      const permissions = made.mode === undefined ? '' : ' + mode';
      return made.conflicts.length === 0 ? `${kind}${permissions}` : `${kind}, conflict`;
    }
    case 'whole':
      return `whole${made.mode === undefined ? '' : ' + mode'}${made.isConflict ? ', conflict' : ''}`;
    case 'mode':
      return made.mode.isConflict ? 'mode, conflict' : 'mode';
    case 'known':
    case 'impossible':
      return made.type;
  }
}

describe('a file that comes home', () => {
  const [one, two, three] = [text('one\n'), text('two\n'), text('three\n')];
  const rows: readonly (readonly [
    what: string,
    base: CopyContent,
    home: CopyContent,
    result: CopyContent,
    word: string,
  ])[] = [
    ['changed in the copy', one, one, two, 'update'],
    ['changed in both', one, two, three, 'update, conflict'],
    ['changed to the same in both', one, two, two, 'known'],
    ['new in the copy', ABSENT, ABSENT, one, 'add'],
    ['new in both', ABSENT, one, two, 'update, conflict'],
    ['new and the same in both', ABSENT, one, one, 'known'],
    ['deleted in the copy', one, one, ABSENT, 'delete'],
    ['deleted in the copy, changed at home', one, two, ABSENT, 'delete, conflict'],
    ['deleted in both', one, ABSENT, ABSENT, 'known'],
    ['changed in the copy, deleted at home', one, ABSENT, two, 'add, conflict'],
    ['of which the base is not kept', binary('one\n'), one, two, 'update'],
    ['of which the base is not kept, changed in both', binary('x'), one, two, 'update, conflict'],
    ['not text', binary('1'), binary('1'), binary('2'), 'whole'],
    ['not text, changed in both', binary('1'), binary('2'), binary('3'), 'whole, conflict'],
    ['not text, with other permissions', binary('1'), binary('1', 0o600), binary('2', 0o755), 'whole + mode'],
    ['new and not text', ABSENT, ABSENT, binary('1'), 'whole'],
    ['deleted and not text', binary('1'), binary('1'), ABSENT, 'whole'],
    ['of which only the permissions changed', one, one, text('one\n', 0o755), 'mode'],
    [
      'of which the permissions changed to others in both',
      one,
      text('one\n', 0o600),
      text('one\n', 0o755),
      'mode, conflict',
    ],
    ['of which only the workspace changed the permissions', one, text('one\n', 0o755), two, 'update'],
    ['of which text and permissions changed', one, one, text('two\n', 0o755), 'update + mode'],
    ['of which the workspace has the text already, not the permissions', one, two, text('two\n', 0o755), 'mode'],
    ['a link in the copy', one, one, OTHER, 'impossible'],
    ['a link at home', one, OTHER, two, 'impossible'],
  ];
  for (const [what, base, home, result, expected] of rows) {
    it(`is brought as such when it is ${what}: ${expected}`, () => {
      assert.equal(word(plan(base, home, result)), expected);
    });
  }

  it('is reviewed without its conflicts at first', () => {
    const made = plan(text('a\nb\nc\nd\n'), text('A\nb\nc\nd\n'), text('1\nb\nc\n4\n'));
    assert.ok(made.type === 'proposed');
    assert.deepEqual(firstChoices([made]), [{ path: 'a.txt', leftOut: [0] }]);
    assert.deepEqual(
      made.proposal.hunks.map(({ isConflict }) => isConflict === true),
      [true, false],
    );
    assert.equal(textWithout(made.proposal, [0]), 'A\nb\nc\n4\n');
    assert.deepEqual(firstChoices([plan(text('a\n'), ABSENT, text('b\n'))]), [{ path: 'a.txt', leftOut: 'file' }]);
    assert.equal(firstChoices([plan(text('a\n'), text('a\n'), text('b\n'))]), undefined);
  });

  it('moves the base by the hunks that came home', () => {
    const made = plan(text('a\nb\nc\nd\n'), text('A\nb\nc\nd\n'), text('1\nb\nc\n4\n'));
    const next = (...hunks: readonly ('in' | 'out' | 'edited')[]) => nextBase(made, { isOut: false, hunks }).content;
    assert.deepEqual(next('out', 'in'), { type: 'text', text: 'a\nb\nc\n4\n' });
    assert.deepEqual(next('edited', 'out'), { type: 'text', text: '1\nb\nc\nd\n' });
    assert.deepEqual(next('in', 'in'), { type: 'result' });
    assert.deepEqual(next('out', 'out'), { type: 'unchanged' });
    assert.deepEqual(nextBase(made, { isOut: true, hunks: ['in', 'in'] }).content, { type: 'unchanged' });
  });

  it('moves the base by its text and by its permissions, each as it came home', () => {
    const made = plan(text('a\n'), text('a\n'), text('b\n', 0o755));
    const next = (hunk: 'in' | 'out', isModeOut: boolean) => nextBase(made, { isOut: false, hunks: [hunk], isModeOut });
    assert.deepEqual(next('in', true), { content: { type: 'result' }, takesMode: false });
    assert.deepEqual(next('out', false), { content: { type: 'unchanged' }, takesMode: true });
    assert.deepEqual(next('out', true), { content: { type: 'unchanged' }, takesMode: false });
    const alone = plan(text('a\n'), text('a\n'), text('a\n', 0o755));
    assert.equal(nextBase(alone, { isOut: false, hunks: [], isModeOut: true }).takesMode, false);
  });

  it('keeps the permissions of the workspace where it is taken as a whole and they are not selected', () => {
    const at = binary;
    const mode = (base: CopyContent, home: CopyContent, result: CopyContent) =>
      modeOfWhole({ name: 'a', path: '/a', base, home, result });
    assert.equal(mode(at('1', 0o644), at('1', 0o600), at('2', 0o644)), 0o600);
    assert.equal(mode(at('1', 0o644), at('1', 0o600), at('2', 0o755)), 0o600);
    assert.equal(mode(ABSENT, ABSENT, at('2', 0o755)), 0o755);
    const made = plan(at('1'), at('1', 0o600), at('2', 0o755));
    assert.deepEqual(made.type === 'whole' && made.mode, { before: 0o600, after: 0o755, isConflict: true });
    assert.deepEqual(nextBase(made, { isOut: false, hunks: [], isModeOut: true }), {
      content: { type: 'result' },
      takesMode: false,
    });
  });
});
