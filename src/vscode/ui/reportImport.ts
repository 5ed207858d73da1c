import * as vscode from 'vscode';

/** Reports the end of an import, and on request in a document what was left out and why. */
export async function reportImport(done: string, leftOut: readonly string[]): Promise<void> {
  if (leftOut.length === 0) {
    void vscode.window.showInformationMessage(done);
    return;
  }
  const show = vscode.l10n.t('Show Why');
  const sentence = vscode.l10n.t('{0} Left out: {1}.', done, leftOut.length);
  if ((await vscode.window.showWarningMessage(sentence, show)) !== show) return;
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: leftOut.join('\n') }));
}
