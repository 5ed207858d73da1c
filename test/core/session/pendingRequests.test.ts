import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ApprovalMemory } from '../../../src/core/session/approvalMemory.ts';
import type { ApprovalReviewer } from '../../../src/core/session/approvalReviewer.ts';
import { PendingRequests } from '../../../src/core/session/pendingRequests.ts';
import type { QuestionBody } from '../../../src/core/tools/inquiry.ts';
import type { EventMsg } from '../../../src/protocol/event.ts';
import type { ApprovalDecision } from '../../../src/protocol/policy.ts';

function start(options: { interactive?: boolean; remembered?: string[]; reviewer?: ApprovalReviewer } = {}) {
  let count = 0;
  const ids = { uuid: () => '', next: (prefix: string) => `${prefix}-${++count}`, random: () => 0 };
  const requests = new PendingRequests({
    ids,
    interactive: options.interactive ?? true,
    memory: new ApprovalMemory({ keys: options.remembered }),
  });
  const said: [EventMsg, string | undefined][] = [];
  const turn = new AbortController();
  const { reviewer } = options;
  const asker = { emit: (msg: EventMsg, by?: string) => said.push([msg, by]), signal: turn.signal, reviewer };
  const inquire = (body: QuestionBody) => requests.inquire(body, asker, 'call');
  const answer = (approvalIds: string[], decision: ApprovalDecision, id: string) =>
    requests.answer({ type: 'approval', approvalIds, decision }, id);
  const ask = (keys: string[] = ['key']) =>
    requests.approve(
      {
        callId: 'call',
        itemId: 'item',
        card: { kind: 'command', command: 'make' },
        reason: { source: 'policy', id: 'x', text: 'Because.' },
        ...(reviewer ? { reviewable: true } : {}),
        keys,
      },
      asker,
    );
  const resolved = () => said.map(([msg]) => msg).filter((msg) => msg.type === 'approval_resolved');
  return { requests, said, turn, ask, inquire, answer, resolved };
}

const notPending = 'No request approval-1 is pending.';

describe('an approval', () => {
  it('is requested with its choices, and resolved with who decided', async () => {
    const { answer, said, ask } = start();
    const answered = ask();
    expect(await answer(['approval-1'], 'approved', 'op-1')).toEqual([]);
    expect(await answered).toEqual({ decision: 'approved', by: 'user' });
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

  it('is resolved by the first answer; a second answer and an unknown id give warnings', async () => {
    const { answer, ask } = start();
    const answered = ask();
    expect(await answer(['approval-1', 'nothing'], 'abort', 'op-1')).toEqual(['No request nothing is pending.']);
    expect(await answer(['approval-1'], 'approved', 'op-2')).toEqual([notPending]);
    expect((await answered).decision).toBe('abort');
  });

  it('offers to remember only what has a key', () => {
    const { said, ask } = start();
    void ask([]);
    expect(said[0]?.[0]).toMatchObject({ choices: ['approved', 'denied', 'abort'] });
  });

  it('is cancelled with its turn', async () => {
    const { answer, turn, ask, resolved } = start();
    const answered = ask();
    turn.abort(new Error('stopped'));
    await expect(answered).rejects.toThrow('stopped');
    expect(resolved()).toEqual([
      { type: 'approval_resolved', approvalId: 'approval-1', decision: 'abort', by: 'turn_ended' },
    ]);
    expect(await answer(['approval-1'], 'approved', 'op-1')).toEqual([notPending]);
    await expect(ask()).rejects.toThrow('stopped');
    expect(resolved()).toHaveLength(2);
  });

  it('leaves no listener on the signal', async () => {
    const { answer, turn, ask } = start();
    const answered = ask();
    await answer(['approval-1'], { denied: {} }, 'op-1');
    await answered;
    expect(getEventListeners(turn.signal, 'abort')).toEqual([]);
  });
});

describe('an approval in review', () => {
  const reviewer = (review: ApprovalReviewer['review']): ApprovalReviewer => ({ model: 'm', review, stop() {} });
  const fails = reviewer(async () => {
    throw new Error('A fault of the client.');
  });
  const failed = { type: 'approval_reviewed', outcome: 'failed', text: 'It was not reviewed: A fault of the client.' };

  it('is left to the user after a fault of any kind', async () => {
    const { ask, answer, said } = start({ reviewer: fails });
    const answered = ask();
    await expect.poll(() => said.map(([msg]) => msg)).toMatchObject([{ type: 'approval_requested' }, failed]);
    await answer(['approval-1'], 'approved', 'op-1');
    expect(await answered).toEqual({ decision: 'approved', by: 'user' });
  });

  it('is denied after a fault where no user is', async () => {
    const { ask, said } = start({ reviewer: fails, interactive: false });
    expect(await ask()).toMatchObject({ by: 'non_interactive' });
    expect(said.map(([msg]) => msg)).toMatchObject([{ type: 'approval_requested' }, failed, { by: 'non_interactive' }]);
  });

  it('is decided by the reviewer also when the user goes away while it works', async () => {
    let allow: (() => void) | undefined;
    const { requests, ask } = start({
      reviewer: reviewer(
        () => new Promise((resolve) => (allow = () => resolve({ outcome: 'allowed', text: 'Fine.' }))),
      ),
    });
    const answered = ask();
    requests.becomeNonInteractive();
    allow?.();
    expect(await answered).toMatchObject({ decision: 'approved', by: 'reviewer' });
  });
});

describe('an approval for the thread', () => {
  it('is remembered under every key, and is not requested again', async () => {
    const { answer, said, ask, resolved } = start();
    const answered = ask(['a', 'b']);
    await answer(['approval-1'], 'approved_for_thread', 'op-1');
    await answered;
    expect(resolved()[0]).toMatchObject({ keys: ['a', 'b'] });
    const before = said.length;
    expect(await ask(['b'])).toEqual({ decision: 'approved', by: 'memory' });
    expect(said).toHaveLength(before);
    void ask(['b', 'c']);
    expect(said).toHaveLength(before + 1);
  });

  it('still applies after a reload', async () => {
    expect(await start({ remembered: ['a'] }).ask(['a'])).toEqual({ decision: 'approved', by: 'memory' });
  });

  it('without keys allows no other call', async () => {
    const { answer, said, ask } = start();
    const answered = ask([]);
    await answer(['approval-1'], 'approved_for_thread', 'op-1');
    await answered;
    void ask([]);
    expect(said.filter(([msg]) => msg.type === 'approval_requested')).toHaveLength(2);
  });
});

describe('a non-interactive thread', () => {
  const no = { decision: { denied: { message: 'non_interactive' } }, by: 'non_interactive' };

  it('denies an approval at once', async () => {
    const { ask, resolved } = start({ interactive: false });
    expect(await ask()).toEqual(no);
    expect(resolved()).toEqual([{ type: 'approval_resolved', approvalId: 'approval-1', ...no }]);
  });

  it('denies what is pending and what comes later, and keeps its approval memory', async () => {
    const { requests, ask } = start({ remembered: ['kept'] });
    const waiting = [ask(), ask()];
    requests.becomeNonInteractive();
    expect(await Promise.all([...waiting, ask()])).toEqual([no, no, no]);
    expect((await ask(['kept'])).by).toBe('memory');
  });
});

const asked: QuestionBody = {
  source: 'model',
  questions: [{ id: 'colour', header: 'Colour', question: 'Which colour?', options: [] }],
};
const form: QuestionBody = { source: 'mcp', server: 'github', message: 'Which repository?', requestedSchema: {} };

describe('a question', () => {
  it('is requested with its call, and answered by the op of its kind alone', async () => {
    const { requests, said, inquire } = start();
    const answer = inquire(asked);
    expect(requests.count).toBe(1);
    expect(
      await requests.answer({ type: 'elicitation_answer', questionId: 'question-1', action: 'accept' }, 'op-1'),
    ).toEqual(['This was asked by the model: answer with user_input_answer. The request is still pending.']);
    expect(
      await requests.answer({ type: 'user_input_answer', questionId: 'question-1', answers: { size: ['1'] } }, 'op-2'),
    ).toEqual(['There is no question size in this request. The request is still pending.']);
    const op = { type: 'user_input_answer', questionId: 'question-1', answers: { colour: ['red'] } } as const;
    expect(await requests.answer({ ...op, answers: { colour: ['red'] } }, 'op-3')).toEqual([]);
    expect(await answer).toEqual({ type: 'answered', answers: { colour: ['red'] } });
    expect(await requests.answer({ ...op, answers: null }, 'op-4')).toEqual(['No request question-1 is pending.']);
    expect(requests.count).toBe(0);
    expect(said).toEqual([
      [{ type: 'question_requested', request: { ...asked, questionId: 'question-1', callId: 'call' } }, undefined],
      [{ type: 'question_resolved', questionId: 'question-1', by: 'user' }, 'op-3'],
    ]);
  });

  it('of a server is accepted with its content, declined or cancelled', async () => {
    const { requests, said, inquire } = start();
    const elicit = async (op: { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> }) => {
      const answer = inquire(form);
      const [msg] = said.at(-1) ?? [];
      if (msg?.type !== 'question_requested') throw new Error('Not requested.');
      const { questionId } = msg.request;
      expect(await requests.answer({ type: 'user_input_answer', questionId, answers: null }, 'op-1')).toEqual([
        'This was asked by an MCP server: answer with elicitation_answer. The request is still pending.',
      ]);
      await requests.answer({ type: 'elicitation_answer', questionId, ...op }, 'op-2');
      return answer;
    };
    expect(await elicit({ action: 'accept', content: { name: 'a' } })).toEqual({
      type: 'accepted',
      content: { name: 'a' },
    });
    expect(await elicit({ action: 'accept' })).toEqual({ type: 'accepted', content: {} });
    expect(await elicit({ action: 'decline' })).toEqual({ type: 'declined', by: 'user' });
    expect(await elicit({ action: 'cancel' })).toEqual({ type: 'cancelled', by: 'user' });
  });

  it('is cancelled with its turn, and leaves no listener on the signal', async () => {
    const { requests, said, turn, inquire } = start();
    const cancelled = inquire(asked);
    turn.abort(new Error('stopped'));
    await expect(cancelled).rejects.toThrow('stopped');
    expect(said.at(-1)?.[0]).toEqual({ type: 'question_resolved', questionId: 'question-1', by: 'turn_ended' });
    expect(getEventListeners(turn.signal, 'abort')).toEqual([]);
    expect(requests.count).toBe(0);
  });

  it('is cancelled where no user can answer', async () => {
    const { requests, said, inquire } = start();
    const pending = [inquire(asked), inquire(form)];
    requests.becomeNonInteractive();
    const cancelled = { type: 'cancelled', by: 'non_interactive' };
    expect(await Promise.all([...pending, inquire(asked)])).toEqual([cancelled, cancelled, cancelled]);
    const resolved = said.filter(([msg]) => msg.type === 'question_resolved');
    expect(resolved.map(([msg]) => 'by' in msg && msg.by)).toEqual(Array(3).fill('non_interactive'));
  });
});
