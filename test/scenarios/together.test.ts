// Several calls of one response that need approval: requested together, run one after the other.
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const append = (word: string) => calls('exec_command', { cmd: `echo ${word} >> log.txt` });
const COMMANDS = [append('one'), append('two'), append('three')];

/** Sends a message and waits until this many requests are pending. */
async function untilAsked(chat: Scenario, count: number): Promise<string[]> {
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  while (chat.state.approvals.length < count) await chat.next('approval_requested');
  return chat.state.approvals.map(({ approvalId }) => approvalId);
}

describe('commands of one response', () => {
  it('are all requested before the first answer, and one answer can resolve all', async () => {
    await using chat = await startScenario({ model: [COMMANDS, [says('Done.')]] });
    const ended = chat.turnEnds();
    const approvalIds = await untilAsked(chat, 3);
    expect(chat.files()).toEqual({});
    chat.submit({ type: 'approval', approvalIds, decision: 'approved' });
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(chat.files()).toEqual({ 'log.txt': 'one\ntwo\nthree\n' });
    expect(chat.said('approval_requested')).toHaveLength(3);
  });

  it('run in the order of the calls, whatever the order of the answers', async () => {
    await using chat = await startScenario({ model: [COMMANDS, [says('Done.')]] });
    const ended = chat.turnEnds();
    const [first = '', second = '', third = ''] = await untilAsked(chat, 3);
    chat.submit({ type: 'approval', approvalIds: [third], decision: 'approved' });
    chat.submit({ type: 'approval', approvalIds: [second], decision: { denied: { message: 'not that' } } });
    await chat.next('approval_resolved');
    expect(chat.files()).toEqual({});
    chat.submit({ type: 'approval', approvalIds: [first], decision: 'approved' });
    await ended;
    expect(chat.files()).toEqual({ 'log.txt': 'one\nthree\n' });
    expect(chat.outputs()[1]).toBe('Denied by the user: not that');
    expect(chat.items('command_execution').map(({ status }) => status)).toEqual(['completed', 'declined', 'completed']);
  });

  it('are stopped by an abort of any of them: nothing runs and nothing stays pending', async () => {
    await using chat = await startScenario({ model: [COMMANDS] });
    const ended = chat.turnEnds();
    const [, second = ''] = await untilAsked(chat, 3);
    chat.submit({ type: 'approval', approvalIds: [second], decision: 'abort' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.state.approvals).toEqual([]);
    expect(chat.files()).toEqual({});
  });

  it('are checked again before they run: an approval runs nothing in a folder that no longer exists', async () => {
    const model = [[append('one'), calls('exec_command', { cmd: 'touch here', workdir: 'sub' })], [says('Done.')]];
    await using chat = await startScenario({ files: { 'sub/a.txt': '' }, model });
    const ended = chat.turnEnds();
    const approvalIds = await untilAsked(chat, 2);
    rmSync(chat.folder.at('sub'), { recursive: true });
    chat.submit({ type: 'approval', approvalIds, decision: 'approved' });
    await ended;
    expect(chat.files()).toEqual({ 'log.txt': 'one\n' });
    expect(chat.outputs()[1]).toContain('does not exist');
  });

  it('are applied before a later patch is planned: it is planned for the files that they leave', async () => {
    const patch = '*** Begin Patch\n*** Update File: log.txt\n@@\n-one\n+two\n*** End Patch';
    await using chat = await startScenario({
      review: 'before',
      model: [[append('one'), calls('apply_patch', { input: patch })], [says('Done.')]],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.answer('approved');
    expect((await chat.next('approval_requested')).changes).toMatchObject([{ path: 'log.txt' }]);
    await chat.answer('approved');
    await ended;
    expect(chat.files()).toEqual({ 'log.txt': 'two\n' });
  });
});
