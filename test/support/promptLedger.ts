/**
 * The prompt ledger: everything that a model reads before its first response, as files for review. A real Session sends
 * each request to the scripted server; parts that many requests share have files of their own, and a request names them.
 */
import { HttpModels } from '../../src/core/model/httpModels.ts';
import type { ProviderConfig } from '../../src/core/model/provider.ts';
import type { Ports } from '../../src/core/ports.ts';
import { memoryPath } from '../../src/core/rollout/threadMemories.ts';
import { estimateTokens } from '../../src/core/util/tokens.ts';
import type { TurnSettings } from '../../src/protocol/event.ts';
import type { DynamicToolSpec, OpOf } from '../../src/protocol/op.ts';
import { type SandboxMechanism, sandboxPolicySchema, type ApprovalPolicy } from '../../src/protocol/policy.ts';
import type { ThreadSettings } from '../../src/core/session/sessionOptions.ts';
import { FakeLanguages } from './fakeLanguages.ts';
import { ModelServer, says, type Wire } from './modelServer.ts';
import { inTimeZone } from './timeZone.ts';
import { type Scenario, startScenario } from './startScenario.ts';

/** One model of each model family. */
export const FAMILIES: readonly (readonly [family: string, model: string])[] = [
  ['codex-mini', 'codex-mini-latest'],
  ['demo', 'demo'],
  ['gpt-3.5', 'gpt-3.5-turbo'],
  ['gpt-4', 'gpt-4'],
  ['gpt-4-turbo', 'gpt-4-turbo'],
  ['gpt-4.1', 'gpt-4.1'],
  ['gpt-4.x', 'gpt-4.5-preview'],
  ['gpt-4o', 'gpt-4o'],
  ['gpt-5', 'gpt-5'],
  ['gpt-5-chat', 'gpt-5-chat-latest'],
  ['gpt-5-codex', 'gpt-5.2-codex'],
  ['gpt-5-codex-spark', 'gpt-5.3-codex-spark'],
  ['gpt-5-pro', 'gpt-5-pro'],
  ['gpt-5.x', 'gpt-5.5'],
  ['gpt-oss', 'gpt-oss-120b'],
  ['o-mini', 'o3-mini'],
  ['o-series', 'o3'],
  ['unknown', 'mystery'],
];

export type LedgerServer = {
  readonly name: string;
  readonly dialect: 'openai' | 'azure' | 'plain';
  readonly wire: Wire;
};

export const SERVERS: readonly LedgerServer[] = [
  { name: 'OpenAI, Responses', dialect: 'openai', wire: 'responses' },
  { name: 'OpenAI, Chat Completions', dialect: 'openai', wire: 'chat' },
  { name: 'Azure, Responses', dialect: 'azure', wire: 'responses' },
  { name: 'Azure, Chat Completions', dialect: 'azure', wire: 'chat' },
  { name: 'any other server, Responses', dialect: 'plain', wire: 'responses' },
  { name: 'any other server, Chat Completions', dialect: 'plain', wire: 'chat' },
];

export interface Mode {
  readonly name: string;
  readonly settings: Pick<TurnSettings, 'approvalPolicy' | 'sandboxPolicy' | 'box'>;
}

const SANDBOXES: readonly (readonly [name: string, policy: object, box: SandboxMechanism])[] = [
  ['read-only', { type: 'read-only' }, 'bubblewrap'],
  ['read-only-without-sandbox', { type: 'read-only' }, 'none'],
  ['workspace-write', { type: 'workspace-write' }, 'bubblewrap'],
  ['workspace-write-with-network', { type: 'workspace-write', networkAccess: true }, 'bubblewrap'],
  ['workspace-write-without-sandbox', { type: 'workspace-write' }, 'none'],
  ['workspace-write-on-macos', { type: 'workspace-write' }, 'seatbelt'],
  ['danger-full-access', { type: 'danger-full-access' }, 'none'],
  ['external-sandbox', { type: 'external-sandbox' }, 'external'],
];
const POLICIES: readonly ApprovalPolicy[] = ['untrusted', 'on-failure', 'on-request', 'never'];

export const MODES: readonly Mode[] = SANDBOXES.flatMap(([sandbox, policy, box]) =>
  POLICIES.map((approvalPolicy) => ({
    name: `${sandbox}, ${approvalPolicy}`,
    settings: { approvalPolicy, sandboxPolicy: sandboxPolicySchema.parse(policy), box },
  })),
);

export const DEFAULT_MODE = 'workspace-write, on-request';

/** A case of the ledger: what the user or the client adds to the request. */
export interface LedgerCase {
  readonly name: string;
  readonly model?: string;
  readonly settings?: Partial<TurnSettings>;
  readonly prompt?: Partial<ThreadSettings['prompt']>;
  readonly trusted?: boolean;
  readonly memory?: boolean;
  readonly turn?: Partial<OpOf<'user_turn'>>;
  readonly tools?: readonly DynamicToolSpec[];
  /** Files of TILLER_HOME and of the workspace. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** True to offer the tools that use the editor's language extensions. */
  readonly editor?: boolean;
  /** The settings of a second message; without them there is only one. */
  readonly secondTurn?: Partial<OpOf<'user_turn'>>;
}

/** A first request as the server got it, with everything that differs from run to run replaced by a name. */
export interface LedgerRequest {
  readonly wire: Wire;
  readonly body: Readonly<Record<string, unknown>>;
}

const CWD = '/home/user/project';
const HOME = '/home/user/.local/share/tiller';
const THREAD = '<thread id>';
const NOW = '2026-01-15T12:00:00.000Z';
export const PROMPT = 'Hello.';
const ANSWER = 'Good day.';

/** Sends the requests of the ledger. Each thread is a separate Session in one process, with one server. */
export class LedgerBench {
  readonly #scenario: Scenario;
  readonly #ports: Ports;
  /** The server; it supports both wires. */
  readonly #server: ModelServer;

  private constructor(scenario: Scenario, ports: Ports, server: ModelServer) {
    this.#scenario = scenario;
    this.#ports = ports;
    this.#server = server;
  }

  static async start(files: Pick<LedgerCase, 'files' | 'homeFiles' | 'editor'> = {}): Promise<LedgerBench> {
    let ports: Ports | undefined;
    const scenario = await startScenario({
      files: files.files ?? {},
      model: [],
      deps: (real) => {
        const now = () => new Date(NOW);
        ports = {
          ...real,
          ...(files.editor ? { languages: new FakeLanguages() } : {}),
          clock: { ...real.clock, now, monotonic: () => real.clock.monotonic() },
          host: { ...real.host, shell: '/bin/bash', ...inTimeZone('Europe/Berlin'), platform: 'linux' },
        };
        return ports;
      },
    });
    for (const [name, text] of Object.entries(files.homeFiles ?? {})) {
      await ports?.storage.writeText(name, text);
    }
    if (ports === undefined) throw new Error('The scenario has no ports.');
    return new LedgerBench(scenario, ports, await ModelServer.start(() => [says(ANSWER)]));
  }

  /** Starts a thread and resolves with its last request. */
  async request(
    server: LedgerServer,
    mode: Mode,
    { model = 'gpt-5', ...asked }: Partial<LedgerCase>,
  ): Promise<LedgerRequest> {
    const { service, thread, folder } = this.#scenario;
    const [started, host] = thread;
    const provider: ProviderConfig = {
      id: 'ledger',
      baseUrl: this.#server.baseUrl,
      wireApi: server.wire,
      dialect: server.dialect,
      auth: 'none',
    };
    const settings: ThreadSettings = {
      ...started,
      turn: { ...started.turn, ...mode.settings, model, ...asked.settings },
      prompt: { ...started.prompt, ...asked.prompt },
      tools: { ...started.tools, memory: asked.memory ?? false },
    };
    const session = await service.start(settings, {
      ...host,
      sandboxFor: (policy) => ({ box: policy.type === 'danger-full-access' ? 'none' : mode.settings.box }),
      models: new HttpModels(this.#ports, '0.0.0-test').of(provider),
      isTrusted: () => asked.trusted ?? true,
    });
    session.start();
    if (asked.tools) session.submit({ id: 'tools', op: { type: 'register_tools', tools: [...asked.tools] } });
    for (const turn of [asked.turn ?? {}, ...(asked.secondTurn ? [asked.secondTurn] : [])]) {
      session.submit({
        id: 'turn',
        op: { type: 'user_turn', input: [{ type: 'text', text: PROMPT }], ...turn },
      });
      await session.idle();
    }
    const { body, wire } = this.#server.lastRequest;
    const names: readonly (readonly [string, string])[] = [
      [folder.path, CWD],
      [this.#ports.storage.home, HOME],
      [session.threadId, THREAD],
    ];
    await session.dispose();
    await service.memoriesWritten();
    // Otherwise the next request would list it as an earlier thread.
    await this.#ports.storage.remove(memoryPath(session.threadId) ?? '');
    return { wire, body: renamed(body, names) as LedgerRequest['body'] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    await this.#scenario[Symbol.asyncDispose]();
    this.#scenario.folder[Symbol.dispose]();
    this.#scenario.home[Symbol.dispose]();
  }
}

/** Returns the value with each string replaced by `map`. */
function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, map)]));
}

function renamed(value: unknown, names: readonly (readonly [string, string])[]): unknown {
  return mapStrings(value, (text) => names.reduce((known, [from, to]) => known.replaceAll(from, to), text));
}

interface Tool {
  readonly type: string;
  readonly name?: string;
  readonly description?: string;
}

type ToolOnTheWire = Tool & { readonly function?: Tool; readonly strict?: boolean };

/**
 * Returns the tools in a form that both wires share: Chat Completions wraps a function once more. `strict` is left out.
 */
export function toolsOf({ body }: LedgerRequest): readonly Tool[] {
  const tools = (body['tools'] ?? []) as readonly ToolOnTheWire[];
  return tools.map(({ function: wrapped, ...tool }) => {
    const { strict: _strict, ...shown } = { ...tool, ...wrapped } as ToolOnTheWire;
    return shown;
  });
}

/** Returns the parts of the tools that `toolsOf` leaves out. */
function formOfTools({ body }: LedgerRequest): string {
  const functions = ((body['tools'] ?? []) as readonly ToolOnTheWire[]).filter(({ type }) => type === 'function');
  const forms = functions.map((tool) => {
    const wrapped: ToolOnTheWire | undefined = tool.function;
    const { strict } = wrapped ?? tool;
    const form = wrapped === undefined ? 'a function' : 'a function in `function`';
    return strict === undefined ? form : `${form} with \`strict: ${strict}\``;
  });
  return [...new Set(forms)].join(' or ');
}

export function instructionsOf({ wire, body }: LedgerRequest): string {
  if (wire === 'responses') return String(body['instructions']);
  const [system] = body['messages'] as readonly { readonly content: string }[];
  return String(system?.content);
}

export interface LedgerMessage {
  readonly role: string;
  readonly text: string;
}

/** Returns the messages without the instructions. */
export function messagesOf({ wire, body }: LedgerRequest): readonly LedgerMessage[] {
  const elements = (wire === 'responses' ? body['input'] : (body['messages'] as unknown[]).slice(1)) as readonly {
    readonly role: string;
    readonly content: string | readonly { readonly type: string; readonly text?: string }[];
  }[];
  return elements.map(({ role, content }) => ({
    role,
    text: typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''),
  }));
}

/** Returns the messages before the user's message. */
export function contextOf(request: LedgerRequest): readonly LedgerMessage[] {
  return messagesOf(request).filter(({ text }) => text !== PROMPT && text !== ANSWER);
}

// ---------------------------------------------------------------- cost

/** Estimates the tokens of a request: a token is four bytes of UTF-8. Tools count as the JSON that is sent. */
export function tokensOf(request: LedgerRequest) {
  const instructions = estimateTokens(instructionsOf(request));
  const tools = estimateTokens(JSON.stringify(request.body['tools'] ?? []));
  const context = contextOf(request).reduce((sum, { text }) => sum + estimateTokens(text), 0);
  return { instructions, tools, context, total: instructions + tools + context };
}

// ---------------------------------------------------------------- format

/** The names of shared parts, by their text. */
export type PartNames = ReadonlyMap<string, string>;

export function showInstructions(text: string): string {
  return `${headed('Instructions', `${estimateTokens(text)} tokens by estimate (bytes / 4).`)}\n${text}\n`;
}

export function showMessages(title: string, messages: readonly LedgerMessage[]): string {
  const tokens = messages.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  const shown = messages.map(({ role, text }) => `## ${role}\n\n${text}\n`);
  return [headed(title, `${tokens} tokens by estimate (bytes / 4).`), ...shown].join('\n');
}

export function showTools(title: string, tools: readonly Tool[]): string {
  const shown = tools.map((tool) => {
    const { description = '', ...rest } = tool;
    const tokens = estimateTokens(JSON.stringify(tool));
    return [
      `## ${nameOf(tool)}: ${tokens} tokens`,
      ...(description === '' ? [] : [description]),
      `\`\`\`json\n${shortJson(rest)}\n\`\`\`\n`,
    ].join('\n\n');
  });
  const total = estimateTokens(JSON.stringify(tools));
  return [headed(title, `${total} tokens by estimate (bytes / 4 of the JSON).`), ...shown, ''].join('\n');
}

function headed(title: string, note: string): string {
  return `# ${title}\n\n${note}\n`;
}

function nameOf(tool: Tool): string {
  return `${tool.type}${tool.name === undefined ? '' : ` ${tool.name}`}`;
}

/** Returns the name of a set of tools, which contains everything in which sets differ. */
export function toolSetName(request: LedgerRequest): string {
  const tools = toolsOf(request);
  const shell = tools.find(({ type, name }) => type === 'local_shell' || name === 'exec_command' || name === 'shell');
  const patch = tools.find(({ name }) => name === 'apply_patch');
  const isExplained = (patch?.description ?? '').includes('*** Begin Patch');
  const words = [
    ...(shell === undefined ? ['no-commands'] : [shell.type === 'local_shell' ? 'local-shell' : String(shell.name)]),
    ...(patch === undefined ? [] : [patch.type === 'custom' ? 'freeform-patch' : 'function-patch']),
    ...(patch?.type === 'custom' && isExplained ? ['explained'] : []),
    ...(tools.some(({ name }) => name === 'read_file') ? ['file-tools'] : []),
    ...(shell === undefined || tools.some(({ name }) => name === 'view_image') ? [] : ['no-images']),
  ];
  return words.join('-').replaceAll('_', '-');
}

/** Returns the request as JSON in which shared parts are replaced by their names. */
export function showRequest(request: LedgerRequest, parts: PartNames): string {
  const named = mapStrings(request.body, (text) => parts.get(text) ?? text) as Record<string, unknown>;
  const tools = parts.get(JSON.stringify(toolsOf(request)));
  const shown = tools === undefined ? named : { ...named, tools: `${tools}: each ${formOfTools(request)}` };
  return `\`\`\`json\n${shortJson(shown)}\n\`\`\`\n`;
}

/** Returns JSON in which each value that fits on one line is on one line. */
function shortJson(value: unknown, indent = ''): string {
  const whole = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent.length + whole.length <= 118) return whole;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((each) => shortJson(each, inner))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${shortJson(each, inner)}`);
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`;
}
