import type { RuleDecision } from '../../src/protocol/policy.ts';
import { Icon } from '../components/Icon.tsx';
import { t } from '../l10n.ts';

/** Returns the name of the decision's codicon. */
export function decisionIcon(decision: RuleDecision): string {
  switch (decision) {
    case 'allow':
      return 'check';
    case 'prompt':
      return 'question';
    case 'forbidden':
      return 'circle-slash';
  }
}

/** The decision, in the user's language. */
export function decisionWord(decision: RuleDecision): string {
  switch (decision) {
    case 'allow':
      return t('Allow');
    case 'prompt':
      return t('Ask');
    case 'forbidden':
      return t('Forbid');
  }
}

/** The decision with its icon. */
export function DecisionWord({ decision }: { decision: RuleDecision }) {
  return (
    <span class="page-decision" data-decision={decision}>
      <Icon name={decisionIcon(decision)} /> {decisionWord(decision)}
    </span>
  );
}
