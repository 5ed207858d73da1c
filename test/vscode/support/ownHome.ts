import * as vscode from 'vscode';
import { type TempFolder, tempFolder } from '../../support/tempFolder.ts';

/** A TILLER_HOME of the test's own, until it is disposed. */
export function ownHome(): TempFolder {
  const folder = tempFolder();
  const before = process.env['TILLER_HOME'];
  process.env['TILLER_HOME'] = folder.path;
  return {
    ...folder,
    [Symbol.dispose]() {
      if (before === undefined) delete process.env['TILLER_HOME'];
      else process.env['TILLER_HOME'] = before;
      folder[Symbol.dispose]();
    },
  };
}

/** Writes settings of Tiller for the user; `undefined` removes one. */
export async function configure(values: Readonly<Record<string, unknown>>): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('tiller');
  for (const [key, value] of Object.entries(values)) {
    await configuration.update(key, value, vscode.ConfigurationTarget.Global);
  }
}
