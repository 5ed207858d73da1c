/** Answers that arrive at the wrong moment, twice, or with unusual text. */
import { describe, expect, it } from 'vitest';
import type { ApprovalDecision } from '../../src/protocol/policy.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const touch = (name: string) => calls('exec_command', { cmd: `touch ${name}` });

async function asked(chat: Scenario): Promise<{ readonly id: string; readonly ended: Promise<unknown> }> {
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  const { approvalId } = await chat.next('approval_requested');
  return { id: approvalId, ended };
}

const answer = (chat: Scenario, id: string, decision: ApprovalDecision): void => {
  chat.submit({ type: 'approval', approvalIds: [id], decision });
};

describe('an answer', () => {
  it('that arrives right after the interrupt runs nothing', async () => {
    await using chat = await startScenario({ model: [[touch('a')], [says('Back.')]] });
    const { id, ended } = await asked(chat);
    chat.submit({ type: 'interrupt' });
    answer(chat, id, 'approved');
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(await chat.send('again')).toEqual({ type: 'turn_completed', lastMessage: 'Back.' });
    expect(chat.files()).toEqual({});
    expect(chat.outputs()).toEqual([expect.stringMatching(/^aborted by user/)]);
  });

  it('that arrives right before the interrupt may run it, once, and the turn is over', async () => {
    await using chat = await startScenario({
      model: [[calls('exec_command', { cmd: 'echo x >> a; sleep 20' })], [says('Back.')]],
    });
    const { id, ended } = await asked(chat);
    answer(chat, id, 'approved');
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(await chat.send('again')).toEqual({ type: 'turn_completed', lastMessage: 'Back.' });
    expect(['x\n', undefined]).toContain(chat.files()['a']);
    expect(chat.outputs()).toHaveLength(1);
  });

  it('from two clients: the first counts, the other is reported as late', async () => {
    await using chat = await startScenario({ model: [[touch('a')], [says('Done.')]] });
    const { id, ended } = await asked(chat);
    answer(chat, id, { denied: { message: 'not now' } });
    answer(chat, id, 'approved');
    await ended;
    expect(chat.files()).toEqual({});
    expect(chat.outputs()).toEqual(['Denied by the user: not now']);
    expect(chat.said('approval_resolved')).toHaveLength(1);
    expect(chat.said('warning')).toHaveLength(1);
  });

  it.each([
    ['no word', '', 'Denied by the user. Nothing was done.'],
    ['blanks', ' \n\t ', 'Denied by the user. Nothing was done.'],
    ['characters that steer a terminal', 'no\u001b[2J\u0000\u202e!', 'Denied by the user: no'],
    ['100 kB', 'x'.repeat(100_000), `Denied by the user: ${'x'.repeat(1000)}`],
    ['half a character', 'no \ud800', 'Denied by the user: no'],
  ])('with %s is a no like any other', async (_, message, told) => {
    await using chat = await startScenario({ model: [[touch('a')], [says('Done.')]] });
    const { id, ended } = await asked(chat);
    answer(chat, id, { denied: { message } });
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(chat.files()).toEqual({});
    expect(chat.outputs()).toEqual([expect.stringContaining(told)]);
  });
});
