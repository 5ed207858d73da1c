import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * The text that is selected in the active terminal; empty where none is. The stable API has no selection of terminals,
 * so it is copied, and the text of the clipboard is written back.
 */
export async function terminalSelection(): Promise<string> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  const mark = randomUUID();
  await clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const copied = await clipboard.readText();
    return copied === mark ? '' : copied;
  } finally {
    await clipboard.writeText(before);
  }
}
