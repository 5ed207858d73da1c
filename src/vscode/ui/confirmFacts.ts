import * as vscode from 'vscode';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';

/** In characters: a longer text is not approved in a dialog that cannot show it. */
const MAX_DETAIL = 4_000;

/** A question about something of others that is to be used from then on. */
export interface FactsQuestion {
  readonly question: string;
  /** All that the approval covers, one fact in a line; an empty one separates. */
  readonly facts: readonly string[];
  /** The button that approves. */
  readonly approve: string;
  /** The warning in place of the question when the facts cannot be shown whole. */
  readonly tooLong: string;
}

/** Shows all facts that an approval covers, and asks for it. False when the facts cannot be shown whole. */
export async function confirmFacts({ question, facts, approve, tooLong }: FactsQuestion): Promise<boolean> {
  const detail = facts.map(visibleName).join('\n');
  if (detail.length > MAX_DETAIL) {
    void vscode.window.showWarningMessage(tooLong);
    return false;
  }
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, approve)) === approve;
}
