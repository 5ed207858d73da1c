import * as vscode from 'vscode';
import type { TextHunk } from '../../core/ports.ts';

/** VS Code refuses an edit when the user types at the same moment (workspace-edits.md §4); a later attempt succeeds. */
export const HOT_TRIES = 40;

/** False when the document no longer matched: VS Code compares versions itself. */
export async function replaceHunks(uri: vscode.Uri, hunks: readonly TextHunk[]): Promise<boolean> {
  if (hunks.length === 0) return true;
  const edit = new vscode.WorkspaceEdit();
  edit.set(uri, textEdits(hunks));
  return vscode.workspace.applyEdit(edit);
}

/** Replaces whole lines; the hunks are of the text before all of them. */
export function textEdits(hunks: readonly TextHunk[]): vscode.TextEdit[] {
  return hunks.map(({ start, end, text }) => vscode.TextEdit.replace(new vscode.Range(start, 0, end, 0), text));
}
