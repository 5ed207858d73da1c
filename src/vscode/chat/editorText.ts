/** Copies text between an editor and the composer. */
import * as vscode from 'vscode';

/** The selection with its location as a quotation; the whole line when nothing is selected. */
export function describeSelection(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
  const place = `${vscode.workspace.asRelativePath(document.uri)}:${range.start.line + 1}`;
  return `${place}\n\`\`\`${document.languageId}\n${document.getText(range)}\n\`\`\`\n`;
}

/** Replaces the selection of the active editor; shows a message when no editor is open. */
export async function insertCode(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a file to insert the code into.'));
    return;
  }
  await editor.edit((edit) => edit.replace(editor.selection, text));
}
