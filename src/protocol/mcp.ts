/** MCP servers as data: their settings, and their state as the user sees it. */
import * as z from 'zod';
import { hostPatternSchema } from './hostPattern.ts';
import { httpUrlSchema } from './providers.ts';
import { lazyStrictObject } from './lazyObject.ts';

/** The longest delay that `setTimeout` accepts, in milliseconds. */
export const MAX_TIMER_MS = 2_147_483_647;
const milliseconds = z.number().int().positive().max(MAX_TIMER_MS);

const common = {
  enabled: z.boolean().default(true),
  /** True if a turn waits for the server, and fails if it cannot be started. */
  required: z.boolean().default(false),
  startupTimeoutMs: milliseconds.default(10_000),
  /** Maximum milliseconds of one call. The time in which the server waits for the user does not count. */
  toolTimeoutMs: milliseconds.default(60_000),
  /** The tools to offer, by the server's names; absent: all tools. */
  enabledTools: z.array(z.string()).optional(),
  disabledTools: z.array(z.string()).default([]),
};

/** The confinement of a server that Tiller starts. */
const mcpSandboxSchema = z.union([
  /** No sandbox: the server runs with all rights of the user. */
  z.literal('off'),
  lazyStrictObject(() => ({
    /** Absolute, or beginning with `~/` or `${workspaceFolder}`. */
    writableRoots: z
      .array(
        z.string().regex(/^(~?\/|[A-Za-z]:[\\/]|\$\{)/, 'must be absolute, or begin with ~/ or ${workspaceFolder}'),
      )
      .default([]),
    network: z.boolean().default(false),
    /** Hosts that it may reach without `network`. Without a default: an approval covers the entry as it was written. */
    allowedHosts: z.array(hostPatternSchema).optional(),
  })),
]);

const stdioServerSchema = lazyStrictObject(() => ({
  ...common,
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Environment variables that the server gets in addition to Tiller's filtered environment. */
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().min(1).optional(),
  /** `auto` first tries the protocol of 2026; with a server of 2025, starting may then take longer. */
  protocol: z.enum(['legacy', 'auto']).default('legacy'),
  sandbox: mcpSandboxSchema.prefault({}),
}));

const httpServerSchema = lazyStrictObject(() => ({
  ...common,
  type: z.enum(['http', 'streamable-http']).optional(),
  url: httpUrlSchema,
  headers: z.record(z.string(), z.string()).default({}),
  /** The token to send as `Authorization: Bearer …`. */
  bearer: z.string().min(1).optional(),
  protocol: z.enum(['legacy', 'auto']).default('auto'),
  /** The client that the user has registered with the authorization server. */
  oauth: z.strictObject({ clientId: z.string().min(1), clientSecret: z.string().min(1).optional() }).optional(),
}));

export type McpStdioServer = z.infer<typeof stdioServerSchema>;
export type McpHttpServer = z.infer<typeof httpServerSchema>;
export type McpServerSettings = McpStdioServer | McpHttpServer;

/** The pattern of server names. Names of tools contain them (codex-behaviour.md §9). */
const NAME = /^[A-Za-z0-9_-]+$/;

/** Returns true for a name that a server may have. */
export function isServerName(name: string): boolean {
  return NAME.test(name);
}

/**
 * The setting as the user wrote it. Each entry is validated separately, so that a mistake in one does not disable the
 * others.
 */
export const mcpServersSettingSchema = z.record(z.string(), z.unknown());

/** An entry with a mistake. `problem` is a clause that describes it. */
export interface McpEntryProblem {
  readonly server: string;
  readonly problem: string;
}

export interface ParsedMcpServers {
  readonly servers: ReadonlyMap<string, McpServerSettings>;
  readonly problems: readonly McpEntryProblem[];
}

/** Returns a sentence about the problem. `key`: the name of the object that contains the entry. */
export function entryProblem(key: string, { server, problem }: McpEntryProblem): string {
  return `${key}.${server}: ${problem}.`;
}

/** Reads `mcpServers` of the settings, or of a file that other programs share. */
export function parseMcpServers(
  entries: Readonly<Record<string, unknown>>,
  { ignoresUnknown = false }: { readonly ignoresUnknown?: boolean } = {},
): ParsedMcpServers {
  const servers = new Map<string, McpServerSettings>();
  const problems: McpEntryProblem[] = [];
  for (const [server, entry] of Object.entries(entries)) {
    const parsed = parseEntry(server, entry, ignoresUnknown);
    if (typeof parsed === 'string') problems.push({ server, problem: parsed });
    else servers.set(server, parsed);
  }
  return { servers, problems };
}

/** Returns the parsed entry, or a clause about its mistake. */
function parseEntry(name: string, entry: unknown, ignoresUnknown: boolean): McpServerSettings | string {
  if (!NAME.test(name)) return 'the name of a server has only letters, digits, - and _';
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return 'must be an object';
  const hasCommand = 'command' in entry;
  const hasUrl = 'url' in entry;
  if (hasCommand && hasUrl) return 'has a command and a url: a server has one of them';
  if (!hasCommand && !hasUrl) return 'has neither a command nor a url';
  if ('type' in entry && entry.type === 'sse') return SSE_IS_GONE;
  const schema = hasCommand ? stdioServerSchema : httpServerSchema;
  const known = Object.fromEntries(Object.entries(entry).filter(([key]) => !ignoresUnknown || key in schema.shape));
  const parsed = schema.safeParse(known);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? `has no setting "${issue.keys[0]}"` : undefined;
  const field = issue?.path.join('.') ?? '';
  return unknown ?? `${field === '' ? '' : `${field}: `}${issue?.message ?? 'is not valid'}`;
}

/** The problem of an entry with the transport `sse`, which was removed from the protocol in 2025. */
export const SSE_IS_GONE =
  'the transport "sse" is not supported any more; use the address of the server for streamable HTTP, which often ends in /mcp, without "type"';

export const mcpStatusSchema = z.enum(['starting', 'ready', 'needs_auth', 'failed', 'stopped']);
