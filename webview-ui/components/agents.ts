import type { AgentState } from '../../src/protocol/item.ts';
import { t } from '../l10n.ts';
import type { StepState } from './Step.tsx';

/** The state of an agent as a row shows it. */
export const AGENT_STATES: Record<AgentState, StepState> = {
  pending_init: 'running',
  running: 'running',
  interrupted: 'denied',
  completed: 'done',
  errored: 'failed',
  shutdown: 'done',
};

/** Returns the state as a word, for users who do not see the icon. */
export function agentStateName(state: AgentState): string {
  switch (state) {
    case 'pending_init':
      return t('Starting');
    case 'running':
      return t('Running');
    case 'interrupted':
      return t('Stopped');
    case 'completed':
      return t('Done');
    case 'errored':
      return t('Failed');
    case 'shutdown':
      return t('Closed');
  }
}
