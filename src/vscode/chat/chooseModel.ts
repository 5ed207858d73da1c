import * as vscode from 'vscode';

/**
 * Lets the user of the panel choose a model, from this server if one is given. Then the composer has the focus again: VS
 * Code does not return it to a page when a list closes. Resolves also when none was chosen.
 */
export async function chooseModel(given?: unknown): Promise<void> {
  const isChosen = await vscode.commands.executeCommand('tiller.selectModel', given);
  if (isChosen === true) await vscode.commands.executeCommand('tiller.focus');
}
