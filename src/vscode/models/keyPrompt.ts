import * as vscode from 'vscode';
import type { KeyStore } from './apiKeys.ts';

/** The environment of the extension host; a key in it is read only when the user chooses it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Asks for the key of a server and stores it under its origin. A key in the environment is offered by the name of its
 * variable. True when a key was stored.
 */
export async function askKey(
  origin: string,
  keys: KeyStore,
  offered?: { readonly variable: string; readonly environment: Environment },
): Promise<boolean> {
  const fromEnvironment = offered && offered.environment[offered.variable]?.trim();
  const key = fromEnvironment ? await chooseKey(origin, offered.variable, fromEnvironment) : await typeKey(origin);
  if (key === undefined) return false;
  await keys.store(origin, key);
  return true;
}

async function chooseKey(origin: string, variable: string, key: string): Promise<string | undefined> {
  const use: vscode.QuickPickItem = {
    label: vscode.l10n.t('Use the Key in the Environment Variable {0}', variable),
    detail: vscode.l10n.t('It is copied into the secret storage of VS Code and sent to {0} only.', origin),
  };
  const type: vscode.QuickPickItem = { label: vscode.l10n.t('Enter a Key…') };
  const picked = await vscode.window.showQuickPick([use, type], { title: titleOf(origin), ignoreFocusOut: true });
  if (picked === undefined) return undefined;
  return picked.label === use.label ? key : typeKey(origin);
}

async function typeKey(origin: string): Promise<string | undefined> {
  const key = await vscode.window.showInputBox({
    title: titleOf(origin),
    prompt: vscode.l10n.t('Stored in VS Code’s secret storage and sent to this server only.'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (/\s/.test(value.trim()) ? vscode.l10n.t('A key cannot contain spaces.') : undefined),
  });
  return key?.trim() || undefined;
}

function titleOf(origin: string): string {
  return vscode.l10n.t('API key for {0}', origin);
}
