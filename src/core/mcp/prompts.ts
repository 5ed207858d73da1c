/** Prompts of MCP servers, which a client offers as slash commands. */
import { messageOf } from '../util/fileErrors.ts';
import type { McpPrompt } from './connection.ts';
import type { McpServers } from './mcpServers.ts';

export interface ServerPrompt extends McpPrompt {
  readonly server: string;
}

/** The prompts of all servers that are ready, by server and name. One that cannot list them has none. */
export async function listPrompts(servers: McpServers, signal: AbortSignal): Promise<readonly ServerPrompt[]> {
  const lists = await Promise.all(
    servers.all.map(async ({ name: server, status, log }) => {
      if (status.type !== 'ready') return [];
      try {
        return (await status.connection.listPrompts(signal)).map((prompt) => ({ ...prompt, server }));
      } catch (error) {
        signal.throwIfAborted();
        log.add(`Its prompts cannot be listed: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return lists.flat();
}

/**
 * The text of a prompt, which the user sees before it is sent. `args`: by name; one that is required must be there. @throws
 * McpFault; Error with a sentence for the user; the signal's reason
 */
export async function expandPrompt(
  servers: McpServers,
  { server, name, arguments: known }: ServerPrompt,
  args: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const missing = known.find((argument) => argument.required && (args[argument.name] ?? '') === '');
  if (missing) throw new Error(`The prompt ${name} needs a value for ${missing.name}.`);
  const found = servers.get(server);
  if (found === undefined) throw new Error(`There is no MCP server ${server}.`);
  return (await found.connection(signal)).getPrompt(name, args, signal);
}
