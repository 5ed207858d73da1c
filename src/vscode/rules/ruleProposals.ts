import * as vscode from 'vscode';
import type { RuleProposal } from '../../protocol/rules.ts';
import { ruleSubject } from '../../protocol/text/ruleLabels.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';

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
  const seen = memento.get<readonly string[]>(SEEN, []);
  const fresh = proposals.filter(({ hash, state }) => state === 'new' && !seen.includes(hash));
  const [first] = fresh;
  if (!first) return;
  await memento.update(SEEN, [...seen, ...fresh.map(({ hash }) => hash)]);
  const words = ruleSubject(first.rule);
  const sentence =
    fresh.length === 1
      ? vscode.l10n.t('This workspace asks Tiller to always allow commands that start with: {0}', withoutLinks(words))
      : vscode.l10n.t('This workspace asks Tiller to always allow {0} kinds of commands.', fresh.length);
  const show = vscode.l10n.t('Show Rules');
  if ((await vscode.window.showInformationMessage(sentence, show)) === show) showRules();
}
