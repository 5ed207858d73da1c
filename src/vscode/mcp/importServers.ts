import path from 'node:path';
import * as vscode from 'vscode';
import {
  type ImportedServer,
  type ImportedServers,
  type ImportHost,
  type ImportSource,
  importSources,
  readImportedServers,
  type ServerEntry,
  type ServerInput,
  withInputs,
} from '../../core/mcp/importedServers.ts';
import { describeServer } from '../../core/mcp/selectServers.ts';
import { parseMcpServers } from '../../protocol/mcp.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { changeTable } from '../settings.ts';
import { confirmFacts } from '../ui/confirmFacts.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import { reportImport } from '../ui/reportImport.ts';
import { serverFacts } from './confirmServer.ts';
import { askAccess, createCaches, NO_ACCESS, withSandbox } from './serverAccess.ts';

/** Bytes of a file: Claude Code keeps its whole history in the file of its servers. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

interface ServerRow extends vscode.QuickPickItem {
  readonly server: ImportedServer;
}

export interface EndOfImport {
  readonly added: number;
  /** One sentence for each entry or file that was not offered, with the reason. */
  readonly leftOut: readonly string[];
}

/**
 * "Import MCP Servers…": shows the servers that other products have on this machine and adds those that the user selects to
 * the user's settings. Nothing is added, and so started, before the user has seen command, variables and sandbox of each.
 * Resolves to `undefined` when nothing was added.
 */
export async function importServers(host: ImportHost, taken: readonly string[]): Promise<EndOfImport | undefined> {
  const title = vscode.l10n.t('Import MCP Servers');
  const sources = importSources(host, trustedFolders());
  const found = withoutKnown(await readAll(sources), taken);
  if (found.servers.length === 0) {
    await tellNothing(sources, found.problems);
    return undefined;
  }
  const picked = await pickServers(title, found.servers, host.homeDirectory);
  if (picked === undefined || picked.length === 0) return undefined;
  const values = await askInputs(title, picked);
  if (values === undefined) return undefined;
  const commands = picked.flatMap(({ settings }) => ('command' in settings ? [settings.command] : []));
  const access = commands.length === 0 ? NO_ACCESS : await askAccess(title, commands);
  if (access === undefined) return undefined;
  const chosen = picked.map(({ entry, ...server }) => ({
    ...server,
    entry: withSandbox(withInputs(entry, values), access),
  }));
  if (!(await confirm(chosen))) return undefined;
  await createCaches(commands, access, host.homeDirectory);
  await changeTable('mcpServers', (entries) => added(entries, chosen));
  return { added: chosen.length, leftOut: found.problems };
}

/** The folders whose files may be read for this: a repository that is not trusted must not propose programs. */
function trustedFolders(): readonly string[] {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

async function readAll(sources: readonly ImportSource[]): Promise<ImportedServers> {
  const read = await Promise.all(sources.map(readSource));
  return { servers: read.flatMap(({ servers }) => servers), problems: read.flatMap(({ problems }) => problems) };
}

/** A file that does not exist has no servers. */
async function readSource(source: ImportSource): Promise<ImportedServers> {
  const uri = vscode.Uri.file(source.file);
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > MAX_FILE_BYTES) return { servers: [], problems: [vscode.l10n.t('{0} is too large.', source.file)] };
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return readImportedServers(text, source, trustedFolders());
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return { servers: [], problems: [] };
    return { servers: [], problems: [vscode.l10n.t('{0} cannot be read.', source.file)] };
  }
}

/** Leaves out servers that the settings have by the same name, and repetitions in several files. */
function withoutKnown({ servers, problems }: ImportedServers, taken: readonly string[]): ImportedServers {
  const known = servers.filter(({ name }) => taken.includes(name));
  const sentences = known.map(({ name, source }) =>
    vscode.l10n.t('{0}: {1}: your settings have a server with this name.', source.file, name),
  );
  const byContent = new Map<string, ImportedServer>();
  for (const server of servers) {
    const content = JSON.stringify([server.name, server.settings]);
    if (!known.includes(server) && !byContent.has(content)) byContent.set(content, server);
  }
  return { servers: [...byContent.values()], problems: [...problems, ...sentences] };
}

async function tellNothing(sources: readonly ImportSource[], problems: readonly string[]): Promise<void> {
  const products = [...new Set(sources.map(({ product }) => product))].join(', ');
  await reportImport(vscode.l10n.t('No other MCP servers were found. Looked at: {0}.', products), problems);
}

async function pickServers(
  title: string,
  servers: readonly ImportedServer[],
  homeDirectory: string,
): Promise<readonly ImportedServer[] | undefined> {
  const rows = servers.map((server): ServerRow => {
    const { name, settings, source } = server;
    return {
      server,
      label: withoutIcons(name),
      description: withoutIcons(inOneLine(`${source.product} · ${shortPath(source.file, homeDirectory)}`, 200)),
      detail: withoutIcons(inOneLine(describeServer(settings), 300)),
    };
  });
  const placeHolder = vscode.l10n.t('Select the servers to add to your settings, for all workspaces');
  const options = { title, placeHolder, matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true };
  const picked = await vscode.window.showQuickPick(rows, { ...options, canPickMany: true });
  return picked?.map(({ server }) => server);
}

function shortPath(file: string, homeDirectory: string): string {
  const relative = path.relative(homeDirectory, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : path.join('~', relative);
}

/** Asks for each value once that VS Code would ask for. Resolves to `undefined` when the user cancels. */
async function askInputs(
  title: string,
  servers: readonly ImportedServer[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const inputs = new Map<string, ServerInput>(
    servers.flatMap((server) => server.inputs.map((input) => [input.id, input])),
  );
  const values = new Map<string, string>();
  for (const { id, description, isSecret } of inputs.values()) {
    const value = await vscode.window.showInputBox({
      title,
      prompt: inOneLine(description, 300),
      placeHolder: vscode.l10n.t('It is kept in your settings, where {0} stands for a variable', '${env:NAME}'),
      password: isSecret,
      ignoreFocusOut: true,
    });
    if (value === undefined) return undefined;
    values.set(id, value);
  }
  return values;
}

type Chosen = Pick<ImportedServer, 'name' | 'entry' | 'source'>;

/** Shows all that is added. Values of variables with names of secrets are not shown, because the screen may be shared. */
async function confirm(chosen: readonly Chosen[]): Promise<boolean> {
  const facts = chosen.flatMap(({ name, entry, source }) => {
    const settings = parseMcpServers({ [name]: entry }).servers.get(name);
    return settings === undefined
      ? []
      : [`${name} (${source.product})`, ...serverFacts(settings, { hidesSecrets: true }), ''];
  });
  return confirmFacts({
    question: vscode.l10n.t(
      'Add {0} MCP servers to your settings? Tiller starts them as soon as a thread needs them.',
      chosen.length,
    ),
    facts,
    approve: vscode.l10n.t('Add'),
    tooLong: vscode.l10n.t('These entries are too long to be shown. Import fewer at a time.'),
  });
}

/** Two files may have different servers of the same name. */
function added(entries: ServerEntry, chosen: readonly Chosen[]): ServerEntry {
  const all: Record<string, unknown> = { ...entries };
  for (const { name, entry } of chosen) {
    let free = name;
    for (let count = 2; free in all; count++) free = `${name}-${count}`;
    all[free] = entry;
  }
  return all;
}
