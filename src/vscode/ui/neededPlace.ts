/** Messages where a feature needs a folder or a trusted workspace, each with VS Code's own way to get it. */
import * as vscode from 'vscode';

/** False in a window without a folder, where the panel offers to open one. */
export function hasFolder(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).length > 0;
}

/** `sentence`: what is missing; by default the same as in the panel. */
export function offerFolder(
  sentence = vscode.l10n.t('Open a folder first: Tiller reads and changes files in the folder you have open.'),
): void {
  offer(sentence, vscode.l10n.t('Open Folder'), 'vscode.openFolder');
}

/** `sentence`: what is not available in Restricted Mode. */
export function offerTrust(sentence: string): void {
  offer(sentence, vscode.l10n.t('Manage Workspace Trust'), 'workbench.trust.manage');
}

function offer(sentence: string, button: string, command: string): void {
  void vscode.window.showInformationMessage(sentence, button).then((chosen) => {
    if (chosen === button) void vscode.commands.executeCommand(command);
  });
}
