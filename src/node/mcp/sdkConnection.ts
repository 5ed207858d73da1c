import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import * as z from 'zod';
import {
  type McpCallResult,
  type McpConnection,
  type McpContent,
  McpFault,
  type McpHandlers,
  type McpPage,
  type McpProgress,
  type McpPrompt,
  type McpServerInfo,
  type McpTool,
} from '../../core/mcp/connection.ts';
import type { Clock } from '../../core/ports.ts';
import { settledWithin } from '../../core/util/abort.ts';
import { allPages } from '../../core/mcp/serverLists.ts';
import { isNestedTooDeeply } from '../../core/util/json.ts';
import { NO_TIMEOUT } from './limits.ts';
import { describeError, ENDED, isExpiredSession } from './sdkErrors.ts';
import { lazyLooseObject, lazyObject } from '../../protocol/lazyObject.ts';

type Sdk = typeof import('./mcpSdk.ts');
type Wild = Readonly<Record<string, unknown>>;

/** Values of one completion (2025-11-25, "CompleteResult"). */
const MAX_VALUES = 100;
/** Maximum pages of one list: a server may send pages without end. */
const MAX_PAGES = 64;

/** Lenient: one tool that is described wrongly costs no other. */
const record = z.record(z.string(), z.unknown());
const pageOf = (key: string) => z.looseObject({ [key]: z.array(z.unknown()), nextCursor: z.string().optional() });
const toolSchema = lazyLooseObject(() => ({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown(),
  annotations: record.optional().catch(undefined),
  execution: z.object({ taskSupport: z.string().optional() }).optional().catch(undefined),
}));
const promptSchema = lazyLooseObject(() => ({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  arguments: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().optional().catch(undefined),
        required: z.boolean().catch(false),
      }),
    )
    .catch([]),
}));

/** Time for a server over HTTP to end a session that is closed, in milliseconds. */
const END_SESSION_MS = 500;

/** A page that the user has to open before a call. */
const pageSchema = lazyObject(() => ({ message: z.string(), url: z.string() }));
/** Calls of one tool that need a page, and pages of one call. */
const [MAX_PAGE_ROUNDS, MAX_ASKED_PAGES] = [5, 3];

interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: McpProgress) => void;
}

export interface SdkConnectionOptions {
  /** The end of the connection, in one sentence. */
  readonly endedWhy: () => string;
  readonly handlers: Pick<McpHandlers, 'log' | 'elicit'>;
  /** The session over HTTP; absent on stdio. */
  readonly session?: { readonly clock: Clock; isOpen(): boolean; end(): Promise<void> };
}

/** A connected client of the SDK as core needs it. */
export class SdkConnection implements McpConnection {
  readonly info: McpServerInfo;
  readonly closed: Promise<McpFault>;
  readonly #sdk: Sdk;
  readonly #client: Client;
  readonly #options: SdkConnectionOptions;
  #end: (fault: McpFault) => void = () => {};
  #hasEnded = false;

  constructor(sdk: Sdk, client: Client, options: SdkConnectionOptions) {
    this.#sdk = sdk;
    this.#client = client;
    this.#options = options;
    const { tools, resources, prompts, completions } = client.getServerCapabilities() ?? {};
    const { name = '', version = '' } = client.getServerVersion() ?? {};
    this.info = {
      name,
      version,
      instructions: client.getInstructions() ?? '',
      protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
      hasTools: tools !== undefined,
      hasResources: resources !== undefined,
      hasPrompts: prompts !== undefined,
      hasCompletions: completions !== undefined,
    };
    this.closed = new Promise((resolve) => {
      this.#end = (fault) => {
        this.#hasEnded = true;
        resolve(fault);
      };
      Object.assign(client, { onclose: () => this.#end(new McpFault('closed', options.endedWhy())) });
    });
  }

  async listTools(signal: AbortSignal): Promise<readonly McpTool[]> {
    return (await this.#all('tools/list', 'tools', signal)).flatMap((entry) => {
      const tool = toolSchema.safeParse(entry);
      if (!tool.success) {
        this.#options.handlers.log('A tool without a name is left out.');
        return [];
      }
      const { name, title, description, inputSchema, annotations, execution } = tool.data;
      // Refused by the server when it is called as Tiller does (MCP 2025-11-25, "Tasks").
      if (execution?.taskSupport === 'required') {
        this.#options.handlers.log(`The tool ${name} is left out: it runs as a task of the protocol only.`);
        return [];
      }
      return [{ name, title, description, inputSchema, annotations, raw: tool.data }];
    });
  }

  /**
   * A server of 2025 can refuse a call until the user has opened a page ("URLElicitationRequiredError"): the user is asked, and
   * the call is made again.
   */
  async callTool(tool: McpTool, args: Wild, options: CallOptions): Promise<McpCallResult> {
    for (let round = 1; ; round++) {
      try {
        return await this.#callOnce(tool, args, options);
      } catch (error) {
        const pages = this.#pagesIn(error);
        if (pages.length === 0 || round === MAX_PAGE_ROUNDS) throw error;
        for (const page of pages) {
          const { action } = await this.#options.handlers.elicit({ mode: 'url', ...page }, options.signal);
          if (action !== 'accept') throw new McpFault('refused', 'The user did not open the page that it needs.');
        }
      }
    }
  }

  #pagesIn(error: unknown): readonly z.infer<typeof pageSchema>[] {
    const cause = error instanceof McpFault ? error.cause : undefined;
    if (!(cause instanceof this.#sdk.UrlElicitationRequiredError)) return [];
    return z.array(pageSchema).max(MAX_ASKED_PAGES).catch([]).parse(cause.elicitations);
  }

  async #callOnce({ name, raw }: McpTool, args: Wild, { signal, onProgress }: CallOptions): Promise<McpCallResult> {
    // Without its `outputSchema`: a result that does not fit it is given to the model as it is.
    const toolDefinition = {
      name,
      inputSchema: { ...record.catch({}).parse(raw['inputSchema']), type: 'object' as const },
    };
    const result = await this.#ask(signal, (options) =>
      this.#client.callTool({ name, arguments: { ...args } }, { ...options, onprogress: onProgress, toolDefinition }),
    );
    const { content, structuredContent, isError } = result;
    return { content: content as unknown as readonly McpContent[], structuredContent, isError: isError === true };
  }

  listResources(cursor: string | undefined, signal: AbortSignal): Promise<McpPage> {
    return this.#page('resources/list', 'resources', cursor, signal);
  }

  listResourceTemplates(cursor: string | undefined, signal: AbortSignal): Promise<McpPage> {
    return this.#page('resources/templates/list', 'resourceTemplates', cursor, signal);
  }

  async readResource(uri: string, signal: AbortSignal): Promise<readonly Wild[]> {
    const result = await this.#request('resources/read', { uri }, z.looseObject({ contents: z.array(record) }), signal);
    return result.contents;
  }

  async listPrompts(signal: AbortSignal): Promise<readonly McpPrompt[]> {
    if (!this.info.hasPrompts) return [];
    return (await this.#all('prompts/list', 'prompts', signal)).flatMap((entry) => {
      const prompt = promptSchema.safeParse(entry);
      if (!prompt.success) return [];
      const { name, title, description, arguments: args } = prompt.data;
      const named = args.map(({ name: argument, description: about, required }) => ({
        name: argument,
        ...(about === undefined ? {} : { description: about }),
        required,
      }));
      return [{ name, title, description, arguments: named }];
    });
  }

  async complete(
    prompt: string,
    argument: { readonly name: string; readonly value: string },
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (!this.info.hasCompletions) return [];
    const params = { ref: { type: 'ref/prompt', name: prompt }, argument, context: { arguments: args } };
    const schema = z.looseObject({ completion: z.looseObject({ values: z.array(z.string()).max(MAX_VALUES) }) });
    return (await this.#request('completion/complete', params, schema, signal)).completion.values;
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string> {
    const schema = z.looseObject({ messages: z.array(z.looseObject({ role: z.string(), content: record })) });
    const { messages } = await this.#request('prompts/get', { name, arguments: { ...args } }, schema, signal);
    return messages.map(({ content }) => promptText(content)).join('\n\n');
  }

  async close(): Promise<void> {
    await this.#endSession();
    await this.#client.close().catch(() => {});
    this.#end(new McpFault('closed', this.#options.endedWhy()));
  }

  /** The connection ends with the fault that is returned. */
  #expired(error: unknown): McpFault {
    const fault = new McpFault('expired', 'It has forgotten the session (HTTP 404).', { cause: error });
    this.#end(fault);
    return fault;
  }

  /** Ends the session of a server over HTTP, which need not answer. */
  async #endSession(): Promise<void> {
    const { session } = this.#options;
    if (session?.isOpen() !== true || this.#hasEnded) return;
    await settledWithin(session.end(), END_SESSION_MS, session.clock);
  }

  async #all(method: string, key: string, signal: AbortSignal): Promise<readonly Wild[]> {
    const { handlers } = this.#options;
    return allPages((cursor) => this.#page(method, key, cursor, signal), {
      most: MAX_PAGES,
      onMore: () => handlers.log(`Its answer to ${method} has more than ${MAX_PAGES} pages; the rest is left out.`),
    });
  }

  async #page(method: string, key: string, cursor: string | undefined, signal: AbortSignal): Promise<McpPage> {
    const params = cursor === undefined ? {} : { cursor };
    const result = await this.#request(method, params, pageOf(key), signal);
    const entries = z.array(z.unknown()).parse(result[key]);
    return {
      entries: entries.map((entry) => record.catch({}).parse(entry)),
      nextCursor: typeof result['nextCursor'] === 'string' ? result['nextCursor'] : undefined,
    };
  }

  #request<Schema extends z.ZodType>(
    method: string,
    params: Record<string, unknown>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    return this.#ask(signal, (options) => this.#client.request({ method, params }, schema, options)) as Promise<
      z.infer<Schema>
    >;
  }

  /** @throws McpFault; the signal's reason */
  async #ask<Result>(signal: AbortSignal, request: (options: RequestOptions) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    try {
      const result = await request({ signal, timeout: NO_TIMEOUT });
      if (isNestedTooDeeply(result)) throw new McpFault('protocol', 'Its answer is nested too deeply.');
      return result;
    } catch (error) {
      signal.throwIfAborted();
      const fault = describeError(this.#sdk, error);
      // A server behind HTTP has no connection that could end: a failed request shows that it is gone, or demands a
      // sign-in.
      if (this.#options.session?.isOpen() === true && isExpiredSession(this.#sdk, error)) throw this.#expired(error);
      if (fault.kind === 'closed' || fault.kind === 'auth') this.#end(fault);
      if (fault.kind !== 'closed') throw fault;
      const why = this.#options.endedWhy();
      throw new McpFault('closed', fault.message === ENDED ? why : fault.message, { cause: error });
    }
  }
}

function promptText(content: Wild): string {
  if (typeof content['text'] === 'string') return content['text'];
  const resource = record.safeParse(content['resource']).data;
  // The user sees the text in the composer: no images as base64.
  return typeof resource?.['text'] === 'string' ? resource['text'] : `[${String(content['type'])}]`;
}
