import * as vscode from 'vscode';
import { returningFocus } from './returnFocus.ts';

/**
 * Lets the user of the panel choose a model, from this server if one is given. Then the composer has the focus, or, when
 * none was chosen, the control that had it before. Resolves also when none was chosen.
 */
export async function chooseModel(focusBack: () => Promise<void>, given?: unknown): Promise<void> {
  const choose = () => vscode.commands.executeCommand('tiller.selectModel', given);
  const isChosen = await returningFocus(choose, focusBack);
  if (isChosen === true) await vscode.commands.executeCommand('tiller.focus');
}
