import * as vscode from 'vscode';
import type { ThreadState } from '../../protocol/thread.ts';
import { isAtRest } from '../../core/agent/threadActivity.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';

/** Resolves to true if another window may take this thread over: an idle one at once, else the user decides. */
export async function allowsTakeOver(state: ThreadState | undefined): Promise<boolean> {
  if (!state || isAtRest(state)) return true;
  const handOver = vscode.l10n.t('Hand Over');
  const sentence = vscode.l10n.t(
    'Another window wants to take over “{0}”. This stops everything that runs in it.',
    shownTitle(state.title),
  );
  return (await vscode.window.showWarningMessage(sentence, handOver, vscode.l10n.t('Keep'))) === handOver;
}

/** The title of a thread as a notification shows it. */
export function shownTitle(title: string | null): string {
  return withoutLinks(title ?? vscode.l10n.t('Untitled'));
}
