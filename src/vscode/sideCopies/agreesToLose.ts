import * as vscode from 'vscode';
import type { CopyLosses } from '../../core/sideCopies/sideCopy.ts';
import { shownPath } from '../ui/workspacePaths.ts';

/** Lines of one list in the question. */
const MOST_NAMED = 10;

/** Asks whether a copy may be removed, and shows all that would be lost with it. */
export async function agreesToLose({
  changes,
  ignored,
  commits,
  isPartial,
  unread,
  repositories,
}: CopyLosses): Promise<boolean> {
  const remove = vscode.l10n.t('Remove');
  const question =
    changes.length === 0
      ? vscode.l10n.t('Remove the side copy? What it holds besides the files of the workspace will be lost.')
      : changes.length === 1
        ? vscode.l10n.t('Remove the side copy? The changes of 1 file were not brought home and will be lost.')
        : vscode.l10n.t(
            'Remove the side copy? The changes of {0} files were not brought home and will be lost.',
            changes.length,
          );
  const detail = [
    ...listed(changes.map(({ home }) => shownPath(home))),
    ...titled(vscode.l10n.t('Commits:'), commits),
    ...titled(
      vscode.l10n.t('Ignored files, which are not brought home:'),
      ignored.map((place) => shownPath(place)),
    ),
    ...titled(
      vscode.l10n.t('Folders that cannot be read, and names that are not UTF-8:'),
      unread.map((place) => shownPath(place)),
    ),
    ...titled(
      vscode.l10n.t('Git repositories made in the side copy:'),
      repositories.map((place) => shownPath(place)),
    ),
    ...(isPartial ? [vscode.l10n.t('The side copy has more than 200,000 files: not all of them were compared.')] : []),
  ].join('\n');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) === remove;
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...listed(lines)];
}

function listed(lines: readonly string[]): readonly string[] {
  return lines.length > MOST_NAMED ? [...lines.slice(0, MOST_NAMED), '…'] : lines;
}
