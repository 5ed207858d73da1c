import type { EventMsgOf } from '../../../protocol/event.ts';
import type { McpTool } from '../../mcp/connection.ts';
import type { McpServer, McpServerStatus } from '../../mcp/mcpServer.ts';
import type { McpServers } from '../../mcp/mcpServers.ts';
import { nameTools, toolPrefix } from '../../mcp/toolNames.ts';
import { leftOutSentence, usableTools } from '../../mcp/usableTools.ts';
import type { Disposable } from '../../util/disposable.ts';
import { abortable } from '../../util/abort.ts';
import type { ToolHandler } from '../handler.ts';
import type { ToolInstructions, ToolProvider } from '../toolProvider.ts';
import { mcpTool, type McpToolDeps } from './mcpTool.ts';
import { resourceTools } from './resourceTools.ts';

/** Maximum characters of the instructions of one server that the model reads. */
const MAX_INSTRUCTIONS = 8_000;

interface Offered {
  readonly server: McpServer;
  readonly tools: readonly McpTool[];
  readonly instructions: string;
}

export interface McpToolsDeps extends McpToolDeps {
  readonly servers: McpServers;
  /** Resolves when the servers are those of the settings as they are now. */
  readonly configured?: () => Promise<void>;
}

/**
 * The tools of all MCP servers, for one thread. They change between turns only, so that the prompt cache holds; but the
 * tools of a server that becomes ready during a turn are added to it.
 */
export class McpTools implements ToolProvider {
  readonly id = 'mcp';
  readonly needsTrust = true;
  readonly #deps: McpToolsDeps;
  #offered = new Map<string, Offered>();
  #tools: readonly ToolHandler[] | undefined;

  constructor(deps: McpToolsDeps) {
    this.#deps = deps;
  }

  turnStarts(): void {
    const { servers } = this.#deps;
    const before = this.#offered;
    this.#offered = new Map();
    for (const server of this.#enabled) {
      const { status } = server;
      // A server that is being restarted keeps its tools: its calls wait for it, and the prompt stays the same.
      const known = before.get(server.name);
      if (status.type === 'ready') this.#offered.set(server.name, offeredBy(server, status));
      else if (known?.server === server && status.type !== 'stopped') this.#offered.set(server.name, known);
    }
    if (!isSame(before, this.#offered) || servers.all.length === 0) this.#tools = undefined;
  }

  tools(): readonly ToolHandler[] {
    this.#addLate();
    this.#tools ??= this.#made();
    return this.#tools;
  }

  /** Adds the tools of servers that have become ready during the turn. */
  #addLate(): void {
    for (const server of this.#enabled) {
      const { status } = server;
      if (status.type !== 'ready' || this.#offered.has(server.name)) continue;
      this.#offered.set(server.name, offeredBy(server, status));
      this.#tools = undefined;
    }
  }

  async ready(
    signal: AbortSignal,
    called: readonly string[] = [],
    mayCall: (toolPrefix: string) => boolean = () => true,
  ): Promise<string | undefined> {
    const { servers, configured } = this.#deps;
    if (configured) await abortable(configured(), signal);
    const required = this.#enabled.filter(
      ({ name, definition }) => definition.settings.required && mayCall(toolPrefix(name)),
    );
    await servers.settled((server) => required.includes(server) || called.includes(server.name), signal);
    const missing = required.find(({ status }) => status.type !== 'ready');
    return missing && `${missing.unavailable} It is required (mcpServers.${missing.name}.required).`;
  }

  instructions(): readonly ToolInstructions[] {
    this.#addLate();
    return [...this.#offered.values()]
      .map(({ server, tools, instructions }) => ({
        source: server.name,
        toolPrefix: toolPrefix(server.name),
        text: [instructions, leftOutSentence(tools) ?? ''].filter((text) => text !== '').join('\n\n'),
      }))
      .filter(({ text }) => text !== '')
      .toSorted((one, other) => (one.source < other.source ? -1 : 1));
  }

  watch(listener: (status: EventMsgOf<'mcp_status'>) => void): Disposable {
    const { servers } = this.#deps;
    const known = new Map<string, string>();
    const tell = (server: McpServer) => {
      const status = statusOf(server);
      const text = JSON.stringify(status);
      if (known.get(server.name) !== text) listener(status);
      known.set(server.name, text);
    };
    for (const server of this.#enabled) tell(server);
    return servers.onChange(tell);
  }

  get #enabled(): readonly McpServer[] {
    return this.#deps.servers.all.filter(({ definition }) => definition.settings.enabled);
  }

  #made(): readonly ToolHandler[] {
    const { servers } = this.#deps;
    if (this.#enabled.length === 0) return [];
    const all = [...this.#offered.values()].flatMap(({ server, tools }) =>
      usableTools(tools).map((definition) => ({
        server: server.name,
        tool: definition.name,
        definition,
        owner: server,
      })),
    );
    const named = nameTools(all);
    const tools = named.map(({ name, aliases, tool: { owner, definition } }) =>
      mcpTool([name, ...aliases], owner, definition, this.#deps),
    );
    return [...tools, ...resourceTools(servers)].toSorted((one, other) => (one.names[0] < other.names[0] ? -1 : 1));
  }
}

function offeredBy(server: McpServer, { connection, tools }: Extract<McpServerStatus, { type: 'ready' }>): Offered {
  return { server, tools, instructions: connection.info.instructions.trim().slice(0, MAX_INSTRUCTIONS) };
}

function isSame(one: ReadonlyMap<string, Offered>, other: ReadonlyMap<string, Offered>): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([name, { server, tools }]) => {
    const same = other.get(name);
    return same?.server === server && JSON.stringify(same.tools) === JSON.stringify(tools);
  });
}

function statusOf(server: McpServer): EventMsgOf<'mcp_status'> {
  const { status } = server;
  const base = { type: 'mcp_status', server: server.name, status: status.type } as const;
  if (status.type !== 'ready') return { ...base, ...('message' in status ? { error: status.message } : {}) };
  const leftOut = leftOutSentence(status.tools);
  const toolCount = usableTools(status.tools).length;
  return { ...base, toolCount, ...(leftOut === undefined ? {} : { leftOut }) };
}
