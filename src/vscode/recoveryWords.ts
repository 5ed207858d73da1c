/** What is said and asked about patches that a crash left half landed. */
import * as vscode from 'vscode';
import type { WayOut } from '../protocol/wire.ts';
import { withoutIcons, withoutLinks } from './plainText.ts';
import type { HalfLandedPatch, SettledPatch } from './halfLanded.ts';

/** As the person knows the file: relative to the folder it is in. */
export function shownPath(path: string): string {
  return vscode.workspace.asRelativePath(path);
}

export function sentenceOf({ changes }: HalfLandedPatch): string {
  const names = shortList(changes.map(({ path }) => path));
  return changes.length === 1
    ? vscode.l10n.t('A patch was interrupted while it landed: {0}', names)
    : vscode.l10n.t('A patch to {0} files was interrupted while it landed: {1}', changes.length, names);
}

/** The only one is not asked for. */
export async function pickPatch(patches: readonly HalfLandedPatch[]): Promise<HalfLandedPatch | undefined> {
  const [only, ...others] = patches;
  if (only === undefined) void vscode.window.showInformationMessage(vscode.l10n.t('No patch was interrupted.'));
  if (others.length === 0) return only;
  const rows = patches.map((patch) => ({
    patch,
    label: withoutIcons(shortList(patch.changes.map(({ path }) => path))),
    description: patch.startedAt.toLocaleString(),
  }));
  const title = vscode.l10n.t('Which of the patches that were interrupted?');
  return (await vscode.window.showQuickPick(rows, { title }))?.patch;
}

export async function pickWay(patch: HalfLandedPatch): Promise<WayOut | undefined> {
  const rows: readonly (vscode.QuickPickItem & { readonly way: WayOut })[] = [
    {
      way: 'put_back',
      label: vscode.l10n.t('Put Back'),
      detail: vscode.l10n.t('Every file as it was before the patch'),
    },
    { way: 'finish', label: vscode.l10n.t('Finish'), detail: vscode.l10n.t('Every file as the patch wanted it') },
  ];
  return (await vscode.window.showQuickPick(rows, { title: sentenceOf(patch) }))?.way;
}

/** `null`: somebody else has settled it. */
export function tellHowItWent(settled: SettledPatch | null, way: WayOut): void {
  if (settled === null) {
    const elsewhere = vscode.l10n.t('The patch was settled already, in another window or on the command line.');
    void vscode.window.showInformationMessage(elsewhere);
    return;
  }
  const { leftAlone, unsaved } = settled;
  if (leftAlone.length > 0) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('Left alone, because somebody has changed them since: {0}', shortList(leftAlone)),
    );
  }
  const told: string[] = [];
  if (leftAlone.length === 0) {
    told.push(way === 'put_back' ? vscode.l10n.t('The patch is put back.') : vscode.l10n.t('The patch is finished.'));
  }
  if (unsaved.length > 0) {
    told.push(vscode.l10n.t('Done in the editor only, beside your unsaved edits: {0}', shortList(unsaved)));
  }
  if (told.length > 0) void vscode.window.showInformationMessage(told.join(' '));
}

function shortList(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => withoutLinks(shownPath(path)));
  return paths.length > 3 ? `${shown.join(', ')}, …` : shown.join(', ');
}
