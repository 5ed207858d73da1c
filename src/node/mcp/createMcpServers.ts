import type { Ports } from '../../core/ports.ts';
import type { McpDefinition } from '../../core/mcp/connection.ts';
import { type DefinitionPlace, resolveDefinition } from '../../core/mcp/definitions.ts';
import { McpServers } from '../../core/mcp/mcpServers.ts';
import { McpTrust } from '../../core/mcp/trust.ts';
import type { SandboxSupport } from '../../core/sandbox/resolveSandbox.ts';
import { McpTools } from '../../core/tools/mcp/mcpTools.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import type { McpServerSettings } from '../../protocol/mcp.ts';
import type { Settings } from '../../protocol/settings.ts';
import { createMcpConnector } from './connector.ts';

export interface McpHost {
  readonly ports: Ports;
  readonly version: string;
  /** Open folders, the first one first: what servers may ask for as roots. */
  readonly roots: () => readonly string[];
  readonly settings: () => Pick<Settings, 'sandbox.unreadable' | 'sandbox.mode'>;
  readonly support: () => SandboxSupport;
}

/** The MCP servers of this process, what the user has allowed of them, and their tools for a thread. */
export interface Mcp {
  readonly servers: McpServers;
  readonly trust: McpTrust;
  /** One for each thread. */
  tools(): McpTools;
}

/** Starts nothing: `McpServers.configure` does. */
export function createMcp({ ports, version, roots, settings, support }: McpHost): Mcp {
  const { exec, fetch, clock, host, keys, storage, log, ids } = ports;
  const servers = new McpServers({
    connector: createMcpConnector({
      exec,
      fetch,
      clock,
      host,
      keys,
      version,
      support,
      home: storage.home,
      unreadable: () => settings()['sandbox.unreadable'],
      isInSandbox: () => settings()['sandbox.mode'] === 'external-sandbox',
    }),
    clock,
    roots,
    random: () => ids.random(),
    onError: (error) => log.error('A listener of the MCP servers failed', error),
  });
  const trust = new McpTrust(storage, log);
  const workspaceOf = (cwd: string) => roots().find((root) => isBelow(cwd, root)) ?? cwd;
  return { servers, trust, tools: () => new McpTools({ servers, trust, storage, log, workspaceOf }) };
}

/** The definitions that can be started, and a sentence for each that cannot. */
export function resolveAll(
  servers: ReadonlyMap<string, McpServerSettings>,
  place: DefinitionPlace,
): { readonly definitions: readonly McpDefinition[]; readonly problems: readonly string[] } {
  const definitions: McpDefinition[] = [];
  const problems: string[] = [];
  for (const [name, settings] of servers) {
    const resolved = resolveDefinition(name, settings, place);
    if ('problem' in resolved) problems.push(`The MCP server ${name} is not started: ${resolved.problem}`);
    else definitions.push(resolved);
  }
  return { definitions, problems };
}
