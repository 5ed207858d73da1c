import type { PlanStep } from '../../src/protocol/item.ts';
import { t } from '../l10n.ts';
import { Icon, Spinner } from './Icon.tsx';

/** Counts the steps of a plan. `current`: the step in progress. */
export function planFacts(steps: readonly PlanStep[]): { done: number; total: number; current: PlanStep | undefined } {
  return {
    done: steps.filter(({ status }) => status === 'completed').length,
    total: steps.length,
    current: steps.find(({ status }) => status === 'in_progress'),
  };
}

const STATES = { completed: 'done', in_progress: 'now', pending: 'todo' } as const;

function statusWord(status: PlanStep['status']): string {
  if (status === 'completed') return t(', done');
  return status === 'in_progress' ? t(', in progress') : t(', to do');
}

/** Lists the steps with their states. */
export function PlanList({ steps }: { steps: readonly PlanStep[] }) {
  return (
    <ol class="plan-list">
      {steps.map(({ step, status }, index) => (
        <li key={index} data-state={STATES[status]}>
          <span class="step-icon">
            {status === 'in_progress' ? <Spinner /> : <Icon name={status === 'completed' ? 'pass' : 'circle-large'} />}
          </span>
          <span>
            {step}
            <span class="sr">{statusWord(status)}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
