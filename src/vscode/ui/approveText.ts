import * as vscode from 'vscode';
import type { TrustDecision } from '../../core/trust/trust.ts';
import { visibleText } from '../../protocol/text/escapeInvisible.ts';
import type { ReadOnlyTexts } from './readOnlyTexts.ts';

export interface TextQuestion {
  /** Identifies the text. */
  readonly hash: string;
  /** The name of its document. */
  readonly name: string;
  readonly text: string;
  readonly question: string;
}

/**
 * Shows the whole text that an approval covers, with its invisible characters escaped, and asks for it beside the text. Returns
 * the decision; `undefined` when the user makes none.
 */
export async function approveText(
  { hash, name, text, question }: TextQuestion,
  texts: Pick<ReadOnlyTexts, 'open'>,
): Promise<Exclude<TrustDecision, 'open'> | undefined> {
  await vscode.window.showTextDocument(await texts.open(hash, name, visibleText(text)), { preview: true });
  const [approve, refuse] = [vscode.l10n.t('Approve'), vscode.l10n.t('Refuse')];
  // Not modal: the user reads and scrolls before the answer.
  const answer = await vscode.window.showInformationMessage(question, approve, refuse);
  if (answer === undefined) return undefined;
  return answer === approve ? 'approved' : 'refused';
}
