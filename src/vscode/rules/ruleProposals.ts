import * as vscode from 'vscode';
import type { RuleProposal } from '../../protocol/rules.ts';
import { ruleSubject } from '../../protocol/text/ruleLabels.ts';
import { announceOnce } from '../ui/announceOnce.ts';

const SEEN = 'tiller.seenProposals';

/**
 * Shows one notification when the workspace proposes to allow a command, with its text (docs/design.md decision 12). A
 * changed text is a new proposal. Whatever the user does with the notification, the proposal stays on the rules page.
 */
export async function announceProposals(
  proposals: readonly RuleProposal[],
  memento: vscode.Memento,
  showRules: () => void,
): Promise<void> {
  const fresh = proposals.filter(({ state }) => state === 'new');
  await announceOnce(fresh, {
    memento,
    key: SEEN,
    sentence: ({ rule }, count) =>
      count === 1
        ? vscode.l10n.t('This workspace asks Tiller to always allow commands that start with: {0}', ruleSubject(rule))
        : vscode.l10n.t('This workspace asks Tiller to always allow {0} kinds of commands.', count),
    button: vscode.l10n.t('Show Rules'),
    show: showRules,
  });
}
