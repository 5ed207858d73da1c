import * as vscode from 'vscode';
import { needsCare } from '../../protocol/approval.ts';
import type { ApprovalRequest } from '../../protocol/event.ts';
import type { ApprovalDecision } from '../../protocol/policy.ts';
import { visibleText } from '../../protocol/text/escapeInvisible.ts';
import { questionOf, subjectOf, whyAsked, approvalsOffered } from './approvalMessages.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';

interface WaitingItem extends vscode.QuickPickItem {
  readonly approval: ApprovalRequest;
}

/**
 * Picks the requests that one answer is for; `undefined` when cancelled. A single pending request is picked at once.
 */
export async function pickWaiting(
  waiting: readonly ApprovalRequest[],
  { title, careful }: { readonly title: string; readonly careful: boolean },
): Promise<readonly ApprovalRequest[] | undefined> {
  if (waiting.length < 2) return waiting;
  const items = waiting.map((approval) => itemOf(approval, careful));
  const placeHolder = vscode.l10n.t('All selected requests get the answer');
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder,
    canPickMany: true,
    matchOnDetail: true,
  });
  return picked?.map(({ approval }) => approval);
}

/** Whether approving has no variants. */
export function isPlain(approval: ApprovalRequest): boolean {
  return approvalsOffered(approval).every(({ decision }) => decision === 'approved');
}

/**
 * Asks how to approve a request that would discard or ignore unsaved edits. Names the files; the choice that discards
 * is not the preselected one. `undefined` when cancelled.
 */
export async function pickYes(approval: ApprovalRequest): Promise<ApprovalDecision | 'show' | undefined> {
  const approvals = approvalsOffered(approval);
  const show = { label: vscode.l10n.t('Show'), decision: 'show' as const };
  const losesEdits = approvals.some(({ decision }) => typeof decision === 'object');
  const picked = await vscode.window.showQuickPick(losesEdits ? [show, ...approvals] : [...approvals, show], {
    title: vscode.l10n.t('Approve'),
    placeHolder: losesEdits
      ? questionOf(approval)
      : vscode.l10n.t('Not saved: {0}', (approval.unsaved ?? []).join(', ')),
  });
  return picked?.decision;
}

function itemOf(approval: ApprovalRequest, careful: boolean): WaitingItem {
  const risky = needsCare(approval);
  const place = approval.cwd === undefined ? [] : [vscode.l10n.t('in {0}', approval.cwd)];
  return {
    approval,
    label: `${risky ? '$(warning) ' : ''}${withoutIcons(subjectOf(approval))}`,
    detail: withoutIcons(visibleText([whyAsked(approval), ...place].join(' '))),
    picked: !(careful && risky),
  };
}
