import type { Client, Transport } from '@modelcontextprotocol/client';
import { type McpConnection, type McpConnector, McpFault, type McpHandlers } from '../../core/mcp/connection.ts';
import type { McpSecrets } from '../../core/mcp/authorization.ts';
import type { Clock, Exec, Fetch } from '../../core/ports.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import type { McpHttpServer, McpStdioServer } from '../../protocol/mcp.ts';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { answeringFetch } from './answeringFetch.ts';
import { boundedFetch } from './boundedFetch.ts';
import { OAuthProvider } from './oauthProvider.ts';
import { type LaunchPlace, launchRequest, sandboxHint } from './launch.ts';
import { NO_TIMEOUT } from './limits.ts';
import { failCutRequests } from './failCutRequests.ts';
import { describeError, describeStartError } from './sdkErrors.ts';
import { SdkConnection } from './sdkConnection.ts';
import { StdioTransport } from './stdioTransport.ts';

export interface McpConnectorOptions extends LaunchPlace {
  readonly exec: Exec;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly version: string;
  /** The store of authorizations; absent where a user cannot give one. */
  readonly secrets?: McpSecrets | undefined;
  readonly clientMetadataUrl: () => string | null;
  /** Called with each secret that a server gives, so that it is redacted everywhere. */
  readonly hide: (secret: string) => void;
}

type Sdk = typeof import('./mcpSdk.ts');

/** Connects to servers with the SDK, which is loaded with the first one. */
export function createMcpConnector(options: McpConnectorOptions): McpConnector {
  return {
    async connect(definition, handlers, signal) {
      const sdk = await import('./mcpSdk.ts');
      signal.throwIfAborted();
      const { name, settings } = definition;
      return 'command' in settings
        ? connectStdio(sdk, name, settings, handlers, options, signal)
        : connectHttp(sdk, settings, handlers, options, signal);
    },
  };
}

async function connectStdio(
  sdk: Sdk,
  name: string,
  settings: McpStdioServer,
  handlers: McpHandlers,
  options: McpConnectorOptions,
  signal: AbortSignal,
): Promise<McpConnection> {
  const { exec, clock } = options;
  const transport = new StdioTransport({
    exec,
    request: launchRequest(name, settings, options),
    log: (line) => handlers.log(line),
    clock,
  });
  try {
    const client = await connected(sdk, transport, settings.protocol, handlers, options, signal);
    return new SdkConnection(sdk, client, { endedWhy: () => transport.endedWhy, handlers });
  } catch (error) {
    const why = signal.aborted ? messageOf(signal.reason) : startFailure(sdk, error, transport);
    await transport.close();
    throw new McpFault('start', `${why}${sandboxHint(settings, options)}`, { cause: error });
  }
}

/** The exit of the process explains more than the request that it left unanswered. */
function startFailure(sdk: Sdk, error: unknown, transport: StdioTransport): string {
  const { kind, message } = describeError(sdk, error);
  return kind === 'closed' ? transport.endedWhy : message;
}

async function connectHttp(
  sdk: Sdk,
  settings: McpHttpServer,
  handlers: McpHandlers,
  options: McpConnectorOptions,
  signal: AbortSignal,
): Promise<McpConnection> {
  const { headers, bearer } = settings;
  const authProvider = await authorizationFor(settings, options);
  const transport = new sdk.StreamableHTTPClientTransport(new URL(settings.url), {
    fetch: answeringFetch(boundedFetch(options.fetch)),
    ...(authProvider && { authProvider }),
    requestInit: { headers: bearer === undefined ? headers : { ...headers, Authorization: `Bearer ${bearer}` } },
  });
  try {
    const client = await connected(sdk, transport, settings.protocol, handlers, options, signal);
    failCutRequests(transport);
    return new SdkConnection(sdk, client, {
      endedWhy: () => 'The connection was closed.',
      handlers,
      session: {
        clock: options.clock,
        isOpen: () => transport.sessionId !== undefined,
        end: () => transport.terminateSession(),
      },
    });
  } catch (error) {
    await transport.close().catch(() => {});
    signal.throwIfAborted();
    throw describeStartError(sdk, error);
  }
}

/**
 * Uses the tokens of an earlier sign-in. Without them there is none: no client is registered and no page is opened in
 * the background.
 */
async function authorizationFor(
  server: McpHttpServer,
  { secrets, clientMetadataUrl, hide }: McpConnectorOptions,
): Promise<OAuthProvider | undefined> {
  const { bearer, headers } = server;
  const isOwn = bearer !== undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  if (secrets === undefined || isOwn) return undefined;
  const options = { server, secrets, clientMetadataUrl: clientMetadataUrl() ?? undefined, redirect: undefined, hide };
  const provider = new OAuthProvider(options);
  return (await provider.tokens()) === undefined ? undefined : provider;
}

async function connected(
  sdk: Sdk,
  transport: Transport,
  protocol: 'legacy' | 'auto',
  handlers: McpHandlers,
  { version }: Pick<McpConnectorOptions, 'version'>,
  signal: AbortSignal,
): Promise<Client> {
  const changed = (kind: Parameters<McpHandlers['changed']>[0]) => ({
    autoRefresh: false,
    onChanged: () => handlers.changed(kind),
  });
  const client = new sdk.Client(
    { name: 'tiller', version },
    {
      capabilities: { elicitation: { form: {}, url: {} }, roots: {} },
      versionNegotiation: { mode: protocol },
      listChanged: { tools: changed('tools'), resources: changed('resources'), prompts: changed('prompts') },
    },
  );
  Object.assign(client, { onerror: (error: Error) => handlers.log(messageOf(error)) });
  client.setRequestHandler('roots/list', () => ({
    roots: handlers.roots().map((folder) => ({ uri: pathToFileURL(folder).href, name: path.basename(folder) })),
  }));
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const answer = await handlers.elicit(
      'url' in params && typeof params.url === 'string'
        ? { mode: 'url', message: params.message, url: params.url }
        : {
            mode: 'form',
            message: params.message,
            requestedSchema: 'requestedSchema' in params ? { ...params.requestedSchema } : {},
          },
      mcpReq.signal,
    );
    return answer.action === 'accept' ? { action: 'accept', content: contentOf(answer.content) } : answer;
  });
  await client.connect(transport, { signal, timeout: NO_TIMEOUT });
  return client;
}

/** The values that a form can have (2025-11-25, "ElicitResult"). */
function contentOf(content: Readonly<Record<string, unknown>> = {}): Record<string, FormValue> {
  return Object.fromEntries(
    Object.entries(content).filter((entry): entry is [string, FormValue] => isFormValue(entry[1])),
  );
}

type FormValue = string | number | boolean | string[];

function isFormValue(value: unknown): value is FormValue {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
