/** Messages and questions about interrupted patches. */
import * as vscode from 'vscode';
import { assertNever } from '../../core/util/assertNever.ts';
import type { ThreadOwner } from '../../protocol/threads.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import type { RecoveryChoice } from '../../protocol/wire.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';
import type { RecoverablePatch, PatchSettlement, SettledPatch } from './interruptedPatch.ts';
import { shownPath } from '../ui/workspacePaths.ts';

/** One sentence, for notifications and titles. */
export function sentenceOf({ changes }: RecoverablePatch): string {
  const names = shortList(changes.map(({ path }) => path));
  return changes.length === 1
    ? vscode.l10n.t('A patch was interrupted while it was applied: {0}', names)
    : vscode.l10n.t('A patch to {0} files was interrupted while it was applied: {1}', changes.length, names);
}

/** Does not ask when there is only one. */
export async function pickPatch(patches: readonly RecoverablePatch[]): Promise<RecoverablePatch | undefined> {
  const [only, ...others] = patches;
  if (only === undefined) void vscode.window.showInformationMessage(vscode.l10n.t('No patch was interrupted.'));
  if (others.length === 0) return only;
  const rows = patches.map((patch) => ({
    patch,
    label: withoutIcons(shortList(patch.changes.map(({ path }) => path))),
    description: patch.startedAt.toLocaleString(),
  }));
  const title = vscode.l10n.t('Select an Interrupted Patch');
  return (await vscode.window.showQuickPick(rows, { title }))?.patch;
}

/** Lets the user choose. `undefined` when the user cancels: the patch stays interrupted. */
export async function pickChoice(patch: RecoverablePatch): Promise<RecoveryChoice | undefined> {
  const rows: readonly (vscode.QuickPickItem & { readonly way: RecoveryChoice })[] = [
    {
      way: 'roll_back',
      label: vscode.l10n.t('Roll Back'),
      detail: vscode.l10n.t('Every file gets the content from before the patch'),
    },
    {
      way: 'finish',
      label: vscode.l10n.t('Finish'),
      detail: vscode.l10n.t('Every file gets the content from after the patch'),
    },
  ];
  return (await vscode.window.showQuickPick(rows, { title: sentenceOf(patch) }))?.way;
}

/** Shown while another process decides the same patch. */
export function waitingFor(owner: ThreadOwner): string {
  return vscode.l10n.t('{0} is resolving it…', nameOf(owner));
}

/**
 * Returns the sentence for a user who answers after the patch was settled: how, or by which process; `null`: unknown.
 */
export function settledSentence(
  { changes }: Pick<RecoverablePatch, 'changes'>,
  decision: RecoveryChoice | ThreadOwner | null,
): string {
  const names = shortList(changes.map(({ path }) => path));
  if (decision === 'roll_back') return vscode.l10n.t('You have already chosen to roll this patch back: {0}', names);
  if (decision === 'finish') return vscode.l10n.t('You have already chosen to finish this patch: {0}', names);
  return settledElsewhere(decision);
}

function settledElsewhere(by: ThreadOwner | null): string {
  return by !== null
    ? vscode.l10n.t('The patch was already settled: {0} has resolved it.', nameOf(by))
    : vscode.l10n.t('The patch was already settled, in another window or on the command line.');
}

/** Shows how the choice ended, also when another process was first. */
export function showSettlement(settlement: PatchSettlement, way: RecoveryChoice): void {
  switch (settlement.type) {
    case 'settled':
      return showResult(settlement.result, way);
    case 'settled_elsewhere':
      return void vscode.window.showInformationMessage(settledElsewhere(settlement.by));
    case 'busy':
      return void vscode.window.showInformationMessage(waitingFor(settlement.owner));
    default:
      return assertNever(settlement);
  }
}

function nameOf({ name, pid }: ThreadOwner): string {
  return name === 'vscode'
    ? vscode.l10n.t('Another window (process {0})', pid)
    : vscode.l10n.t('The command line (process {0})', pid);
}

function showResult({ leftAlone, unsaved }: SettledPatch, way: RecoveryChoice): void {
  if (leftAlone.length > 0) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('Skipped, because these files were changed since: {0}', shortList(leftAlone)),
    );
  }
  const sentences: string[] = [];
  if (leftAlone.length === 0) {
    sentences.push(
      way === 'roll_back' ? vscode.l10n.t('The patch is rolled back.') : vscode.l10n.t('The patch is finished.'),
    );
  }
  if (unsaved.length > 0) {
    sentences.push(vscode.l10n.t('Done in the editor only, beside your unsaved edits: {0}', shortList(unsaved)));
  }
  if (sentences.length > 0) void vscode.window.showInformationMessage(sentences.join(' '));
}

function shortList(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => withoutLinks(visibleName(shownPath(path))));
  return paths.length > 3 ? `${shown.join(', ')}, …` : shown.join(', ');
}
