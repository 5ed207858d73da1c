import * as vscode from 'vscode';
import { isSecretName } from '../../core/model/providerSecrets.ts';
import type { NamedServer } from '../../core/mcp/selectServers.ts';
import { joinShellWords } from '../../core/policy/shellWords.ts';
import type { TrustQuestion } from '../../core/trust/trust.ts';
import type { McpServerSettings, McpStdioServer } from '../../protocol/mcp.ts';
import { confirmFacts } from '../ui/confirmFacts.ts';

/**
 * Shows all facts that the hash of the definition covers, and asks for the approval. Variables are shown by name: the
 * approval holds for each of their values.
 */
export async function confirmServer(server: NamedServer, about: TrustQuestion): Promise<boolean> {
  return confirmFacts({
    question: about === 'outside' ? outsideText(server) : proposalText(server),
    facts: serverFacts(server.settings),
    approve: about === 'outside' ? vscode.l10n.t('Start Outside the Sandbox') : vscode.l10n.t('Approve and Start'),
    tooLong: vscode.l10n.t('The entry of {0} is too long to be shown, so it cannot be approved here.', server.name),
  });
}

/** The question before a server is started that would run without a sandbox. */
export function outsideText({ name, file }: NamedServer): string {
  return file === undefined
    ? vscode.l10n.t(
        'In your settings, the MCP server {0} runs without a sandbox: it could read and change everything that you can.',
        name,
      )
    : vscode.l10n.t(
        'In {1} of this workspace, the MCP server {0} runs without a sandbox: it could read and change everything that you can.',
        name,
        vscode.workspace.asRelativePath(file),
      );
}

/** The question about a server that the workspace names. */
export function proposalText({ name, file = '' }: NamedServer): string {
  return vscode.l10n.t(
    'This workspace asks Tiller to use the MCP server {0} ({1}).',
    name,
    vscode.workspace.asRelativePath(file),
  );
}

/** Returns one fact in a line, as in the entry. `hidesSecrets`: of variables and headers with names of secrets only the name. */
export function serverFacts(settings: McpServerSettings, { hidesSecrets = false } = {}): readonly string[] {
  const named = (kind: string, values: Readonly<Record<string, string>>, between: string) =>
    Object.entries(values).map(([name, value]) => {
      const isHidden = hidesSecrets && isSecretName(name) && !value.includes('${');
      return isHidden ? `${kind}: ${name}${between}…` : `${kind}: ${name}${between}${value}`;
    });
  if ('command' in settings) return [...programFacts(settings), ...named(vscode.l10n.t('Variable'), settings.env, '=')];
  const { url, headers, bearer } = settings;
  const shown = hidesSecrets && bearer?.includes('${') === false ? '…' : bearer;
  return [
    vscode.l10n.t('Address: {0}', url),
    ...named(vscode.l10n.t('Header'), headers, ': '),
    ...(shown === undefined ? [] : [vscode.l10n.t('Bearer token: {0}', shown)]),
  ];
}

function programFacts({ command, args, cwd, sandbox }: McpStdioServer): readonly string[] {
  const program = [
    vscode.l10n.t('Command: {0}', joinShellWords([command, ...args])),
    vscode.l10n.t('Working directory: {0}', cwd ?? '${workspaceFolder}'),
  ];
  if (sandbox === 'off') return [...program, vscode.l10n.t('Sandbox: none')];
  const writable = [...sandbox.writableRoots, vscode.l10n.t('a temporary folder')].join(', ');
  return [...program, vscode.l10n.t('Sandbox: it may write in {0}', writable), networkFact(sandbox)];
}

function networkFact({
  network,
  allowedHosts = [],
}: Pick<Exclude<McpStdioServer['sandbox'], 'off'>, 'network' | 'allowedHosts'>): string {
  if (network) return vscode.l10n.t('Network: it may connect to every host');
  return allowedHosts.length === 0
    ? vscode.l10n.t('Network: none')
    : vscode.l10n.t('Network: it may connect to {0}', allowedHosts.join(', '));
}
