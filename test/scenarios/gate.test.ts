import { describe, expect, it } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const PATCH = ['*** Begin Patch', '*** Update File: a.txt', '@@', ' one', '-two', '+2', '*** End Patch'].join('\n');

async function waiting(files: Record<string, string>): Promise<{ chat: Scenario; ended: Promise<unknown> }> {
  const chat = await startScenario({
    review: 'before',
    files,
    model: [[calls('apply_patch', { input: PATCH })], [says('Done.')]],
  });
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  await chat.next('approval_requested');
  return { chat, ended };
}

describe('an approval of a patch', () => {
  it('holds when the user types elsewhere in the file', async () => {
    const { chat, ended } = await waiting({ 'a.txt': 'one\ntwo\n' });
    chat.write('a.txt', 'zero\none\ntwo\n');
    await chat.answer('approved');
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': 'zero\none\n2\n' });
    expect(chat.said('approval_requested')).toHaveLength(1);
    await chat[Symbol.asyncDispose]();
  });

  it('is requested again when the patch would replace other text', async () => {
    const { chat, ended } = await waiting({ 'a.txt': 'one\ntwo\n' });
    chat.write('a.txt', 'one\ntwo   \n');
    const again = chat.next('approval_requested');
    await chat.answer('approved');
    expect((await again).diff).toContain('-two   \n');
    expect(chat.files()).toEqual({ 'a.txt': 'one\ntwo   \n' });
    await chat.answer({ denied: {} });
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': 'one\ntwo   \n' });
    expect(chat.items('file_change')).toMatchObject([{ status: 'declined' }]);
    expect(chat.said('item_started').filter(({ item }) => item.type === 'file_change')).toHaveLength(1);
    await chat[Symbol.asyncDispose]();
  });

  it('for the thread holds for its files, whatever their content', async () => {
    const { chat, ended } = await waiting({ 'a.txt': 'one\ntwo\n' });
    chat.write('a.txt', 'one\ntwo   \n');
    await chat.answer('approved_for_thread');
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': 'one\n2\n' });
    await chat[Symbol.asyncDispose]();
  });
});

describe('two calls of the same command', () => {
  it('share one approval request, and both get its answer', async () => {
    const command = { cmd: 'echo x >> a.txt' };
    await using chat = await startScenario({
      policy: 'untrusted',
      model: [[calls('exec_command', command), calls('exec_command', command)], [says('Done.')]],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    const joined = await chat.next('approval_joined');
    expect(chat.state.approvals).toMatchObject([{ approvalId: joined.approvalId, alsoItems: [joined.itemId] }]);
    await chat.answer('approved');
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': 'x\nx\n' });
    expect(chat.said('approval_requested')).toHaveLength(1);
    expect(chat.said('approval_resolved')).toHaveLength(1);
  });
});
