/** A rollout as a session writes it: one turn with one command. */
import type { RolloutEntry } from '../../../src/core/rollout/line.ts';
import type { EventMsg, TurnSettings } from '../../../src/protocol/event.ts';
import type { TurnItem } from '../../../src/protocol/item.ts';

export const THREAD_ID = '019a0000-0000-7000-8000-000000000001';

const settings: TurnSettings = {
  model: 'm',
  effort: null,
  summary: 'auto',
  cwd: '/work',
  approvalPolicy: 'on-request',
  sandboxPolicy: { type: 'danger-full-access' },
  box: 'none',
};
const user: TurnItem = {
  id: 'item_1',
  type: 'user_message',
  status: 'completed',
  content: [{ type: 'text', text: 'go' }],
};
const command: TurnItem = {
  id: 'item_2',
  type: 'command_execution',
  status: 'in_progress',
  callId: 'call_1',
  command: 'ls',
  argv: ['/bin/bash', '-c', 'ls'],
  cwd: '/work',
  box: 'none',
  exitCode: null,
  durationMs: 0,
  output: '',
};
const answer: TurnItem = { id: 'item_3', type: 'agent_message', status: 'completed', text: 'Done. 💡' };

const event = (turnId: string | null, msg: EventMsg): RolloutEntry => ({
  type: 'event_msg',
  payload: { turnId, submissionId: 'op-1', msg },
});
const inTurn = (msg: EventMsg) => event('turn_1', msg);
const heard = (text: string): RolloutEntry => ({
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

const ENTRIES: readonly RolloutEntry[] = [
  {
    type: 'session_meta',
    payload: {
      format: 'tiller-rollout',
      version: 1,
      id: THREAD_ID,
      timestamp: '2026-11-21T00:00:00.000Z',
      cwd: '/work',
      originator: 'cli',
      tiller_version: '0.0.0',
      model: 'm',
      provider: 'p',
      instructions: 'You are Tiller.',
    },
  },
  event(null, {
    type: 'thread_started',
    cwd: '/work',
    model: 'm',
    approvalPolicy: 'on-request',
    sandbox: 'danger-full-access',
    box: 'none',
    rolloutPath: '/x',
  }),
  { type: 'turn_context', payload: settings },
  inTurn({ type: 'turn_started', settings, contextWindow: 1000 }),
  heard('<environment_context>\n</environment_context>'),
  inTurn({ type: 'item_started', item: { ...user, status: 'in_progress' } }),
  heard('go'),
  inTurn({ type: 'item_completed', item: user }),
  {
    type: 'response_item',
    payload: { type: 'function_call', call_id: 'call_1', name: 'exec_command', arguments: '{"cmd":"ls"}' },
  },
  inTurn({ type: 'item_started', item: command }),
  inTurn({ type: 'item_completed', item: { ...command, status: 'completed', exitCode: 0, output: 'a.txt\n' } }),
  { type: 'response_item', payload: { type: 'function_call_output', call_id: 'call_1', output: 'a.txt\n' } },
  inTurn({ type: 'item_started', item: { ...answer, status: 'in_progress', text: '' } }),
  {
    type: 'response_item',
    payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done. 💡' }] },
  },
  inTurn({ type: 'item_completed', item: answer }),
  inTurn({ type: 'turn_completed', lastMessage: 'Done. 💡' }),
];

export const ROLLOUT = ENTRIES.map(
  ({ type, payload }) => `${JSON.stringify({ timestamp: '2026-11-21T00:00:00.000Z', type, payload })}\n`,
).join('');
