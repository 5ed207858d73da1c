import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Approvals } from '../../../src/core/session/approvals.ts';
import { Memory } from '../../../src/core/session/memory.ts';
import type { EventMsg } from '../../../src/protocol/event.ts';

function desk(options: { interactive?: boolean; remembered?: string[] } = {}) {
  let count = 0;
  const ids = { uuid: () => '', next: (prefix: string) => `${prefix}-${++count}`, random: () => 0 };
  const approvals = new Approvals({
    ids,
    interactive: options.interactive ?? true,
    memory: new Memory({ keys: options.remembered }),
  });
  const said: [EventMsg, string | undefined][] = [];
  const turn = new AbortController();
  const approver = approvals.forTurn((msg, by) => said.push([msg, by]));
  const ask = (keys: string[] = ['key']) =>
    approver.ask(
      {
        callId: 'call',
        itemId: 'item',
        card: { kind: 'command', command: 'make' },
        reason: { source: 'policy', id: 'x', text: 'Because.' },
        keys,
      },
      turn.signal,
    );
  const resolved = () => said.map(([msg]) => msg).filter((msg) => msg.type === 'approval_resolved');
  return { approvals, said, turn, ask, resolved };
}

const nobodyWaits = 'Nobody waits for an answer to approval-1.';

describe('a question', () => {
  it('is told with what can be answered, and its answer with who gave it', async () => {
    const { approvals, said, ask } = desk();
    const answer = ask();
    expect(await approvals.answer({ approvalIds: ['approval-1'], decision: 'approved' }, 'op-1')).toEqual([]);
    expect(await answer).toEqual({ decision: 'approved', by: 'user' });
    expect(said).toEqual([
      [
        {
          type: 'approval_requested',
          approvalId: 'approval-1',
          itemId: 'item',
          callId: 'call',
          kind: 'command',
          command: 'make',
          reason: { source: 'policy', id: 'x', text: 'Because.' },
          choices: ['approved', 'approved_for_thread', 'denied', 'abort'],
        },
        undefined,
      ],
      [{ type: 'approval_resolved', approvalId: 'approval-1', decision: 'approved', by: 'user' }, 'op-1'],
    ]);
  });

  it('is answered once: the second answer is nobody’s, and so is one to nothing', async () => {
    const { approvals, ask } = desk();
    const answer = ask();
    expect(await approvals.answer({ approvalIds: ['approval-1', 'nothing'], decision: 'abort' }, 'op-1')).toEqual([
      'Nobody waits for an answer to nothing.',
    ]);
    expect(await approvals.answer({ approvalIds: ['approval-1'], decision: 'approved' }, 'op-2')).toEqual([
      nobodyWaits,
    ]);
    expect((await answer).decision).toBe('abort');
  });

  it('offers to remember only what can be remembered', () => {
    const { said, ask } = desk();
    void ask([]);
    expect(said[0]?.[0]).toMatchObject({ choices: ['approved', 'denied', 'abort'] });
  });

  it('ends with the turn, and leaves no listener', async () => {
    const { approvals, turn, ask, resolved } = desk();
    const answer = ask();
    turn.abort(new Error('stopped'));
    await expect(answer).rejects.toThrow('stopped');
    expect(resolved()).toEqual([
      { type: 'approval_resolved', approvalId: 'approval-1', decision: 'abort', by: 'turn_ended' },
    ]);
    expect(await approvals.answer({ approvalIds: ['approval-1'], decision: 'approved' }, 'op-1')).toEqual([
      nobodyWaits,
    ]);
    await expect(ask()).rejects.toThrow('stopped');
    expect(resolved()).toHaveLength(2);
  });

  it('leaves no listener when it is answered', async () => {
    const { approvals, turn, ask } = desk();
    const answer = ask();
    await approvals.answer({ approvalIds: ['approval-1'], decision: { denied: {} } }, 'op-1');
    await answer;
    expect(getEventListeners(turn.signal, 'abort')).toEqual([]);
  });
});

describe('a yes for the thread', () => {
  it('is remembered under every key it was asked for, and asked about no more', async () => {
    const { approvals, said, ask, resolved } = desk();
    const answer = ask(['a', 'b']);
    await approvals.answer({ approvalIds: ['approval-1'], decision: 'approved_for_thread' }, 'op-1');
    await answer;
    expect(resolved()[0]).toMatchObject({ keys: ['a', 'b'] });
    const before = said.length;
    expect(await ask(['b'])).toEqual({ decision: 'approved', by: 'memory' });
    expect(said).toHaveLength(before);
    void ask(['b', 'c']);
    expect(said).toHaveLength(before + 1);
  });

  it('is there again after a reload', async () => {
    expect(await desk({ remembered: ['a'] }).ask(['a'])).toEqual({ decision: 'approved', by: 'memory' });
  });

  it('of nothing allows nothing else', async () => {
    const { approvals, said, ask } = desk();
    const answer = ask([]);
    await approvals.answer({ approvalIds: ['approval-1'], decision: 'approved_for_thread' }, 'op-1');
    await answer;
    void ask([]);
    expect(said.filter(([msg]) => msg.type === 'approval_requested')).toHaveLength(2);
  });
});

describe('with nobody there', () => {
  const no = { decision: { denied: { message: 'non_interactive' } }, by: 'non_interactive' };

  it('the answer is no at once', async () => {
    const { ask, resolved } = desk({ interactive: false });
    expect(await ask()).toEqual(no);
    expect(resolved()).toEqual([{ type: 'approval_resolved', approvalId: 'approval-1', ...no }]);
  });

  it('what waits and what comes gets a no, what was remembered stays', async () => {
    const { approvals, ask } = desk({ remembered: ['kept'] });
    const waiting = [ask(), ask()];
    approvals.nobodyIsThere();
    expect(await Promise.all([...waiting, ask()])).toEqual([no, no, no]);
    expect((await ask(['kept'])).by).toBe('memory');
  });
});
