import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { countHunks, isTouched, type ReviewedFile } from '../../src/protocol/review.ts';
import { insideOf } from '../../src/protocol/text/relativizePaths.ts';
import { decide } from '../actions.ts';
import { post } from '../bridge.ts';
import { decisionTitle } from './titles.ts';
import { reasonInFull } from '../text/reasons.ts';
import { plural, t } from '../l10n.ts';
import { cwd, pendingDiff, reviews } from '../store.ts';
import { denyOf, escapeOf, widerAnswers } from './CommandApproval.tsx';
import { type Answer, DecisionCard } from './DecisionCard.tsx';
import { Elsewhere } from './Elsewhere.tsx';
import { LineCount } from '../components/Facts.tsx';
import { takenLines } from '../text/takenLines.ts';
import { type Choices, FileRows, sumOf } from '../components/FileRows.tsx';
import { Icon } from '../components/Icon.tsx';

/** The card to approve a patch: one row per file, with its hunks. "Review" opens the diff editor. */
export function PatchApproval({ request }: { request: ApprovalRequest }) {
  const { approvalId, itemId, changes = [], reason } = request;
  const showsReason = reason.id !== 'review-before' && reason.id !== 'unsaved-edits';
  const files = reviews.value.get(approvalId)?.files ?? [];
  const isOut = (path: string) => files.some((file) => file.path === path && file.isOut);
  const discarded = changes.filter((change) => change.discardsUnsaved && !isOut(change.path)).map(({ path }) => path);
  const { taken, total } = countHunks(files);
  const isReviewed = files.some(isTouched);
  const nothingLeft = isReviewed && taken === 0;
  const approve: Answer =
    discarded.length === 0
      ? {
          testid: 'decision-approve',
          label: approveLabel(changes.length, isReviewed, taken, total),
          shortcut: 'Enter',
          disabled: nothingLeft,
          act: () => decide(approvalId, 'approved'),
        }
      : {
          // It has no shortcut: unsaved edits must not be discarded by habit.
          testid: 'decision-approve-discarding',
          label: t('Discard and Approve'),
          act: () => decide(approvalId, { approved_discarding: { paths: discarded } }),
        };
  return (
    <DecisionCard
      id={approvalId}
      testid="approval-patch"
      title={decisionTitle({ type: 'approval', id: approvalId, request })}
      icon={discarded.length > 0 ? 'warning' : undefined}
      isRisky={discarded.length > 0}
      noDefault={discarded.length > 0}
      aside={
        <>
          {isReviewed && (
            <span class="decide-nth" data-testid="review-count">
              {t('{0} of {1} hunks', taken, total)}
            </span>
          )}
          <LineCount {...(isReviewed ? takenLines(changes, pendingDiff(itemId), files) : sumOf(changes))} />
        </>
      }
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
      escape={escapeOf(request)}
      // A remembered approval covers whole files, so it is not offered when only a part of a patch is approved.
      wider={isReviewed ? [] : widerAnswers(request)}
    >
      <PatchNotes request={request} discarded={discarded} />
      <Elsewhere request={request} />
      {showsReason && (
        <p class="decide-lead">{t('Why you’re asked: {0}', insideOf(cwd.value, reasonInFull(reason)))}</p>
      )}
      <FileRows
        itemId={itemId}
        changes={changes}
        diff={pendingDiff(itemId)}
        openFirst
        choices={choicesOf(approvalId, files, total)}
      />
    </DecisionCard>
  );
}

/** The effects of an approval besides applying the patch. `discarded`: files whose unsaved edits would be lost. */
function PatchNotes({ request, discarded }: { request: ApprovalRequest; discarded: readonly string[] }) {
  const { moved = [], missingFolders = [] } = request;
  return (
    <>
      {discarded.length > 0 && (
        <p class="decide-lead" data-testid="approval-discards">
          <Icon name="warning" />
          <span>{t('Unsaved edits would be lost: {0}', discarded.join(', '))}</span>
        </p>
      )}
      {missingFolders.length > 0 && (
        <p class="decide-lead" data-testid="approval-missing-folders">
          <Icon name="warning" />
          <span>{missingFoldersNote(missingFolders)}</span>
        </p>
      )}
      {moved.length > 0 && (
        <p class="decide-lead" data-testid="approval-moved">
          <Icon name="info" />
          <span>{t('Renamed since: {0}', moved.map(({ from, to }) => `${from} → ${to}`).join(', '))}</span>
        </p>
      )}
    </>
  );
}

function missingFoldersNote(folders: readonly string[]): string {
  return plural(
    folders.length,
    'A folder is gone: {1}. Approving creates it again.',
    '{0} folders are gone: {1}. Approving creates them again.',
    folders.join(', '),
  );
}

function approveLabel(fileCount: number, isReviewed: boolean, taken: number, total: number): string {
  if (isReviewed) return taken === total ? t('Approve as Edited') : t('Approve {0} of {1}', taken, total);
  return fileCount === 1 ? t('Approve') : t('Approve All');
}

/** Returns the choices for each hunk. With a single hunk there are none besides "Deny". */
function choicesOf(approvalId: string, files: readonly ReviewedFile[], total: number): Choices | undefined {
  if (total < 2) return undefined;
  return {
    files,
    choose: (path, hunk, wanted) => post({ type: 'choose_hunk', approvalId, path, hunk, wanted }),
    explain: (path, hunk, reason) => post({ type: 'explain_hunk', approvalId, path, hunk, reason }),
  };
}
