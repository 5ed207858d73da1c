import * as vscode from 'vscode';
import { feedLines, textAfter, textBefore } from '../../core/patch/proposalChoices.ts';
import type { ProposedFile } from '../../core/ports.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import type { Proposals } from './proposals.ts';

interface HunkItem extends vscode.QuickPickItem {
  readonly name: string;
  /** `null`: the whole file. */
  readonly hunk: number | null;
}

/** Characters of a hunk's first line. */
const SHOWN_LENGTH = 100;

/**
 * Asks in a quick pick which hunks to apply. The selection becomes the choices in every view; false when the user
 * cancels. Text that the user has edited stays.
 */
export async function pickHunks(approvalId: string, proposals: Proposals): Promise<boolean> {
  const { files } = proposals.stateOf(approvalId);
  const items = proposals.filesOf(approvalId).flatMap(({ file }): HunkItem[] => {
    const state = files.find(({ path }) => path === file.name);
    const label = withoutIcons(file.name);
    if (file.hunks.length < 2) return [{ label, name: file.name, hunk: null, picked: state?.isOut !== true }];
    return file.hunks.map((_, hunk) => ({
      label: vscode.l10n.t('{0}, hunk {1} of {2}', label, hunk + 1, file.hunks.length),
      detail: withoutIcons(firstLineOf(file, hunk)),
      name: file.name,
      hunk,
      picked: state?.hunks[hunk] !== 'out',
    }));
  });
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Approve in Part'),
    placeHolder: vscode.l10n.t('Selected hunks are applied'),
    canPickMany: true,
    matchOnDetail: true,
  });
  if (picked === undefined) return false;
  for (const item of items) {
    const wanted = picked.includes(item);
    if (wanted !== item.picked) await proposals.choose(approvalId, item.name, item.hunk, wanted ? 'in' : 'out');
  }
  return true;
}

function firstLineOf({ change, hunks }: ProposedFile, index: number): string {
  const hunk = hunks[index];
  if (hunk === undefined) return '';
  const added = feedLines(textAfter(change)).slice(hunk.after.start, hunk.after.end);
  const removed = feedLines(textBefore(change)).slice(hunk.before.start, hunk.before.end);
  const sign = added.length > 0 ? '+' : '−';
  const [line = ''] = added.length > 0 ? added.filter((each) => !removed.includes(each)) : removed;
  return `${sign} ${line.trim().slice(0, SHOWN_LENGTH)}`;
}
