import * as vscode from 'vscode';
import type { ThreadState } from '../../protocol/thread.ts';
import { isAtRest } from '../../core/agent/threadActivity.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';

/** Whether another window may take this thread over: an idle one at once, else the user decides. */
export async function allowsTakeOver(state: ThreadState | undefined): Promise<boolean> {
  if (!state || isAtRest(state)) return true;
  const give = vscode.l10n.t('Give It Up');
  const sentence = vscode.l10n.t(
    'Another window wants to take over “{0}”. What runs in it would be stopped.',
    shownTitle(state.title),
  );
  return (await vscode.window.showWarningMessage(sentence, give, vscode.l10n.t('Keep It'))) === give;
}

/** The title of a thread as a notification shows it. */
export function shownTitle(title: string | null): string {
  return withoutLinks(title ?? vscode.l10n.t('Untitled'));
}
