import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { decide } from '../actions.ts';
import { post } from '../bridge.ts';
import { decisionTitle, reasonInFull } from '../decisions.ts';
import { t } from '../l10n.ts';
import { pendingDiff } from '../store.ts';
import { denyOf, stopOf, widerAnswers } from './CommandApproval.tsx';
import { type Answer, DecisionCard } from './DecisionCard.tsx';
import { Elsewhere } from './Elsewhere.tsx';
import { LineCount } from './Facts.tsx';
import { sumOf } from './FileChange.tsx';
import { FileRows } from './FileRows.tsx';
import { Icon } from './Icon.tsx';

/** One row per file, hunks inside; Review takes it to the diff editor. */
export function PatchApproval({ request }: { request: ApprovalRequest }) {
  const { approvalId, itemId, changes = [], reason } = request;
  const showsReason = reason.id !== 'review-before' && reason.id !== 'unsaved-edits';
  const discarded = changes.filter((change) => change.discardsUnsaved).map(({ path }) => path);
  const approve: Answer =
    discarded.length === 0
      ? {
          testid: 'decision-approve',
          label: changes.length === 1 ? t('Approve') : t('Approve all'),
          shortcut: 'Enter',
          act: () => decide(approvalId, 'approved'),
        }
      : {
          // No key: nobody gives up what they typed by habit.
          testid: 'decision-approve-discarding',
          label: t('Discard Unsaved Edits and Approve'),
          act: () => decide(approvalId, { approved_discarding: { paths: discarded } }),
        };
  return (
    <DecisionCard
      id={approvalId}
      testid="approval-patch"
      title={decisionTitle({ type: 'approval', id: approvalId, request })}
      isRisky={discarded.length > 0}
      aside={<LineCount {...sumOf(changes)} />}
      answers={[
        approve,
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
      {discarded.length > 0 && (
        <p class="decide-lead" data-testid="approval-discards">
          <Icon name="warning" /> {t('Edits you have not saved would go: {0}', discarded.join(', '))}
        </p>
      )}
      <Elsewhere request={request} />
      {showsReason && <p class="decide-lead">{t('Asked because: {0}', reasonInFull(reason))}</p>}
      <FileRows itemId={itemId} changes={changes} diff={pendingDiff(itemId)} openFirst />
    </DecisionCard>
  );
}
