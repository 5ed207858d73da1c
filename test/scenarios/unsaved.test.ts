/** Unsaved edits of the user: never discarded without approval, and never missing from a command without a warning. */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ApprovalDecision } from '../../src/protocol/policy.ts';
import { MemoryWorkspace } from '../support/memoryWorkspace.ts';
import { calls, says } from '../support/modelServer.ts';
import { type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const patch = (...lines: readonly string[]) =>
  calls('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });
const DELETE_A = patch('*** Delete File: a.txt');
const UPDATE_A = patch('*** Update File: a.txt', '@@', '-2', '+two');
const LOOK = calls('exec_command', { cmd: 'touch seen' });

/** A chat with an editor: files in memory, some with unsaved edits. */
async function beside(files: Record<string, string>, options: Omit<ScenarioOptions, 'files' | 'deps'>) {
  let editor = new MemoryWorkspace(files);
  const chat = await startScenario({
    ...options,
    deps: ({ workspace }) => {
      editor = new MemoryWorkspace(files, workspace.roots[0]);
      return { workspace: editor };
    },
  });
  return { chat, editor, [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose]() };
}

describe('a file with unsaved edits that a patch would delete', () => {
  test.each<[string, ApprovalDecision, string | undefined]>([
    ['goes when the person says so of this file', { approved_discarding: { paths: ['a.txt'] } }, undefined],
    ['stays after a yes that does not name it', 'approved', 'mine\n'],
    ['stays after a yes that names another', { approved_discarding: { paths: ['b.txt'] } }, 'mine\n'],
  ])('%s', async (_what, decision, left) => {
    await using here = await beside({ 'a.txt': '1\n2\n' }, { model: [[DELETE_A], [says('Done.')]] });
    const { chat, editor } = here;
    editor.type('a.txt', 'mine\n');
    const over = chat.send('delete a.txt');
    const question = await chat.next('approval_requested');
    expect(question).toMatchObject({
      kind: 'patch',
      changes: [{ path: 'a.txt', kind: 'delete', discardsUnsaved: true }],
      reason: { id: 'unsaved-edits', text: 'a.txt has unsaved edits, which would be lost.' },
      choices: ['approved_discarding', 'denied', 'abort'],
    });
    await chat.answer(decision);
    await over;
    expect(editor.text('a.txt')).toBe(left);
    if (left !== undefined) expect(chat.outputs().at(-1)).toContain('a.txt has unsaved edits of the user');
  });

  test('is not asked about where no user can answer: the model gets the reason', async () => {
    await using here = await beside({ 'a.txt': '1\n' }, { model: [[DELETE_A], [says('Done.')]], policy: 'never' });
    here.editor.type('a.txt', 'mine\n');
    await here.chat.send('delete a.txt');
    expect(here.chat.said('approval_requested')).toEqual([]);
    expect(here.chat.outputs().at(-1)).toContain('unsaved edits of the user');
    expect(here.editor.text('a.txt')).toBe('mine\n');
  });
});

describe('a file that gets unsaved edits while its approval is pending', () => {
  test('is asked about again, as a file whose edits would be lost', async () => {
    await using here = await beside({ 'a.txt': '1\n2\n' }, { model: [[DELETE_A], [says('Done.')]], review: 'before' });
    const { chat, editor } = here;
    const over = chat.send('delete a.txt');
    await chat.next('approval_requested');
    editor.type('a.txt', 'mine\n');
    const again = chat.next('approval_requested');
    await chat.answer('approved');
    expect(await again).toMatchObject({
      changes: [{ path: 'a.txt', kind: 'delete', discardsUnsaved: true }],
      reason: { id: 'unsaved-edits' },
    });
    await chat.answer({ approved_discarding: { paths: ['a.txt'] } });
    await over;
    expect(editor.text('a.txt')).toBeUndefined();
    expect(chat.said('approval_requested').map(({ reason }) => reason.id)).toEqual(['review-before', 'unsaved-edits']);
  });
});

describe('a patch that the user has approved', () => {
  test('is applied as it was shown when the user typed elsewhere meanwhile', async () => {
    await using here = await beside(
      { 'a.txt': '1\n2\n3\n' },
      { model: [[UPDATE_A], [says('Done.')]], review: 'before' },
    );
    const { chat, editor } = here;
    const over = chat.send('go');
    await chat.next('approval_requested');
    editor.type('a.txt', 'mine\n1\n2\n3\n');
    await chat.answer('approved');
    await over;
    expect(editor.text('a.txt')).toBe('mine\n1\ntwo\n3\n');
    expect(chat.said('approval_requested')).toHaveLength(1);
    expect(chat.items('file_change')).toMatchObject([
      { status: 'completed', changes: [{ path: 'a.txt', unsaved: true, decision: 'accepted' }] },
    ]);
    expect(chat.outputs().at(-1)).toContain('not saved');
  });

  test('is asked about again when it would now have another effect', async () => {
    await using here = await beside({ 'a.txt': '1\n' }, { model: [[DELETE_A], [says('Done.')]], review: 'before' });
    const { chat, editor } = here;
    const over = chat.send('go');
    await chat.next('approval_requested');
    editor.writeBehind('a.txt', 'somebody else\n');
    await chat.answer('approved');
    const again = await chat.next('approval_requested');
    expect(again.diff).toContain('-somebody else');
    await chat.answer({ denied: {} });
    await over;
    expect(editor.text('a.txt')).toBe('somebody else\n');
    expect(chat.items('file_change')).toMatchObject([{ status: 'declined' }]);
  });

  test('fails with both texts for the model when the user typed on the same line', async () => {
    const update = patch('*** Update File: a.txt', '@@', '-the second line', '+the 2nd line');
    await using here = await beside(
      { 'a.txt': 'first\nthe second line\n' },
      { model: [[update], [says('Done.')]], review: 'before' },
    );
    const { chat, editor } = here;
    const over = chat.send('go');
    await chat.next('approval_requested');
    editor.type('a.txt', 'first\nthe second line, mine\n');
    await chat.answer('approved');
    await over;
    const told = chat.outputs().at(-1);
    expect(told).toContain('changed in the meantime');
    expect(told).toMatch(/the second line\n[^]*the second line, mine/);
    expect(editor.text('a.txt')).toBe('first\nthe second line, mine\n');
  });
});

describe('a command after a patch that left a file unsaved', () => {
  const model = [[UPDATE_A], [LOOK], [LOOK], [says('Done.')]];
  const typed = (editor: MemoryWorkspace) => editor.type('a.txt', 'mine\n1\n2\n');
  const SAID = 'Not saved in the editor, so the command saw the old text of: ';

  test.each<[string, ApprovalDecision, Record<string, string>]>([
    ['is saved for, when the person wants it', 'approved_saving', { 'a.txt': 'mine\n1\ntwo\n' }],
    ['runs anyway, when the person wants that, and the model is told', 'approved', { 'a.txt': '1\n2\n' }],
  ])('%s', async (_what, decision, disk) => {
    await using here = await beside({ 'a.txt': '1\n2\n' }, { model, sandbox: 'danger-full-access' });
    const { chat, editor } = here;
    typed(editor);
    const over = chat.send('go');
    expect(await chat.next('approval_requested')).toMatchObject({
      kind: 'command',
      unsaved: [chat.folder.at('a.txt')],
      choices: ['approved', 'approved_saving', 'denied', 'abort'],
    });
    await chat.answer(decision);
    await over;
    // Once for a turn, not once for a command.
    expect(chat.said('approval_requested').filter(({ unsaved }) => unsaved !== undefined)).toHaveLength(1);
    expect(editor.files()).toEqual(disk);
    const told = chat.outputs().filter((output) => output.includes(SAID));
    expect(told).toHaveLength(decision === 'approved' ? 2 : 0);
  });

  test('is not started when the user stops the turn while files are saved', async () => {
    const more = { sandbox: 'danger-full-access', saveBeforeCommands: 'always' } as const;
    await using here = await beside({ 'a.txt': '1\n2\n' }, { model, ...more });
    const { chat, editor } = here;
    typed(editor);
    const save = editor.save.bind(editor);
    editor.save = async (paths) => {
      chat.submit({ type: 'interrupt' });
      await setTimeout(50);
      return save(paths);
    };
    expect(await chat.send('go')).toMatchObject({ type: 'turn_aborted' });
    expect(chat.files()).toEqual({});
  });

  test.each<['always' | 'never', string]>([
    ['always', 'mine\n1\ntwo\n'],
    ['never', '1\n2\n'],
  ])('asks nothing where the setting says %s', async (saveBeforeCommands, text) => {
    const more = { sandbox: 'danger-full-access', saveBeforeCommands } as const;
    await using here = await beside({ 'a.txt': '1\n2\n' }, { model, ...more });
    typed(here.editor);
    await here.chat.send('go');
    expect(here.chat.said('approval_requested')).toEqual([]);
    expect(here.editor.files()).toEqual({ 'a.txt': text });
  });
});
