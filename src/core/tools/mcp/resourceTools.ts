/** Tools that read the resources of MCP servers (codex-behaviour.md §4.10). */
import * as z from 'zod';
import type { TurnItemOf } from '../../../protocol/item.ts';
import type { JsonSchema } from '../../../protocol/toolSpec.ts';
import type { McpConnection, McpPage } from '../../mcp/connection.ts';
import type { McpServer } from '../../mcp/mcpServer.ts';
import type { McpServers } from '../../mcp/mcpServers.ts';
import { allPages } from '../../mcp/serverLists.ts';
import { deadline } from '../../util/abort.ts';
import { messageOf } from '../../util/fileErrors.ts';
import { truncateMiddle } from '../../util/tokens.ts';
import { MAX_OUTPUT_TOKENS } from '../handlers/commandAnswer.ts';
import { mayReadOnce } from '../files/askToRead.ts';
import { refusalOfAddress } from '../filesNamed.ts';
import type { ToolContext, ToolHandler } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

const listArguments = lazyObject(() => ({ server: z.string().optional(), cursor: z.string().optional() }));
const readArguments = lazyObject(() => ({ server: z.string(), uri: z.string() }));

const SERVER: JsonSchema = { type: 'string', description: 'Name of an MCP server.' };

/** Sorted by name. */
export function resourceTools(servers: McpServers): readonly ToolHandler[] {
  return [
    listTool(servers, {
      name: 'list_mcp_resource_templates',
      description: 'Lists templates of addresses of resources that MCP servers offer; of all servers without "server".',
      key: 'resourceTemplates',
      page: (connection, cursor, signal) => connection.listResourceTemplates(cursor, signal),
    }),
    listTool(servers, {
      name: 'list_mcp_resources',
      description: 'Lists resources that MCP servers offer, such as files and tables; of all servers without "server".',
      key: 'resources',
      page: (connection, cursor, signal) => connection.listResources(cursor, signal),
    }),
    readTool(servers),
  ];
}

interface ListKind {
  readonly name: string;
  readonly description: string;
  readonly key: 'resources' | 'resourceTemplates';
  page(connection: McpConnection, cursor: string | undefined, signal: AbortSignal): Promise<McpPage>;
}

function listTool(servers: McpServers, kind: ListKind): ToolHandler {
  const { name, description, key } = kind;
  return resourceTool(listArguments, {
    name,
    description,
    properties: { server: SERVER, cursor: { type: 'string', description: 'Of the last answer; only with a server.' } },
    required: [],
    async look({ server, cursor }, signal) {
      if (server !== undefined) {
        const page = await withResources(servers, server, signal, (connection) =>
          kind.page(connection, cursor, signal),
        );
        const nextCursor = page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor };
        return { server, [key]: page.entries.map((entry) => ({ server, ...entry })), ...nextCursor };
      }
      if (cursor !== undefined) throw new Error('a cursor goes with a server.');
      const lists = await Promise.all(servers.all.map((server) => allOf(server, kind, signal)));
      return { [key]: lists.flat() };
    },
  });
}

/**
 * Returns the whole list of one server, because the lists of all servers together have no cursor; an empty one if the
 * server is not ready.
 */
async function allOf(server: McpServer, kind: ListKind, signal: AbortSignal): Promise<readonly unknown[]> {
  if (server.status.type !== 'ready' || !server.status.connection.info.hasResources) return [];
  const { connection } = server.status;
  try {
    const entries = await allPages((cursor) => kind.page(connection, cursor, signal));
    return entries.map((entry) => ({ server: server.name, ...entry }));
  } catch (error) {
    signal.throwIfAborted();
    server.log.add(`Its resources cannot be listed: ${messageOf(error)}`);
    return [];
  }
}

function readTool(servers: McpServers): ToolHandler {
  return resourceTool(readArguments, {
    name: 'read_mcp_resource',
    description: 'Reads a resource of an MCP server.',
    properties: { server: SERVER, uri: { type: 'string', description: 'As list_mcp_resources returns it.' } },
    required: ['server', 'uri'],
    async refuse({ uri }, context) {
      const hidden = await refusalOfAddress(uri, context);
      return hidden === undefined || (await mayReadOnce(hidden, context)) ? undefined : hidden;
    },
    async look({ server, uri }, signal) {
      const read = (connection: McpConnection) => connection.readResource(uri, signal);
      return { server, uri, contents: await withResources(servers, server, signal, read) };
    },
  });
}

/** Passes the connection of an enabled server that has resources. @throws Error with a message for the model */
async function withResources<Result>(
  servers: McpServers,
  name: string,
  signal: AbortSignal,
  use: (connection: McpConnection) => Promise<Result>,
): Promise<Result> {
  const server = servers.get(name);
  if (server?.definition.settings.enabled !== true) {
    const known = servers.all.filter(({ definition }) => definition.settings.enabled).map((server) => server.name);
    throw new Error(`there is no MCP server ${name}. The servers are: ${known.join(', ')}.`);
  }
  return server.use(signal, async (connection) => {
    if (!connection.info.hasResources) throw new Error(`the MCP server ${name} has no resources.`);
    return use(connection);
  });
}

interface ResourceTool<Arguments> {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Resolves to the reason why the user does not allow it, as a clause. */
  readonly refuse?: (args: Arguments, context: ToolContext) => Promise<string | undefined>;
  readonly look: (args: Arguments, signal: AbortSignal) => Promise<unknown>;
}

/** In milliseconds: of one reading. */
const TIMEOUT_MS = 60_000;

function resourceTool<Arguments extends { readonly server?: string | undefined }>(
  schema: z.ZodType<Arguments>,
  { name, description, properties, required, refuse, look }: ResourceTool<Arguments>,
): ToolHandler<Arguments, { readonly args: Arguments; readonly item: TurnItemOf<'mcp_tool_call'> }> {
  return {
    names: [name],
    isMutating: () => false,
    spec: {
      type: 'function',
      name,
      description,
      strict: false,
      parameters: { type: 'object', properties, required, additionalProperties: false },
    },
    parse: (payload) => parseArguments(schema, payload),
    async prepare(args, context) {
      const item: TurnItemOf<'mcp_tool_call'> = {
        id: context.itemId,
        type: 'mcp_tool_call',
        status: 'in_progress',
        callId: context.callId,
        server: args.server ?? '*',
        tool: name,
        arguments: args,
        durationMs: 0,
      };
      const reason = {
        source: 'policy',
        id: 'mcp-resources',
        text: 'Reading a resource of a server changes nothing.',
      } as const;
      return {
        type: 'ready',
        plan: { args, item },
        item,
        requirement: { type: 'skip', bypassSandbox: false, reason },
        approvalKeys: [],
      };
    },
    async run({ args, item }, _attempt, context) {
      const hidden = await refuse?.(args, context);
      if (hidden !== undefined) {
        const why = `${hidden}. Reading it was not allowed. Go on without it.`;
        return { output: why, success: false, item: { ...item, status: 'declined', error: why } };
      }
      const startedAt = context.clock.monotonic();
      const answer = await answerOf(() => looked(look, args, context), context);
      const durationMs = Math.round(context.clock.monotonic() - startedAt);
      const { text, success } = answer;
      const result = [{ type: 'input_text' as const, text }];
      const status = success ? ('completed' as const) : ('failed' as const);
      return {
        output: text,
        success,
        item: { ...item, status, durationMs, ...(success ? { result } : { error: text }) },
      };
    },
  };
}

async function looked<Arguments>(
  look: ResourceTool<Arguments>['look'],
  args: Arguments,
  { clock, signal }: ToolContext,
): Promise<string> {
  const limit = deadline(clock, TIMEOUT_MS, new Error(`no answer within ${TIMEOUT_MS} ms.`), signal);
  try {
    return JSON.stringify(await look(args, limit.signal));
  } finally {
    limit.end();
  }
}

async function answerOf(look: () => Promise<string>, { signal }: ToolContext) {
  try {
    return { text: truncateMiddle(await look(), MAX_OUTPUT_TOKENS), success: true };
  } catch (error) {
    signal.throwIfAborted();
    return { text: `tool call error: ${messageOf(error)}`, success: false };
  }
}
