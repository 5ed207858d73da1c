import * as vscode from 'vscode';
import type { TextHunk } from '../../core/ports.ts';

/** A keystroke in flight makes VS Code refuse an edit (workspace-edits.md §4); between two there is time enough. */
export const HOT_TRIES = 40;

/** False when the document was not what the hunks are for: VS Code compares versions itself. */
export async function replaceHunks(uri: vscode.Uri, hunks: readonly TextHunk[]): Promise<boolean> {
  if (hunks.length === 0) return true;
  const edit = new vscode.WorkspaceEdit();
  edit.set(
    uri,
    hunks.map(({ start, end, text }) => vscode.TextEdit.replace(new vscode.Range(start, 0, end, 0), text)),
  );
  return vscode.workspace.applyEdit(edit);
}
