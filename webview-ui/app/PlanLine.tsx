import { t } from '../l10n.ts';
import { isRunning, plan } from '../store.ts';
import { Icon } from '../components/Icon.tsx';
import { PlanList, planFacts } from '../components/PlanList.tsx';

/** Shows the current step of the plan while a turn runs, and all steps when the user opens the line. */
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
