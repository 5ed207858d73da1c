import type { PlanStep } from '../../src/protocol/item.ts';
import { t } from '../l10n.ts';
import { isRunning, plan } from '../store.ts';
import { Icon, Spinner } from '../components/Icon.tsx';

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

/** The current step while a turn runs, the list on demand. */
export function PlanLine() {
  const steps = plan.value?.steps ?? [];
  if (!isRunning.value || steps.length === 0) return null;
  const { done, total, current } = planFacts(steps);
  return (
    <details class="plan" data-testid="plan">
      <summary class="plan-row">
        <span class="step-icon">
          <Icon name="checklist" />
        </span>
        <span class="plan-title">{t('Plan')}</span>
        <span class="plan-now">{current?.step ?? t('Plan')}</span>
        <Icon name="chevron-right" className="step-chevron" />
        <span class="step-meta">{t('{0}/{1}', done, total)}</span>
      </summary>
      <PlanList steps={steps} />
    </details>
  );
}
