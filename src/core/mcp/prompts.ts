/** Prompts of MCP servers, which a client offers as slash commands. */
import type { McpPrompt } from './connection.ts';
import type { McpServers } from './mcpServers.ts';

export interface ServerPrompt extends McpPrompt {
  readonly server: string;
}

type Arguments = Readonly<Record<string, string>>;

/** The prompts of all servers that are ready, by server. One that cannot list them has none. */
export async function listPrompts(servers: McpServers, signal: AbortSignal): Promise<readonly ServerPrompt[]> {
  const lists = await Promise.all(
    servers.all.map(async (server) =>
      (await server.prompts(signal)).map((prompt) => ({ ...prompt, server: server.name })),
    ),
  );
  return lists.flat();
}

/**
 * The values that the server knows for an argument whose first characters are `value`; `args`: the arguments before it. Empty
 * where it knows none. @throws McpFault; the signal's reason
 */
export async function completeArgument(
  servers: McpServers,
  { server, name }: Pick<ServerPrompt, 'server' | 'name'>,
  argument: { readonly name: string; readonly value: string },
  args: Arguments,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = servers.get(server);
  return (await found?.use(signal, (connection) => connection.complete(name, argument, args, signal))) ?? [];
}

/**
 * The text of a prompt, which the user sees before it is sent. `args`: by name; one that is required must be there. @throws
 * McpFault; Error with a sentence for the user; the signal's reason
 */
export async function expandPrompt(
  servers: McpServers,
  { server, name, arguments: known }: ServerPrompt,
  args: Arguments,
  signal: AbortSignal,
): Promise<string> {
  const missing = known.find((argument) => argument.required && (args[argument.name] ?? '') === '');
  if (missing) throw new Error(`The prompt ${name} needs a value for ${missing.name}.`);
  const found = servers.get(server);
  if (found === undefined) throw new Error(`There is no MCP server ${server}.`);
  return found.use(signal, (connection) => connection.getPrompt(name, args, signal));
}
