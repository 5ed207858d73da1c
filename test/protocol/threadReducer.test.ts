/** The reducer of a thread, with valid and invalid sequences of events. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event, EventMsg, EventMsgOf, TokenUsage, TurnSettings } from '../../src/protocol/event.ts';
import type { ApprovalDecision } from '../../src/protocol/policy.ts';
import type { ItemStatus, TurnItem } from '../../src/protocol/item.ts';
import { initialThreadState, type ThreadState } from '../../src/protocol/thread.ts';
import { LIVE_OUTPUT_LIMIT, threadReducer } from '../../src/protocol/threadReducer.ts';

const THREAD = 'thread-1';
const settings: TurnSettings = {
  model: 'm',
  effort: null,
  summary: 'auto',
  cwd: '/w',
  approvalPolicy: 'on-request',
  sandboxPolicy: { type: 'danger-full-access' },
  box: 'none',
};

type Said = { readonly turnId: string | null; readonly msg: EventMsg };

function numbered(said: readonly Said[]): Event[] {
  return said.map(({ turnId, msg }, index) => ({
    v: 1,
    seq: index + 1,
    at: '2026-11-21T00:00:00.000Z',
    threadId: THREAD,
    turnId,
    submissionId: null,
    msg,
  }));
}

function fold(events: readonly Event[], from = initialThreadState(THREAD)): ThreadState {
  return events.reduce(threadReducer, from);
}

const turnStarted: EventMsg = { type: 'turn_started', settings, contextWindow: null };

function message(id: string, status: ItemStatus = 'in_progress', text = ''): TurnItem {
  return { id, type: 'agent_message', status, text };
}

function command(id: string, status: ItemStatus = 'in_progress', output = ''): TurnItem {
  const rest = { callId: `call-${id}`, command: 'ls', argv: ['ls'], cwd: '/w', exitCode: null, durationMs: 0, output };
  return { id, type: 'command_execution', status, box: 'none', ...rest };
}

// Few ids, so that they collide: most sequences have starts without ends, ends without starts, and duplicates.
const itemId = fc.constantFrom('i1', 'i2', 'i3');
const status = fc.constantFrom<ItemStatus[]>('in_progress', 'completed', 'failed', 'declined', 'aborted');
const item = fc.oneof(
  fc.record({ id: itemId, status }).map(({ id, status }) => message(id, status)),
  fc.record({ id: itemId, status }).map(({ id, status }) => command(id, status)),
  fc.record({ id: itemId, status }).map(({ id, status }): TurnItem => ({ id, type: 'reasoning', status, summary: [] })),
  fc
    .record({ id: itemId, status, text: fc.string() })
    .map(({ id, status, text }): TurnItem => ({ id, type: 'user_message', status, content: [{ type: 'text', text }] })),
);
const usage = { input: 1, cachedInput: 0, output: 1, reasoning: 0, total: 2 };
const msg: fc.Arbitrary<EventMsg> = fc.oneof(
  fc.constant(turnStarted),
  fc.constant<EventMsg>({ type: 'turn_completed', lastMessage: null }),
  fc.constant<EventMsg>({ type: 'turn_aborted', reason: 'interrupted' }),
  fc.constant<EventMsg>({ type: 'turn_context_changed', settings }),
  fc.constant<EventMsg>({ type: 'token_count', last: usage, total: usage, contextWindow: null, estimated: false }),
  fc.constant<EventMsg>({ type: 'warning', message: 'w' }),
  fc.constant<EventMsg>({ type: 'error', kind: 'network', message: 'e' }),
  fc.constant<EventMsg>({ type: 'turn_diff', unifiedDiff: 'd' }),
  fc.constant<EventMsg>({ type: 'thread_closed' }),
  item.map((item): EventMsg => ({ type: 'item_started', item })),
  item.map((item): EventMsg => ({ type: 'item_completed', item })),
  fc.record({
    type: fc.constant('item_delta' as const),
    itemId,
    kind: fc.constantFrom('text', 'summary', 'raw', 'section_break', 'output', 'patch'),
    text: fc.string(),
  }),
  itemId.map(
    (id): EventMsg => ({
      type: 'approval_requested',
      approvalId: `a-${id}`,
      itemId: id,
      callId: id,
      kind: 'command',
      reason: { source: 'policy', id: 'x', text: 'x' },
      choices: ['approved', 'denied'],
    }),
  ),
  fc.record({ id: itemId, keys: fc.option(fc.array(fc.string()), { nil: undefined }) }).map(
    ({ id, keys }): EventMsg => ({
      type: 'approval_resolved',
      approvalId: `a-${id}`,
      decision: 'approved',
      by: 'user',
      ...(keys ? { keys } : {}),
    }),
  ),
  itemId.map((id): EventMsg => ({ type: 'input_queued', id, input: [{ type: 'text', text: 'x' }] })),
  itemId.map((id): EventMsg => ({ type: 'input_dequeued', id, reason: 'joined' })),
  itemId.map((id): EventMsg => ({ type: 'process_output', processId: id, text: 'x', stream: 'stdout' })),
  itemId.map(
    (id): EventMsg => ({
      type: 'process_started',
      processId: id,
      itemId: id,
      command: 'c',
      cwd: '/w',
      box: 'none',
    }),
  ),
  itemId.map(
    (id): EventMsg => ({ type: 'turns_rolled_back', toItemId: id, turnIds: ['t1'], files: false, conversation: true }),
  ),
  itemId.map((id): EventMsg => ({ type: 'compaction_undone', itemId: id })),
);

/** In random order. */
const anything = fc.array(fc.record({ turnId: fc.constantFrom('t1', 't2', 't3', null), msg }), { maxLength: 40 });

/** As a session emits it: turns one after another, all events inside one. */
const sensible = fc
  .array(fc.record({ body: fc.array(msg, { maxLength: 12 }), ends: fc.boolean() }), { maxLength: 4 })
  .map((turns) =>
    turns.flatMap(({ body, ends }, index): Said[] => {
      const turnId = `t${index}`;
      const inside = body.filter(({ type }) => !/^(turn_started|turn_completed|turn_aborted)$/.test(type));
      const end: Said[] = ends ? [{ turnId, msg: { type: 'turn_completed', lastMessage: null } }] : [];
      return [{ turnId, msg: turnStarted }, ...inside.map((msg) => ({ turnId, msg })), ...end];
    }),
  );

const said = fc.oneof(anything, sensible);

describe('for any events', () => {
  it('equal events give an equal state, and repeated events change nothing', () => {
    fc.assert(
      fc.property(said, fc.nat(), (said, cut) => {
        const events = numbered(said);
        const prefix = events.slice(0, cut % (events.length + 1));
        const state = fold(prefix);
        expect(fold(prefix)).toEqual(state);
        const known = prefix.filter(({ seq }) => seq <= state.lastSeq);
        expect(fold(known, state)).toBe(state);
      }),
    );
  });

  it('at most one turn runs, it is the active one, and nothing is in progress in the others', () => {
    fc.assert(
      fc.property(said, (said) => {
        const { turns, activeTurnId } = fold(numbered(said));
        const running = turns.filter((turn) => turn.status.type === 'running').map(({ id }) => id);
        expect(running.filter((id) => id !== activeTurnId)).toEqual([]);
        const ended = turns.filter((turn) => turn.status.type !== 'running');
        expect(ended.flatMap((turn) => turn.items.filter((item) => item.status === 'in_progress'))).toEqual([]);
      }),
    );
  });

  it('no request is pending when no turn runs', () => {
    fc.assert(
      fc.property(sensible, (said) => {
        const state = fold(numbered(said));
        if (state.activeTurnId !== null) return;
        expect([...state.approvals, ...state.questions, ...state.dynamicCalls]).toEqual([]);
      }),
    );
  });

  it('late, foreign and unknown events return the same object', () => {
    fc.assert(
      fc.property(said, msg, (said, msg) => {
        const state = fold(numbered(said));
        const next: Event = {
          v: 1,
          seq: 1000,
          at: '2026-11-21T00:00:00.000Z',
          threadId: THREAD,
          turnId: null,
          submissionId: null,
          msg,
        };
        expect(threadReducer(state, { ...next, threadId: 'thread-2' })).toBe(state);
        expect(threadReducer(state, { ...next, seq: state.lastSeq })).toBe(state);
        for (const turn of state.turns.filter(({ id }) => id !== state.activeTurnId)) {
          expect(threadReducer(state, { ...next, turnId: turn.id })).toBe(state);
        }
        const unknown = { type: 'from_the_future', payload: 1 } as unknown as EventMsg;
        expect(threadReducer(state, { ...next, msg: unknown })).toBe(state);
      }),
    );
  });
});

describe('a question', () => {
  it('ends with its turn, unless it was asked outside of turns', () => {
    const asked = (turnId: string | null, questionId: string): Said => ({
      turnId,
      msg: { type: 'question_requested', request: { source: 'model', questionId, questions: [] } },
    });
    const state = fold(
      numbered([
        asked(null, 'q1'),
        { turnId: 't', msg: turnStarted },
        asked('t', 'q2'),
        { turnId: 't', msg: { type: 'turn_completed', lastMessage: null } },
      ]),
    );
    expect(state.questions.map(({ questionId, turnId }) => [questionId, turnId])).toEqual([['q1', null]]);
    const end: Said = { turnId: null, msg: { type: 'question_resolved', questionId: 'q1', by: 'user' } };
    const [ended] = numbered([end]);
    expect(ended && threadReducer(state, { ...ended, seq: 9 }).questions).toEqual([]);
  });
});

describe('a turn', () => {
  it('has each item once, in the order of their starts', () => {
    const started = (item: TurnItem) => ({ turnId: 't1', msg: { type: 'item_started', item } as const });
    const items = [command('i1'), message('i2'), command('i1', 'in_progress', 'again')];
    const state = fold(numbered([{ turnId: 't1', msg: turnStarted }, ...items.map(started)]));
    expect(state.turns[0]?.items).toEqual(items.slice(0, 2));
  });

  it('appends deltas to its texts, and replaces them by the final item', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (pieces) => {
        const delta = (text: string): Said => ({
          turnId: 't',
          msg: { type: 'item_delta', itemId: 'i', kind: 'text', text },
        });
        const state = fold(
          numbered([
            { turnId: 't', msg: turnStarted },
            { turnId: 't', msg: { type: 'item_started', item: message('i') } },
            ...pieces.map(delta),
          ]),
        );
        expect(state.turns[0]?.items).toEqual([message('i', 'in_progress', pieces.join(''))]);
      }),
    );
  });

  it('keeps reasoning in its sections', () => {
    const delta = (kind: 'summary' | 'section_break' | 'raw', text: string): Said => ({
      turnId: 't',
      msg: { type: 'item_delta', itemId: 'i', kind, text },
    });
    const state = fold(
      numbered([
        { turnId: 't', msg: turnStarted },
        {
          turnId: 't',
          msg: { type: 'item_started', item: { id: 'i', type: 'reasoning', status: 'in_progress', summary: [] } },
        },
        delta('summary', 'One'),
        delta('summary', '.'),
        delta('section_break', ''),
        delta('summary', 'Two.'),
        delta('raw', 'raw'),
      ]),
    );
    expect(state.turns[0]?.items[0]).toMatchObject({ summary: ['One.', 'Two.'], raw: 'raw' });
  });

  it('shows the end of a long output, never more than the limit', () => {
    const piece = `${'x'.repeat(99_999)}\n`;
    const outputs = Array.from(
      { length: 40 },
      (_, index): Said => ({
        turnId: 't',
        msg: { type: 'item_delta', itemId: 'i', kind: 'output', text: `${index}${piece}` },
      }),
    );
    const state = fold(
      numbered([
        { turnId: 't', msg: turnStarted },
        { turnId: 't', msg: { type: 'item_started', item: command('i') } },
        ...outputs,
      ]),
    );
    const [shown] = state.turns[0]?.items ?? [];
    const output = shown?.type === 'command_execution' ? shown.output : '';
    expect(output.length).toBeLessThanOrEqual(LIVE_OUTPUT_LIMIT);
    expect(output.length).toBeGreaterThan(LIVE_OUTPUT_LIMIT / 2);
    expect(outputs.map(({ msg }) => (msg.type === 'item_delta' ? msg.text : '')).join('')).toMatch(
      new RegExp(`${output.slice(-200)}$`),
    );
  });

  it('without an end is over when the next one starts', () => {
    const state = fold(
      numbered([
        { turnId: 't1', msg: turnStarted },
        { turnId: 't1', msg: { type: 'item_started', item: message('i') } },
        { turnId: 't2', msg: turnStarted },
      ]),
    );
    expect(state.turns.map((turn) => [turn.id, turn.status.type, turn.items.map(({ status }) => status)])).toEqual([
      ['t1', 'aborted', ['aborted']],
      ['t2', 'running', []],
    ]);
  });

  it('keeps who denied what, also for calls that shared the request', () => {
    const ask: EventMsg = {
      type: 'approval_requested',
      approvalId: 'a',
      itemId: 'one',
      callId: 'one',
      kind: 'command',
      reason: { source: 'policy', id: 'x', text: 'x' },
      choices: ['approved', 'denied'],
    };
    const joined: EventMsg = { type: 'approval_joined', approvalId: 'a', itemId: 'two', callId: 'two' };
    const answered = (decision: ApprovalDecision) =>
      fold(
        numbered(
          [turnStarted, ask, joined, { type: 'approval_resolved', approvalId: 'a', decision, by: 'user' } as const].map(
            (msg) => ({ turnId: 't', msg }),
          ),
        ),
      ).turns[0]?.denials;
    expect(answered({ denied: { message: 'Later.' } })).toEqual([
      { itemId: 'one', by: 'user', word: 'Later.' },
      { itemId: 'two', by: 'user', word: 'Later.' },
    ]);
    expect(answered('approved')).toEqual([]);
  });

  it('has used what the totals of its thread have grown by', () => {
    const used = (input: number, output: number) => ({ ...usage, input, output, total: input + output });
    const counted = (turnId: string, total: TokenUsage, more: Partial<EventMsgOf<'token_count'>> = {}): Said => ({
      turnId,
      msg: { type: 'token_count', last: usage, total, contextWindow: null, estimated: false, ...more },
    });
    const { turns } = fold(
      numbered([
        { turnId: 'a', msg: turnStarted },
        counted('a', used(100, 10)),
        counted('a', used(250, 30), { cost: { last: 0.25, total: 0.25 } }),
        { turnId: 'a', msg: { type: 'turn_completed', lastMessage: null } },
        { turnId: 'b', msg: turnStarted },
        { turnId: 'b', msg: { type: 'turn_aborted', reason: 'interrupted' } },
        { turnId: 'c', msg: turnStarted },
        // A compaction: the totals stay, and this estimate is of a request that was not sent.
        counted('c', used(250, 30), { estimated: true, cost: { last: 0.25, total: 0.25 } }),
        counted('c', used(300, 31), { cost: { last: 0.5, total: 0.75 } }),
        { turnId: 'c', msg: { type: 'turn_completed', lastMessage: null } },
        { turnId: 'd', msg: turnStarted },
        counted('d', used(310, 33), { estimated: true, cost: { last: 0.5, total: 0.75 } }),
      ]),
    );
    expect(turns.map((turn) => turn.usage)).toEqual([
      { tokens: used(250, 30), estimated: false, cost: 0.25 },
      null,
      { tokens: used(50, 1), estimated: false, cost: 0.5 },
      { tokens: used(10, 2), estimated: true },
    ]);
  });

  it('is not ended by an end without its id', () => {
    const running = fold(numbered([{ turnId: 't', msg: turnStarted }]));
    const end = numbered([{ turnId: null, msg: { type: 'turn_completed', lastMessage: null } }])[0] as Event;
    expect(threadReducer(running, { ...end, seq: 9 })).toBe(running);
  });

  it('gives the thread a title of its first message that says something', () => {
    const user = (id: string, text: string): Said => ({
      turnId: 't',
      msg: {
        type: 'item_completed',
        item: { id, type: 'user_message', status: 'completed', content: [{ type: 'text', text }] },
      },
    });
    const start: Said = { turnId: 't', msg: turnStarted };
    expect(fold(numbered([start, user('a', 'Hello?')])).title).toBe('Hello?');
    expect(fold(numbered([start, user('a', 'Hello?'), user('b', 'hi')])).title).toBe('Hello?');
    expect(fold(numbered([start, user('a', ' \n')])).title).toBe(null);
    expect(fold(numbered([start, user('a', 'Hello?'), user('b', 'Fix it. Now.'), user('c', 'later')])).title).toBe(
      'Fix it',
    );
    const named: Said = { turnId: null, msg: { type: 'title_changed', title: 'Mine' } };
    expect(fold(numbered([start, named, user('a', 'first')])).title).toBe('Mine');
  });
});
