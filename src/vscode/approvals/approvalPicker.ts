import * as vscode from 'vscode';
import { needsCare } from '../../protocol/approval.ts';
import type { ApprovalRequest } from '../../protocol/event.ts';
import type { ApprovalDecision } from '../../protocol/policy.ts';
import { visibleText } from '../../protocol/text/escapeInvisible.ts';
import { losesWork, questionOf, subjectOf, whyAsked, approvalsOffered } from './approvalMessages.ts';
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

/** Returns true if approving has no variants and loses no work. */
export function isPlain(approval: ApprovalRequest): boolean {
  return !losesWork(approval) && approvalsOffered(approval).every(({ decision }) => decision === 'approved');
}

/**
 * Asks how to approve a request that can destroy work, or would discard or ignore unsaved edits. Names the command or
 * the files; the choice that loses work is not the preselected one. `undefined` when cancelled.
 */
export async function pickYes(approval: ApprovalRequest): Promise<ApprovalDecision | 'show' | undefined> {
  const approvals = approvalsOffered(approval);
  const show = { label: vscode.l10n.t('Show'), decision: 'show' as const };
  const isRisky = losesWork(approval);
  const picked = await vscode.window.showQuickPick(isRisky ? [show, ...approvals] : [...approvals, show], {
    title: vscode.l10n.t('Approve'),
    placeHolder: isRisky ? questionOf(approval) : vscode.l10n.t('Not saved: {0}', (approval.unsaved ?? []).join(', ')),
  });
  return picked?.decision;
}

function itemOf(approval: ApprovalRequest, careful: boolean): WaitingItem {
  const risky = needsCare(approval);
  const folder = approval.cwd === undefined ? [] : [vscode.l10n.t('in {0}', approval.cwd)];
  return {
    approval,
    label: `${risky ? '$(warning) ' : ''}${withoutIcons(subjectOf(approval))}`,
    detail: withoutIcons(visibleText([whyAsked(approval), ...folder].join(' '))),
    picked: !(careful && risky),
  };
}
