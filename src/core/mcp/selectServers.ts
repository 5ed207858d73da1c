import type { McpServerSettings } from '../../protocol/mcp.ts';
import type { McpDefinition } from './connection.ts';
import { type DefinitionPlace, resolveDefinition } from './definitions.ts';
import type { Trust } from '../trust/trust.ts';

/** A server of the settings, or of a file of the workspace. */
export interface NamedServer {
  readonly name: string;
  readonly settings: McpServerSettings;
  /** Absolute; absent for one of the settings. */
  readonly file?: string | undefined;
}

/** A server definition with its state. */
export type SelectedServer = NamedServer &
  (
    | { readonly type: 'start'; readonly definition: McpDefinition }
    /** A file of the workspace names it, and the user has not decided; or has refused it. */
    | { readonly type: 'proposed' | 'refused'; readonly definition: McpDefinition }
    /** It is to run without a sandbox, and the user has not agreed to that. */
    | { readonly type: 'outside'; readonly definition: McpDefinition }
    | { readonly type: 'problem'; readonly message: string }
  );

/**
 * Decides which servers are started. Of two with the same name, the first is taken: list those of the settings first. What a
 * workspace names is a proposal until the user approves it, for this definition in this file.
 */
export async function selectServers(
  servers: readonly NamedServer[],
  place: DefinitionPlace,
  trust: Pick<Trust, 'decisionOn'>,
): Promise<readonly SelectedServer[]> {
  const byName = new Map<string, NamedServer>();
  for (const server of servers) if (!byName.has(server.name)) byName.set(server.name, server);
  return Promise.all([...byName.values()].map((server) => selected(server, place, trust)));
}

async function selected(
  server: NamedServer,
  place: DefinitionPlace,
  trust: Pick<Trust, 'decisionOn'>,
): Promise<SelectedServer> {
  const { name, settings, file } = server;
  const definition = resolveDefinition(name, settings, place, file);
  if ('problem' in definition) return { ...server, type: 'problem', message: definition.problem };
  if (file !== undefined) {
    const decision = await trust.decisionOn(definition.hash, 'proposal');
    if (decision !== 'approved') return { ...server, type: decision === 'open' ? 'proposed' : 'refused', definition };
  }
  const leaves = settings.enabled && 'command' in settings && settings.sandbox === 'off';
  if (leaves && (await trust.decisionOn(definition.hash, 'outside')) !== 'approved') {
    return { ...server, type: 'outside', definition };
  }
  return { ...server, type: 'start', definition };
}

/** The command or address of a server, in one line. */
export function describeServer(settings: McpServerSettings): string {
  return 'command' in settings ? [settings.command, ...settings.args].join(' ') : settings.url;
}
