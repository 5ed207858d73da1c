import * as vscode from 'vscode';
import type { FilePlan } from '../../core/sideCopies/planBringHome.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import type { PlanWithMode } from './homeModes.ts';

/** Changes that come home besides hunks. */
export interface PickedAsWhole {
  /** Files without hunks: not text, or too long. */
  readonly files: ReadonlySet<FilePlan>;
  /** Files whose permission bits are set. */
  readonly modes: ReadonlySet<PlanWithMode>;
}

interface WholeItem extends vscode.QuickPickItem {
  readonly plan: FilePlan;
  /** Set for a row about the permission bits alone. */
  readonly withMode?: PlanWithMode;
}

/**
 * Asks which files without hunks come home, and which permission bits are set. Those that the workspace has changed,
 * too, are selected only by the user. Empty without such files; `undefined` when the user cancels.
 */
export async function pickWholeFiles(plans: readonly FilePlan[]): Promise<PickedAsWhole | undefined> {
  const items = plans.flatMap((plan): WholeItem[] => [
    ...(plan.type === 'whole' ? [wholeItem(plan, plan.isConflict)] : []),
    ...(hasMode(plan) ? [modeItem(plan)] : []),
  ]);
  if (items.length === 0) return { files: new Set(), modes: new Set() };
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Bring Home'),
    placeHolder: vscode.l10n.t(
      'Select what comes home: whole files that are not text or too long for a review, and permissions',
    ),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return (
    picked && {
      files: new Set(picked.flatMap(({ plan, withMode }) => (withMode === undefined ? [plan] : []))),
      modes: new Set(picked.flatMap(({ withMode }) => withMode ?? [])),
    }
  );
}

function hasMode(plan: FilePlan): plan is PlanWithMode {
  return plan.type !== 'known' && plan.type !== 'impossible' && plan.mode !== undefined;
}

function wholeItem(plan: FilePlan, isConflict: boolean): WholeItem {
  const conflict = vscode.l10n.t('conflict: selecting it discards the changes in the workspace');
  return itemOf(plan, effectOf(plan), isConflict ? conflict : undefined);
}

function modeItem(plan: PlanWithMode): WholeItem {
  const { before, after, isConflict } = plan.mode;
  const conflict = vscode.l10n.t('conflict: the workspace has changed them, too');
  return { ...itemOf(plan, permissionsOf(before, after), isConflict ? conflict : undefined), withMode: plan };
}

function itemOf(plan: FilePlan, effect: string, conflict: string | undefined): WholeItem {
  return {
    plan,
    label: withoutIcons(plan.file.name),
    description: conflict === undefined ? effect : `${effect} · ${conflict}`,
    picked: conflict === undefined,
  };
}

const EXECUTABLE = 0o111;

function permissionsOf(before: number, after: number): string {
  const change = vscode.l10n.t('permissions: {0} → {1}', before.toString(8), after.toString(8));
  const [was, is] = [(before & EXECUTABLE) !== 0, (after & EXECUTABLE) !== 0];
  if (was === is) return change;
  const effect = is ? vscode.l10n.t('becomes executable') : vscode.l10n.t('is no longer executable');
  return `${effect} · ${change}`;
}

function effectOf({ file: { home, result } }: FilePlan): string {
  if (result.type === 'absent') return vscode.l10n.t('removed');
  if (home.type !== 'absent') return vscode.l10n.t('replaced');
  const isProgram = result.type === 'file' && (result.mode & EXECUTABLE) !== 0;
  return isProgram ? vscode.l10n.t('new, executable') : vscode.l10n.t('new');
}
