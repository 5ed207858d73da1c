import * as vscode from 'vscode';
import type { FilePlan } from '../../core/sideCopies/planBringHome.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';

interface WholeItem extends vscode.QuickPickItem {
  readonly plan: FilePlan;
}

/**
 * Asks which files that have no hunks come home: what is not text, or too long. Those that the workspace has changed, too,
 * are selected only by the user. Empty where there are none; `undefined` when the user cancels.
 */
export async function pickWholeFiles(plans: readonly FilePlan[]): Promise<ReadonlySet<FilePlan> | undefined> {
  const items = plans.flatMap((plan): WholeItem[] => {
    if (plan.type !== 'whole') return [];
    const effect = effectOf(plan);
    const conflict = vscode.l10n.t('conflict: selecting it discards the changes in the workspace');
    return [
      {
        plan,
        label: withoutIcons(plan.file.name),
        description: plan.isConflict ? `${effect} · ${conflict}` : effect,
        picked: !plan.isConflict,
      },
    ];
  });
  if (items.length === 0) return new Set();
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Bring Home'),
    placeHolder: vscode.l10n.t('Selected files are taken as a whole: they are not text, or too long for a review'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked && new Set(picked.map(({ plan }) => plan));
}

function effectOf({ file: { home, result } }: FilePlan): string {
  if (result.type === 'absent') return vscode.l10n.t('removed');
  return home.type === 'absent' ? vscode.l10n.t('new') : vscode.l10n.t('replaced');
}
