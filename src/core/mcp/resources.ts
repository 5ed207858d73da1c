/** Resources of MCP servers, which the user attaches to a message. */
import type { McpServers } from './mcpServers.ts';
import type { McpResource } from './serverLists.ts';

export interface ServerResource extends McpResource {
  readonly server: string;
}

/** The resources of all servers that are ready, by server. One that cannot list them has none. */
export async function listResources(servers: McpServers, signal: AbortSignal): Promise<readonly ServerResource[]> {
  const lists = await Promise.all(
    servers.all.map(async (server) =>
      (await server.resources(signal)).map((resource) => ({ ...resource, server: server.name })),
    ),
  );
  return lists.flat();
}

/**
 * The texts of a resource; `undefined` when it has none. `refusal` returns why the file that an address names may not be read,
 * as a clause. @throws Error with this reason; McpFault; the signal's reason
 */
export async function readResourceText(
  servers: McpServers,
  { server, uri }: Pick<ServerResource, 'server' | 'uri'>,
  refusal: (address: string) => Promise<string | undefined>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const refused = await refusal(uri);
  if (refused !== undefined) throw new Error(refused);
  const found = servers.get(server);
  const contents = (await found?.use(signal, (connection) => connection.readResource(uri, signal))) ?? [];
  const texts = contents.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length === 0 ? undefined : texts.join('\n');
}
