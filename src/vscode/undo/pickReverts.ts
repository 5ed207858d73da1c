import * as vscode from 'vscode';
import type { RevertFile } from '../../protocol/baseline.ts';
import type { OpOf } from '../../protocol/op.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';

interface FileItem extends vscode.QuickPickItem {
  readonly file?: RevertFile;
}

/** Files that cannot be reverted and are named; the others are a number. */
const MOST_NAMED = 20;

/**
 * Asks for each file of a plan. Files with the content that the turn left are selected; conflicts, and files that
 * another program may have changed, only when the user selects them. `undefined` when the user cancels.
 */
export async function pickReverts(
  title: string,
  files: readonly RevertFile[],
): Promise<Pick<OpOf<'redo'>, 'overwrite' | 'includeUncertain' | 'exclude'> | undefined> {
  const asked = files.filter(({ contents }) => contents !== undefined);
  const items = asked.map(itemOf);
  const picked = await vscode.window.showQuickPick<FileItem>([...items, ...impossible(files)], {
    title,
    placeHolder: vscode.l10n.t('Selected files are changed as the preview shows'),
    canPickMany: true,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  if (picked === undefined) return undefined;
  const wanted = new Set(picked.map(({ file }) => file));
  const taken = asked.filter((file) => wanted.has(file));
  return {
    overwrite: taken.filter(({ state }) => state === 'conflict').map(({ path }) => path),
    includeUncertain: taken.some(({ uncertain }) => uncertain),
    exclude: asked.filter((file) => !wanted.has(file)).map(({ path }) => path),
  };
}

function itemOf(file: RevertFile): FileItem {
  const { path, state, uncertain, reason } = file;
  const notes = [
    effectOf(file),
    state === 'merged' && vscode.l10n.t('your later changes at other lines stay'),
    state === 'conflict' && vscode.l10n.t('conflict: selecting it discards your later changes'),
    uncertain && vscode.l10n.t('another program or thread may have changed it'),
  ].filter((note) => typeof note === 'string');
  return {
    file,
    label: withoutIcons(path),
    description: notes.join(' · '),
    picked: state !== 'conflict' && !uncertain,
    ...(reason === undefined ? {} : { detail: reason }),
  };
}

function effectOf({ kind }: RevertFile): string {
  switch (kind) {
    case 'add':
      return vscode.l10n.t('comes back');
    case 'update':
      return vscode.l10n.t('restored');
    case 'delete':
      return vscode.l10n.t('removed');
  }
}

/** Rows of files that cannot be reverted, without a box to select. */
function impossible(files: readonly RevertFile[]): readonly FileItem[] {
  const left = files.filter(({ state }) => state === 'impossible');
  const named = left.slice(0, MOST_NAMED).map(({ path, reason = '' }) => `${path}: ${reason}`);
  const more = left.length - named.length;
  const lines = more > 0 ? [...named, vscode.l10n.t('{0} more files', more)] : named;
  return lines.map((line) => ({
    label: vscode.l10n.t('cannot be undone: {0}', line),
    kind: vscode.QuickPickItemKind.Separator,
  }));
}
