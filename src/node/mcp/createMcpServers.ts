import type { Ports } from '../../core/ports.ts';
import type { McpRedirect, McpSecrets } from '../../core/mcp/authorization.ts';
import type { McpServer } from '../../core/mcp/mcpServer.ts';
import type { McpDefinition } from '../../core/mcp/connection.ts';
import { type DefinitionPlace, resolveDefinition } from '../../core/mcp/definitions.ts';
import { McpServers } from '../../core/mcp/mcpServers.ts';
import { Trust } from '../../core/trust/trust.ts';
import type { SandboxSupport } from '../../core/sandbox/resolveSandbox.ts';
import { McpTools } from '../../core/tools/mcp/mcpTools.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import type { McpServerSettings } from '../../protocol/mcp.ts';
import type { Settings } from '../../protocol/settings.ts';
import { authorize } from './authorize.ts';
import { createMcpConnector } from './connector.ts';

export interface McpHost {
  readonly ports: Ports;
  readonly version: string;
  /** Open folders, the first one first, which servers may request as roots. */
  readonly roots: () => readonly string[];
  readonly settings: () => Pick<Settings, 'sandbox.unreadable' | 'sandbox.mode' | 'mcp.clientMetadataUrl'>;
  /** The store of authorizations; absent where a user cannot give one. */
  readonly secrets?: McpSecrets;
  /** Called with each secret that a server gives, so that it is redacted everywhere. */
  readonly hide?: (secret: string) => void;
  readonly support: () => SandboxSupport;
}

/** The MCP servers of this process, the user's approvals of them, and their tools for a thread. */
export interface Mcp {
  readonly servers: McpServers;
  readonly trust: Trust;
  /** Lets the user authorize Tiller at the server, which is started again then. @throws McpFault; the signal's reason */
  signIn(server: McpServer, redirect: McpRedirect, signal: AbortSignal): Promise<void>;
  /** Returns the tools of one thread. `configured`: see `McpToolsDeps`. */
  tools(configured?: () => Promise<void>): McpTools;
}

/** Has no side effects: `McpServers.configure` starts the servers. */
export function createMcp({ ports, version, roots, settings, support, secrets, hide = () => {} }: McpHost): Mcp {
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
      roots,
      unreadable: () => settings()['sandbox.unreadable'],
      secrets,
      hide,
      clientMetadataUrl: () => settings()['mcp.clientMetadataUrl'],
      isInSandbox: () => settings()['sandbox.mode'] === 'external-sandbox',
    }),
    clock,
    roots,
    random: () => ids.random(),
    onError: (error) => log.error('A listener of the MCP servers failed', error),
  });
  const trust = new Trust('mcp.json', storage, log);
  const workspaceOf = (cwd: string) => roots().find((root) => isBelow(cwd, root)) ?? cwd;
  return {
    servers,
    trust,
    async signIn(server, redirect, signal) {
      if (secrets === undefined || !('url' in server.definition.settings)) return;
      const clientMetadataUrl = settings()['mcp.clientMetadataUrl'] ?? undefined;
      await authorize(
        { server: server.definition.settings, secrets, clientMetadataUrl, redirect, hide, fetch },
        signal,
      );
      await server.restart();
    },
    tools: (configured) =>
      new McpTools({ servers, trust, storage, log, workspaceOf, ...(configured && { configured }) }),
  };
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
