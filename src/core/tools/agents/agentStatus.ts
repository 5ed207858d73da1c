import type { AgentSummary } from '../../../protocol/thread.ts';

type Status = Pick<AgentSummary, 'state' | 'lastMessage'>;

/** The status of an agent as a model reads it (codex-behaviour.md §11); `undefined`: an unknown agent. */
export function statusForModel(agent: Status | undefined): unknown {
  switch (agent?.state) {
    case undefined:
      return 'not_found';
    case 'completed':
      return { completed: agent.lastMessage ?? null };
    case 'errored':
      return { errored: agent.lastMessage ?? '' };
    case 'interrupted':
      return { errored: 'Interrupted' };
    case 'pending_init':
    case 'running':
    case 'shutdown':
      return agent.state;
  }
}

/** Nothing of it changes before it gets another message or is closed. */
export function isFinal({ state }: Pick<AgentSummary, 'state'>): boolean {
  return state !== 'pending_init' && state !== 'running';
}
