import { titleOfPlan } from '../../src/protocol/text/proposedPlan.ts';
import { Icon } from '../components/Icon.tsx';
import { GrowingMarkdown } from '../components/Markdown.tsx';
import { t } from '../l10n.ts';
import { proposedPlanId } from '../store.ts';

/** A plan in a message of the model. Of several plans only the latest is open. */
export function PlanCard({ itemId, text, isGrowing }: { itemId: string; text: string; isGrowing: boolean }) {
  const isOpen = isGrowing || proposedPlanId.value === itemId;
  return (
    <details class="plan-card" open={isOpen} data-testid="plan-card">
      <summary class="plan-card-head">
        <Icon name="checklist" />
        <span class="plan-card-title">{isOpen ? t('Proposed plan') : t('Plan: {0}', titleOfPlan(text))}</span>
        <Icon name="chevron-right" className="step-chevron" />
      </summary>
      <div class="plan-card-text">
        <GrowingMarkdown text={text} complete={!isGrowing} />
      </div>
    </details>
  );
}
