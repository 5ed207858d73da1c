/** Messages for an answer that comes too late: VS Code keeps a notification with its buttons behind the bell. */
import * as vscode from 'vscode';
import type { ApprovalRequest, EventMsgOf } from '../../protocol/event.ts';
import { denialIn } from '../../protocol/policy.ts';
import { subjectOf } from './approvalMessages.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';

/** The decision and its source. */
export type Settled = Pick<EventMsgOf<'approval_resolved'>, 'decision' | 'by'>;

/** `settled` is absent when the outcome is unknown in this window. */
export function tooLate(approval: ApprovalRequest, settled: Settled | undefined): string {
  const subject = withoutLinks(subjectOf(approval));
  switch (settled?.by) {
    case 'user':
      return settled.decision === 'abort'
        ? vscode.l10n.t('You have stopped the turn that asked for this: {0}', subject)
        : isNo(settled)
          ? vscode.l10n.t('You have already denied this: {0}', subject)
          : vscode.l10n.t('You have already approved this: {0}', subject);
    case 'reviewer':
      return vscode.l10n.t('The reviewer has already approved this: {0}', subject);
    case 'rule':
      return isNo(settled)
        ? vscode.l10n.t('A rule forbids this now: {0}', subject)
        : vscode.l10n.t('A rule allows this now: {0}', subject);
    case 'turn_ended':
    case 'non_interactive':
      return vscode.l10n.t('The turn that asked for this has ended: {0}', subject);
    case 'memory':
    case 'policy':
    case undefined:
      return vscode.l10n.t('This request is no longer pending: {0}', subject);
  }
}

function isNo({ decision }: Settled): boolean {
  return denialIn(decision) !== undefined;
}
