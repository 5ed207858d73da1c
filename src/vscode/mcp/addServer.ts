import * as vscode from 'vscode';
import { splitShellWords } from '../../core/policy/shellWords.ts';
import { isServerName } from '../../protocol/mcp.ts';
import { changeTable } from '../settings.ts';
import { askAccess, createCaches, NO_ACCESS, programOf, withSandbox } from './serverAccess.ts';

const EXAMPLE = 'npx -y @modelcontextprotocol/server-memory';

/**
 * "Add Server…": asks for a command line or an address, what a program may access, and a name; then adds the server to the
 * user's settings. Resolves to false when the user cancels.
 */
export async function addServer(taken: readonly string[], homeDirectory: string): Promise<boolean> {
  const title = vscode.l10n.t('Add MCP Server');
  const typed = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('The command that starts the server, or its address'),
    placeHolder: vscode.l10n.t('For example: {0}', EXAMPLE),
    ignoreFocusOut: true,
    validateInput: (text) =>
      entryOf(text) === undefined ? vscode.l10n.t('Enter a command, or an http or https address.') : undefined,
  });
  const entry = typed === undefined ? undefined : entryOf(typed);
  if (entry === undefined) return false;
  const commands = 'command' in entry ? [entry.command] : [];
  const access = commands.length === 0 ? NO_ACCESS : await askAccess(title, commands);
  if (access === undefined) return false;
  const name = await askName(title, suggestedName(entry), taken);
  if (name === undefined) return false;
  await createCaches(commands, access, homeDirectory);
  const added = withSandbox(entry, access);
  await changeTable('mcpServers', (servers) => ({ ...servers, [name]: added }));
  return true;
}

type Entry = { readonly url: string } | { readonly command: string; readonly args: readonly string[] };

function entryOf(typed: string): Entry | undefined {
  const text = typed.trim();
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? { url: text } : undefined;
  const [command, ...args] = splitShellWords(text) ?? [];
  return command === undefined || command === '' ? undefined : { command, args };
}

/** The host without `www.` and its ending, or the last word of the command that is no option. */
function suggestedName(entry: Entry): string {
  if ('url' in entry) return asName(new URL(entry.url).hostname.replace(/^(www|mcp|api)\./, '').split('.')[0] ?? '');
  const words = entry.args.filter((word) => !word.startsWith('-'));
  return asName((words[0] ?? programOf(entry.command)).split(/[/\\]/).at(-1) ?? '');
}

function asName(text: string): string {
  return text
    .replace(/\.\w+$/, '')
    .replace(/^(mcp-)?server-|-mcp$|@.*$/g, '')
    .replaceAll(/[^\w-]+/g, '-');
}

async function askName(title: string, suggested: string, taken: readonly string[]): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('The name of the server: letters, digits, - and _'),
    value: suggested,
    ignoreFocusOut: true,
    validateInput: (name) => {
      if (!isServerName(name)) return vscode.l10n.t('Use only letters, digits, - and _.');
      return taken.includes(name) ? vscode.l10n.t('There is a server with this name.') : undefined;
    },
  });
}
