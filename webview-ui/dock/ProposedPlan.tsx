import { titleOfPlan } from '../../src/protocol/text/proposedPlan.ts';
import { runCommand } from '../actions.ts';
import { Act, Button } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';
import { t } from '../l10n.ts';
import { isOwn, isRunning, proposedPlan, settings, waiting } from '../store.ts';

/** Shows the latest plan until the user runs it. */
export function ProposedPlan() {
  const plan = proposedPlan.value;
  if (plan === null || !isOwn.value) return null;
  const title = titleOfPlan(plan.text);
  const isReady = !isRunning.value && settings.value?.trusted === true;
  return (
    <section class="proposed" aria-label={t('Proposed plan')} data-testid="proposed-plan">
      <Icon name="checklist" />
      <span class="proposed-title" title={title}>
        {t('Plan: {0}', title)}
      </span>
      <span class="proposed-acts">
        <Act testid="plan-open" onClick={() => runCommand('openPlan')}>
          {t('Open Plan')}
        </Act>
        <Button
          testid="plan-run"
          kind={isReady && waiting.value.length === 0 ? 'primary' : 'secondary'}
          disabled={!isReady}
          onClick={() => runCommand('runPlan')}
        >
          {t('Run Plan')}
        </Button>
      </span>
    </section>
  );
}
