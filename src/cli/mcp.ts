import { sandboxSupport } from '../node/sandbox/support.ts';
import { createMcp, type Mcp, resolveAll } from '../node/mcp/createMcpServers.ts';
import { leftOutSentence } from '../core/mcp/usableTools.ts';
import type { Ports } from '../core/ports.ts';
import { parseMcpServers } from '../protocol/mcp.ts';
import type { Settings } from '../protocol/settings.ts';
import { UsageError } from './usage.ts';

/** The MCP servers of `exec`. */
export interface ExecMcp {
  readonly toolProviders: readonly ReturnType<Mcp['tools']>[];
  /** Resolves when every enabled server has started or failed. Prints the names of those that are not ready. */
  waitForAll(say: (line: string) => void): Promise<void>;
  close(): Promise<void>;
}

const NONE: ExecMcp = { toolProviders: [], waitForAll: async () => {}, close: async () => {} };

/**
 * Starts the servers of the setting `mcpServers`, and returns without waiting for them. Servers that files of the
 * workspace name are not read, because no user is present to approve them.
 * @throws UsageError for an entry with a mistake
 */
export function startMcp(
  ports: Ports,
  settings: Settings,
  { cwd, version }: { readonly cwd: string; readonly version: string },
): ExecMcp {
  const { servers: entries, problems } = parseMcpServers(settings.mcpServers);
  const [first] = problems;
  if (first) throw new UsageError(`setting "mcpServers.${first.server}": ${first.problem}`);
  if (entries.size === 0) return NONE;
  const mcp = createMcp({ ports, version, roots: () => [cwd], settings: () => settings, support: sandboxSupport });
  const { host } = ports;
  const resolved = resolveAll(entries, {
    folder: cwd,
    homeDirectory: host.homeDirectory,
    environment: host.environment,
  });
  mcp.servers.configure({ definitions: resolved.definitions });
  return {
    toolProviders: [mcp.tools()],
    async waitForAll(say) {
      for (const line of resolved.problems) say(line);
      await mcp.servers.settled(() => true, new AbortController().signal);
      for (const { name, definition, status, unavailable } of mcp.servers.all) {
        if (!definition.settings.enabled) continue;
        if (status.type !== 'ready') say(unavailable);
        const leftOut = status.type === 'ready' ? leftOutSentence(status.tools) : undefined;
        if (leftOut !== undefined) say(`${name}: ${leftOut}`);
      }
    },
    close: () => mcp.servers.close(),
  };
}
