import * as vscode from 'vscode';
import type { Spending } from '../../core/session/caps.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { ThreadState } from '../../protocol/thread.ts';

/** The usage of today and of this month, by all windows and command lines with the same TILLER_HOME. */
export interface Usage {
  readonly day: Spending;
  readonly month: Spending;
}

/** "Tiller: Show Usage": tokens and costs with their caps; a choice opens the settings of the caps. */
export async function showUsage(usage: Usage, thread: ThreadState | null, settings: Settings): Promise<void> {
  const count = thread?.tokens;
  const ofThread = count && {
    tokens: count.total.total,
    cost: count.cost?.total ?? 0,
    estimated: count.estimated,
  };
  const rows: readonly vscode.QuickPickItem[] = [
    ...(ofThread ? [{ label: vscode.l10n.t('This Thread'), description: inWords(ofThread) }] : []),
    {
      label: vscode.l10n.t('Today'),
      description: inWords(usage.day),
      detail: capInWords(settings['caps.dayTokens'], settings['caps.dayCost']),
    },
    {
      label: vscode.l10n.t('This Month'),
      description: inWords(usage.month),
      detail: capInWords(settings['caps.monthTokens'], settings['caps.monthCost']),
    },
  ];
  const picked = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Usage'),
    placeHolder: vscode.l10n.t('Counted on this machine. Select a row to change the caps.'),
  });
  if (picked) await vscode.commands.executeCommand('workbench.action.openSettings', 'tiller.caps');
}

/** “About 12,400 tokens, cost 0.31”. A cost of 0 is left out: no request had a price. */
function inWords({ tokens, cost, estimated }: Spending): string {
  const number = tokens.toLocaleString(vscode.env.language);
  const used = estimated ? vscode.l10n.t('About {0} tokens', number) : vscode.l10n.t('{0} tokens', number);
  return cost === 0 ? used : vscode.l10n.t('{0}, cost {1}', used, costInWords(cost));
}

function capInWords(tokens: number | null, cost: number | null): string {
  const caps = [
    ...(tokens === null ? [] : [vscode.l10n.t('{0} tokens', tokens.toLocaleString(vscode.env.language))]),
    ...(cost === null ? [] : [vscode.l10n.t('cost {0}', costInWords(cost))]),
  ];
  return caps.length === 0 ? vscode.l10n.t('No cap') : vscode.l10n.t('Cap: {0}', caps.join(', '));
}

/** An amount of money in an unknown currency. */
function costInWords(cost: number): string {
  return cost.toFixed(cost < 0.1 ? 4 : 2);
}
