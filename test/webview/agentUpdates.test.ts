import { expect, it } from 'vitest';
import type { ThreadUpdate } from '../../src/core/agent/liveThreads.ts';
import { Emitter } from '../../src/core/util/emitter.ts';
import type { AgentRow } from '../../src/protocol/wire.ts';
import { AgentUpdates } from '../../src/vscode/chat/agentUpdates.ts';

it('the host posts rows of agents that have changed, below the shown thread, and all of them to a new page', () => {
  const events = new Emitter<ThreadUpdate>((error) => expect.unreachable(String(error)));
  const agent = { agentId: 'a', role: 'worker', state: 'running' } as const;
  const row: AgentRow = { ...agent, depth: 0, isLive: true, line: '', approvals: [], questions: [] };
  const overview = { agents: [row], isBelowShown: () => true };
  const threads = { onEvent: events.event, state: null, overview };
  const lines: string[] = [];
  const updates = new AgentUpdates(threads, (rows) => lines.push(rows.map(({ line }) => line).join()));
  const asks = () =>
    events.fire({ event: { threadId: 'a', msg: { type: 'approval_resolved' } }, state: {} } as unknown as ThreadUpdate);
  const says = (line: string) => {
    overview.agents = [{ ...row, line }];
    asks();
  };
  says('one');
  asks();
  says('two');
  overview.isBelowShown = () => false;
  says('of another thread');
  says('two');
  updates.post();
  expect(lines).toEqual(['one', 'two', 'two']);
  updates.dispose();
});
