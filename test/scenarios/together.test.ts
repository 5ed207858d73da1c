// Several calls of one response that need approval: requested together, run one after the other.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ports, Workspace } from '../../src/core/ports.ts';
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

/** A workspace that answers `stat` of one folder only after other folders were asked for so often, and a while later. */
function slowStat(name: string, others: number) {
  let release = () => {};
  const slowFirst = new Promise<void>((resolve) => {
    release = () => setTimeout(resolve, 100);
  });
  let count = 0;
  const workspace = ({ workspace: real }: Ports): Workspace => ({
    ...real,
    stat: async (at) => {
      if (path.basename(at) === name) await slowFirst;
      else if (++count === others) release();
      return real.stat(at);
    },
  });
  return { slowFirst, workspace };
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

  it('are shown and requested in the order of the calls, however long each decision takes', async () => {
    const { slowFirst, workspace } = slowStat('slow', 2);
    await using chat = await startScenario({
      files: { 'slow/a.txt': '' },
      model: [
        [calls('exec_command', { cmd: 'touch here', workdir: 'slow' }), append('two'), append('three')],
        [says('Done.')],
      ],
      deps: (ports) => ({ workspace: workspace(ports) }),
    });
    const ended = chat.turnEnds();
    const approvalIds = await untilAsked(chat, 3);
    await slowFirst;
    expect(chat.state.approvals.map(({ command }) => command)).toEqual([
      'touch here',
      'echo two >> log.txt',
      'echo three >> log.txt',
    ]);
    const started = chat.said('item_started').map(({ item }) => item);
    expect(started.flatMap((item) => (item.type === 'command_execution' ? item.command : []))).toEqual(
      chat.state.approvals.map(({ command }) => command),
    );
    chat.submit({ type: 'approval', approvalIds, decision: 'approved' });
    await ended;
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

  it('run after a call of an unknown tool', async () => {
    await using chat = await startScenario({
      policy: 'never',
      sandbox: 'danger-full-access',
      model: [[calls('no_such_tool', {}), append('one'), append('two')], [says('Done.')]],
    });
    await chat.send('go');
    expect(chat.files()).toEqual({ 'log.txt': 'one\ntwo\n' });
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
