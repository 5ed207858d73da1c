import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { decide } from '../actions.ts';
import { post } from '../bridge.ts';
import { decisionTitle } from '../decisions.ts';
import { t } from '../l10n.ts';
import { pendingDiff } from '../store.ts';
import { denyOf, stopOf, widerAnswers } from './CommandApproval.tsx';
import { DecisionCard } from './DecisionCard.tsx';
import { LineCount } from './Facts.tsx';
import { sumOf } from './FileChange.tsx';
import { FileRows } from './FileRows.tsx';

/** One row per file, hunks inside; Review takes it to the diff editor. */
export function PatchApproval({ request }: { request: ApprovalRequest }) {
  const { approvalId, itemId, changes = [], reason } = request;
  const showsReason = reason.id !== 'review-before';
  return (
    <DecisionCard
      id={approvalId}
      testid="approval-patch"
      title={decisionTitle({ type: 'approval', id: approvalId, request })}
      aside={<LineCount {...sumOf(changes)} />}
      answers={[
        {
          testid: 'decision-approve',
          label: changes.length === 1 ? t('Approve') : t('Approve all'),
          shortcut: 'Enter',
          act: () => decide(approvalId, 'approved'),
        },
        {
          testid: 'decision-review',
          label: t('Review'),
          shortcut: 'R',
          icon: 'diff-multiple',
          act: () => post({ type: 'open_diff', itemId }),
        },
      ]}
      deny={denyOf(request)}
      stop={stopOf(request)}
      wider={widerAnswers(request)}
    >
      {showsReason && <p class="decide-lead">{t('Asked because: {0}', reason.text)}</p>}
      <FileRows itemId={itemId} changes={changes} diff={pendingDiff(itemId)} openFirst />
    </DecisionCard>
  );
}
