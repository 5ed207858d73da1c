import path from 'node:path';
import * as vscode from 'vscode';

/** Programs that download a server before they start it, with the folder of their cache in the user's home. */
const LAUNCHERS: Readonly<Record<string, string>> = { npx: '.npm', uvx: '.cache/uv' };

/** The access of programs that the user adds together. */
export interface ServerAccess {
  readonly network: boolean;
  /** Each may write in the cache of its launcher. */
  readonly caches: boolean;
}

/** The access of servers that are no programs. */
export const NO_ACCESS: ServerAccess = { network: false, caches: false };

interface AccessRow extends vscode.QuickPickItem {
  readonly access: ServerAccess;
}

/** Asks what these programs may access. Resolves to `undefined` when the user cancels. */
export async function askAccess(title: string, commands: readonly string[]): Promise<ServerAccess | undefined> {
  const rows: readonly AccessRow[] = [
    ...launcherRows(commands),
    {
      label: vscode.l10n.t('No Network'),
      detail: vscode.l10n.t('It runs in the sandbox and reads the workspace.'),
      access: { network: false, caches: false },
    },
    {
      label: vscode.l10n.t('Network'),
      detail: vscode.l10n.t('It runs in the sandbox and may connect to every host.'),
      access: { network: true, caches: false },
    },
  ];
  const placeHolder =
    commands.length === 1
      ? vscode.l10n.t('What may the server access? “Edit the Setting…” can give it more.')
      : vscode.l10n.t('What may each of these servers access? “Edit the Setting…” can give one more.');
  return (await vscode.window.showQuickPick(rows, { title, placeHolder, ignoreFocusOut: true }))?.access;
}

/** Returns the entry with the sandbox that it has then; one without a command, and without access, stays as it is. */
export function withSandbox<Entry extends Readonly<Record<string, unknown>>>(
  entry: Entry,
  { network, caches }: ServerAccess,
): Entry | (Entry & { readonly sandbox: Readonly<Record<string, unknown>> }) {
  const { command } = entry;
  if (typeof command !== 'string' || !network) return entry;
  const cache = caches ? LAUNCHERS[programOf(command)] : undefined;
  return { ...entry, sandbox: { network, ...(cache !== undefined && { writableRoots: [`~/${cache}`] }) } };
}

/** Creates the caches that these programs may write: a writable folder has to exist when a server starts. */
export async function createCaches(
  commands: readonly string[],
  { caches }: ServerAccess,
  homeDirectory: string,
): Promise<void> {
  for (const program of caches ? launchersOf(commands) : []) {
    const folder = path.join(homeDirectory, LAUNCHERS[program] ?? '');
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(folder));
  }
}

/** The name of the program without its folder. */
export function programOf(command: string): string {
  return command.split(/[/\\]/).at(-1) ?? command;
}

function launchersOf(commands: readonly string[]): readonly string[] {
  return [...new Set(commands.map(programOf))].filter((program) => program in LAUNCHERS);
}

function launcherRows(commands: readonly string[]): readonly AccessRow[] {
  const programs = launchersOf(commands);
  if (programs.length === 0) return [];
  const [names, caches] = [programs.join(', '), programs.map((program) => `~/${LAUNCHERS[program]}`).join(', ')];
  return [
    {
      label:
        programs.length === 1
          ? vscode.l10n.t('Network and the Cache of {0}', names)
          : vscode.l10n.t('Network and the Caches of {0}', names),
      detail: vscode.l10n.t('It runs in the sandbox, is downloaded to {0}, and may connect to every host.', caches),
      access: { network: true, caches: true },
    },
  ];
}
