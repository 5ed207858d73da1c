/** What a person is told whose answer comes too late: VS Code keeps a notification behind the bell, buttons and all. */
import * as vscode from 'vscode';
import type { ApprovalRequest, EventMsgOf } from '../../protocol/event.ts';
import { denialIn } from '../../protocol/policy.ts';
import { subjectOf } from './approvalMessages.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';

/** What was decided, and by whom. */
export type Settled = Pick<EventMsgOf<'approval_resolved'>, 'decision' | 'by'>;

/** `settled` is absent where nobody here has seen what became of it. */
export function tooLate(approval: ApprovalRequest, settled: Settled | undefined): string {
  const subject = withoutLinks(subjectOf(approval));
  switch (settled?.by) {
    case 'user':
      return settled.decision === 'abort'
        ? vscode.l10n.t('You have stopped the turn that asked for this: {0}', subject)
        : isNo(settled)
          ? vscode.l10n.t('You have already said no to this: {0}', subject)
          : vscode.l10n.t('You have already said yes to this: {0}', subject);
    case 'rule':
      return isNo(settled)
        ? vscode.l10n.t('A rule has forbidden this meanwhile: {0}', subject)
        : vscode.l10n.t('A rule has allowed this meanwhile: {0}', subject);
    case 'turn_ended':
    case 'non_interactive':
      return vscode.l10n.t('The turn that asked for this has ended without it: {0}', subject);
    case 'memory':
    case 'policy':
    case undefined:
      return vscode.l10n.t('This does not wait for an answer any more: {0}', subject);
  }
}

function isNo({ decision }: Settled): boolean {
  return denialIn(decision) !== undefined;
}
