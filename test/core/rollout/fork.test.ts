/** A thread copied up to one of its messages. */
import { describe, expect, it } from 'vitest';
import { forkLines, forkRollout } from '../../../src/core/rollout/fork.ts';
import type { SessionMeta } from '../../../src/core/rollout/line.ts';
import { type ReplayedThread, replay } from '../../../src/core/rollout/replay.ts';
import type { TurnItem } from '../../../src/protocol/item.ts';
import { FakeSession, type ModelStep } from '../../support/fakeSession.ts';

const run = (cmd: string): ModelStep => ({ type: 'calls', name: 'exec_command', arguments: JSON.stringify({ cmd }) });

/** Two turns with a command each and a message that joined the second. */
async function story(): Promise<{
  readonly text: string;
  readonly meta: SessionMeta;
  readonly items: readonly TurnItem[];
}> {
  const chat = new FakeSession({
    settings: { approvalPolicy: 'untrusted' },
    answers: [
      [{ type: 'says', text: 'Looking.' }, run('make one')],
      [{ type: 'says', text: 'One.' }],
      [run('ls')],
      [{ type: 'says', text: 'Two.' }],
    ],
  });
  chat.say('first');
  await chat.until('approval_requested');
  const [asked] = chat.state.approvals;
  chat.submit({ type: 'approval', approvalIds: [asked?.approvalId ?? ''], decision: 'approved_for_thread' });
  await chat.session.idle();
  chat.say('second');
  await chat.until('turn_started', 2);
  chat.submit({ type: 'steer', input: [{ type: 'text', text: 'and quickly' }] });
  await chat.session.idle();
  await chat.session.dispose();
  const [text = ''] = [...chat.storage.files.values()];
  return { text, meta: chat.rollout().meta, items: chat.state.turns.flatMap((turn) => turn.items) };
}

const born = { id: 'copy', timestamp: '2026-12-01T00:00:00.000Z', forked_from_id: 'thread' };

function forked(text: string, meta: SessionMeta, itemId: string | null) {
  const fork = forkRollout(forkLines(text), { ...meta, ...born }, itemId);
  if (fork.type !== 'forked') throw new Error(fork.type);
  const read = replay(fork.text);
  if (read.type !== 'thread') throw new Error(read.message);
  return { draft: fork.draft, thread: read.thread };
}

/** The messages with their roles, and how each turn ended. */
function told({ state }: ReplayedThread): string[][] {
  return state.turns.map(({ items, status }) => [
    ...items.map((item) => (item.type === 'agent_message' ? item.text : item.type)),
    status.type,
  ]);
}

describe('a fork', () => {
  it('of the whole thread has all of it under another id, and none of its approvals', async () => {
    const { text, meta } = await story();
    const { draft, thread } = forked(text, meta, null);
    const before = replay(text);
    if (before.type !== 'thread') throw new Error();
    expect(draft).toBe(null);
    expect(before.thread.state.approvedKeys).not.toEqual([]);
    expect(thread.meta).toEqual({ ...meta, ...born });
    expect(thread.history).toEqual(before.thread.history);
    const { turns, tokens, title } = before.thread.state;
    expect(thread.state).toMatchObject({ threadId: 'copy', turns, tokens, title, approvedKeys: [], started: null });
  });

  it('before a message returns that message as a draft', async () => {
    const { text, meta, items } = await story();
    const messages = items.filter((item) => item.type === 'user_message');
    const cuts = messages.map(({ id }) => forked(text, meta, id));
    expect(cuts.map(({ draft }) => draft)).toEqual(messages.map(({ content }) => content));
    expect(cuts.map(({ thread }) => told(thread))).toEqual([
      [],
      [['user_message', 'Looking.', 'command_execution', 'One.', 'completed']],
      [
        ['user_message', 'Looking.', 'command_execution', 'One.', 'completed'],
        ['user_message', 'command_execution', 'completed'],
      ],
    ]);
    expect(cuts[0]?.thread.history).toEqual([]);
  });

  it('after a message of the agent ends there, and the turn with it', async () => {
    const { text, meta, items } = await story();
    const after = (index: number) => forked(text, meta, items[index]?.id ?? '').thread;
    expect(told(after(1))).toEqual([['user_message', 'Looking.', 'completed']]);
    expect(after(2).history.at(-1)?.type).toBe('function_call_output');
    expect(told(after(3))).toEqual([['user_message', 'Looking.', 'command_execution', 'One.', 'completed']]);
    expect(after(3).state.turns[0]?.status).toMatchObject({ lastMessage: 'One.' });
  });

  it('of a turn that is cut off or still runs in another process ends it', async () => {
    const { text, meta } = await story();
    const lines = text.split('\n');
    for (let end = 2; end < lines.length; end++) {
      const { thread } = forked(lines.slice(0, end).join('\n'), meta, null);
      expect(thread.state.activeTurnId).toBe(null);
      expect(thread.dropped).toBe(0);
    }
  });

  it('keeps lines that it cannot parse, byte for byte', async () => {
    const { text, meta } = await story();
    const strange = '{"type":"world_state",  "payload":{"x":1}}';
    const fork = forkRollout(forkLines(`${text}${strange}\n`), { ...meta, ...born }, null);
    expect(fork.type === 'forked' && fork.text.includes(`${strange}\n`)).toBe(true);
  });

  it('needs an existing item', async () => {
    const { text, meta } = await story();
    expect(forkRollout(forkLines(text), meta, 'nothing')).toEqual({ type: 'no_such_item' });
  });
});
