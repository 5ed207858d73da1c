/** Messages of "Bring Home" to the user. */
import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { FilePlan } from '../../core/sideCopies/planBringHome.ts';
import type { SideCopy } from '../../core/sideCopies/sideCopy.ts';
import type { ProposalChoices } from '../../protocol/policy.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { shownPath } from '../ui/workspacePaths.ts';

/** Folders in one message. */
const MOST_NAMED = 5;

/** `choices`: those with which the review begins; a conflict that the user has restored is not counted. */
export function tellConflicts(plans: readonly FilePlan[], choices: ProposalChoices | undefined): void {
  const count = plans.reduce((sum, plan) => {
    const choice = choices?.find(({ path }) => path === plan.file.name);
    if (plan.type !== 'proposed' || choice === undefined || 'text' in choice) return sum;
    if (plan.conflicts === 'file' || choice.leftOut === 'file') return sum + (plan.conflicts.length > 0 ? 1 : 0);
    const { leftOut } = choice;
    return sum + plan.conflicts.filter((index) => leftOut.includes(index)).length;
  }, 0);
  const sentences = [
    ...(count === 0
      ? []
      : [
          count === 1
            ? vscode.l10n.t('1 change is at lines that you changed, too. It is left out until you restore it.')
            : vscode.l10n.t(
                '{0} changes are at lines that you changed, too. They are left out until you restore them.',
                count,
              ),
        ]),
    ...leftBehind(plans.filter(({ type }) => type === 'impossible')),
  ];
  if (sentences.length > 0) void vscode.window.showWarningMessage(sentences.join(' '));
}

/** Warns that nothing was done. */
export function tellInUse(): void {
  void vscode.window.showWarningMessage(vscode.l10n.t('This side copy is in use by another window or operation.'));
}

/** `folders`: absolute paths in the copy. */
export function tellUnread(folders: readonly string[]): void {
  if (folders.length === 0) return;
  const names = folders.slice(0, MOST_NAMED).map(shownPath).join(', ');
  const sentence =
    folders.length > MOST_NAMED
      ? vscode.l10n.t('{0} places in the side copy cannot be read, and do not come home: {1}, …', folders.length, names)
      : vscode.l10n.t('These places in the side copy cannot be read, and do not come home: {0}', names);
  void vscode.window.showWarningMessage(withoutLinks(sentence));
}

/** `folders`: those with a git repository that was made in the copy. */
export function tellRepositories(folders: readonly string[]): void {
  if (folders.length === 0) return;
  const names = folders.slice(0, MOST_NAMED).map(shownPath).join(', ');
  const sentence = vscode.l10n.t(
    'Git repositories were made in the side copy. Their files come home, their history does not: {0}',
    names,
  );
  void vscode.window.showWarningMessage(withoutLinks(sentence));
}

/** True, with a message, where no folder of the workspace is left to which the copy could come home. */
export async function tellMissing({ folders }: SideCopy): Promise<boolean> {
  const stats = await Promise.all(folders.map(({ home }) => stat(home).catch(() => undefined)));
  if (stats.some((stat) => stat?.isDirectory() === true)) return false;
  const names = folders.map(({ home }) => home).join(', ');
  const sentence = vscode.l10n.t(
    'The folder of which this side copy was made is gone: {0}. Move it back first.',
    names,
  );
  void vscode.window.showWarningMessage(withoutLinks(sentence));
  return true;
}

/** A sentence about files that cannot come home; none where there are no such files. */
export function leftBehind(plans: readonly FilePlan[]): readonly string[] {
  if (plans.length === 0) return [];
  const names = plans.map(({ file }) => file.name).join(', ');
  return [
    withoutLinks(vscode.l10n.t('Links, folders, devices and unreadable files stay in the side copy: {0}', names)),
  ];
}
