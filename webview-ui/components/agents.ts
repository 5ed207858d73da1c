import type { AgentState } from '../../src/protocol/item.ts';
import { t } from '../l10n.ts';
import type { StepState } from './Step.tsx';

/** How a row shows what an agent does. */
export const AGENT_STATES: Record<AgentState, StepState> = {
  pending_init: 'running',
  running: 'running',
  interrupted: 'denied',
  completed: 'done',
  errored: 'failed',
  shutdown: 'done',
};

/** The same as a word, for users who do not see the icon. */
export function agentStateName(state: AgentState): string {
  switch (state) {
    case 'pending_init':
      return t('Starting');
    case 'running':
      return t('At work');
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
