import type { AgentSummary } from '../../../protocol/thread.ts';

type Status = Pick<AgentSummary, 'state' | 'lastMessage' | 'inSideCopy'>;

const IN_COPY =
  'This agent worked in a side copy: what it changed is not in the workspace until the user brings it home. Do not do it again; say so to the user.';

/** The last message, with what the model has to know of where the agent worked. */
export function messageForModel({ lastMessage = '', inSideCopy }: Status): string {
  return [lastMessage, ...(inSideCopy === true ? [IN_COPY] : [])].filter((part) => part !== '').join('\n\n');
}

/** The status of an agent as a model reads it (codex-behaviour.md §11); `undefined`: an unknown agent. */
export function statusForModel(agent: Status | undefined): unknown {
  switch (agent?.state) {
    case undefined:
      return 'not_found';
    case 'completed':
      return { completed: messageForModel(agent) || null };
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
