/** Copies text from the panel into an editor. */
import * as vscode from 'vscode';

/** Replaces the selection of the active editor; shows a message when no editor is open. */
export async function insertCode(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a file to insert the code into.'));
    return;
  }
  await editor.edit((edit) => edit.replace(editor.selection, text));
}
