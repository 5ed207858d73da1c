/** A connection to one MCP server, as core needs it; `node/mcp` implements it with the SDK. */
import type { McpServerSettings } from '../../protocol/mcp.ts';

/** A server as it is to be started: names of variables and folders in its settings are replaced. */
export interface McpDefinition {
  readonly name: string;
  readonly settings: McpServerSettings;
  /** Identifies the definition as it was written: another program, address or variable is another definition. */
  readonly hash: string;
}

/** A tool as the server describes it, not validated. */
export interface McpTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly annotations?:
    | { readonly title?: unknown; readonly readOnlyHint?: unknown; readonly destructiveHint?: unknown }
    | undefined;
  /** The whole description, for the SDK. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface McpPrompt {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
}

/** One part of a result, as the server sent it. */
export type McpContent = Readonly<Record<string, unknown>> & { readonly type: string };

export interface McpCallResult {
  readonly content: readonly McpContent[];
  /** `undefined` when the server sent none. */
  readonly structuredContent: unknown;
  readonly isError: boolean;
}

export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface McpServerInfo {
  readonly name: string;
  readonly version: string;
  /** For the model; empty for none. */
  readonly instructions: string;
  readonly protocolVersion: string;
  readonly hasTools: boolean;
  readonly hasResources: boolean;
  readonly hasPrompts: boolean;
  /** It completes arguments of prompts. */
  readonly hasCompletions: boolean;
}

/** A page of a list, as the server sent it. */
export interface McpPage {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor?: string | undefined;
}

/** Every method rejects with an `McpFault`, or with the reason of its signal. */
export interface McpConnection {
  readonly info: McpServerInfo;
  listTools(signal: AbortSignal): Promise<readonly McpTool[]>;
  callTool(
    tool: McpTool,
    args: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal; readonly onProgress: (progress: McpProgress) => void },
  ): Promise<McpCallResult>;
  listResources(cursor: string | undefined, signal: AbortSignal): Promise<McpPage>;
  listResourceTemplates(cursor: string | undefined, signal: AbortSignal): Promise<McpPage>;
  readResource(uri: string, signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]>;
  listPrompts(signal: AbortSignal): Promise<readonly McpPrompt[]>;
  /** Values for an argument of a prompt that begin with `value`; none if the server has no completions. */
  complete(
    prompt: string,
    argument: { readonly name: string; readonly value: string },
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** The text of the prompt's messages. */
  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>;
  /**
   * Resolves with the reason when the connection has ended, also after `close`. Of the kind `auth` when the server demands an
   * authorization from now on.
   */
  readonly closed: Promise<McpFault>;
  /** Ends the server that Tiller has started. Never rejects. */
  close(): Promise<void>;
}

/** A server asks the user, by a form or by a page in the browser. */
export type McpElicitation =
  | {
      readonly mode: 'form';
      readonly message: string;
      readonly requestedSchema: Readonly<Record<string, unknown>>;
    }
  | { readonly mode: 'url'; readonly message: string; readonly url: string };

export type McpElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

/** Handlers of the requests and notifications of a connected server. */
export interface McpHandlers {
  /** Called when its list of tools, resources or prompts has changed. */
  changed(kind: 'tools' | 'resources' | 'prompts'): void;
  elicit(request: McpElicitation, signal: AbortSignal): Promise<McpElicitationAnswer>;
  /** Open folders, absolute. */
  roots(): readonly string[];
  /** Called with each line of its log: its output on stderr, and errors in its messages. */
  log(line: string): void;
}

export interface McpConnector {
  /** @throws McpFault; the reason of the signal */
  connect(definition: McpDefinition, handlers: McpHandlers, signal: AbortSignal): Promise<McpConnection>;
}

export type McpFaultKind =
  /** It could not be started or reached. */
  | 'start'
  /** It answered too late. */
  | 'timeout'
  /** The connection has ended. */
  | 'closed'
  /** It has forgotten the session, and did nothing of what was asked. */
  | 'expired'
  /** It demands an authorization. */
  | 'auth'
  /** It answered with an error. */
  | 'refused'
  /** Its answer does not follow the protocol. */
  | 'protocol';

/** The failure of an operation of a server, in one sentence for user and model. */
export class McpFault extends Error {
  readonly kind: McpFaultKind;

  constructor(kind: McpFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'McpFault';
    this.kind = kind;
  }
}
