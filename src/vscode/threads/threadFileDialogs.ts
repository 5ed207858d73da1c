import path from 'node:path';
import * as vscode from 'vscode';
import { productFolder } from '../../core/util/productFolder.ts';

/** The target of an export, or `undefined` when the user cancels; the extension of the name selects the format. */
export async function askForExport(title: string): Promise<vscode.Uri | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const name = `${nameOf(title)}.md`;
  return vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Thread'),
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder.uri, name) } : {}),
    filters: { [vscode.l10n.t('Markdown')]: ['md'], [vscode.l10n.t('JSON')]: ['json'] },
  });
}

/** A rollout of Codex, or one of Tiller from another machine. */
export async function askForImport(homeDirectory: string): Promise<readonly vscode.Uri[] | undefined> {
  const sessions = path.join(productFolder('codex', { homeDirectory, environment: process.env }), 'sessions');
  return vscode.window.showOpenDialog({
    title: vscode.l10n.t('Import Thread'),
    openLabel: vscode.l10n.t('Import'),
    defaultUri: vscode.Uri.file(sessions),
    filters: { [vscode.l10n.t('Rollouts')]: ['jsonl'] },
  });
}

/** A title as a valid file name. */
function nameOf(title: string): string {
  const slug = title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/g, '');
  return slug.slice(0, 60) || 'thread';
}
