import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { HttpModels } from '../../src/core/model/httpModels.ts';
import type { ProviderConfig } from '../../src/core/model/provider.ts';
import type { Ports } from '../../src/core/ports.ts';
import type { Session } from '../../src/core/session/session.ts';
import { AgentService } from '../../src/core/agent/agentService.ts';
import type { CapSettings } from '../../src/core/session/caps.ts';
import { NO_CAPS } from './noCaps.ts';
import type { ThreadHost, ThreadSettings } from '../../src/core/session/sessionOptions.ts';
import { type SandboxSupport, resolveSandbox } from '../../src/core/sandbox/resolveSandbox.ts';
import { sandboxSupport } from '../../src/node/sandbox/support.ts';
import type { Resolve } from '../../src/node/network/addresses.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import type { Event, EventMsg, EventMsgOf, EventMsgType } from '../../src/protocol/event.ts';
import type { TurnItem, TurnItemOf, TurnItemType } from '../../src/protocol/item.ts';
import type { Op, OpOf } from '../../src/protocol/op.ts';
import {
  type ApprovalDecision,
  type ApprovalPolicy,
  type SandboxMode,
  type SandboxPolicy,
  sandboxPolicySchema,
} from '../../src/protocol/policy.ts';
import type { ThreadState } from '../../src/protocol/thread.ts';
import { threadReducer } from '../../src/protocol/threadReducer.ts';
import type { Imitation } from './imitation.ts';
import { IMITATED_KEY } from './imitations.ts';
import { type ModelScript, ModelServer, type Wire } from './modelServer.ts';
import { type TempFolder, tempFolder } from './tempFolder.ts';
import { chosenFrom, THREAD_DEFAULTS } from './threadDefaults.ts';

type Limits = Omit<ThreadSettings['limits'], 'caps'>;

/** The options of a scenario. Fields of the thread's settings replace their defaults. */
export interface ScenarioOptions
  extends Partial<Limits>,
    Partial<ThreadSettings['prompt']>,
    Partial<ThreadSettings['tools']> {
  readonly model: ModelScript;
  readonly files?: Readonly<Record<string, string>>;
  readonly policy?: ApprovalPolicy;
  readonly sandbox?: SandboxMode;
  /** Looks up the names of hosts that commands in the sandbox may reach. */
  readonly resolve?: Resolve;
  /** `real` uses the sandbox of this machine. By default there is no sandbox, on any machine. */
  readonly box?: 'real';
  readonly wire?: Wire;
  readonly interactive?: boolean;
  /** The name of the model; by default `test-model`. */
  readonly modelName?: string;
  /** Further settings of the provider; by default it has only the address and the wire of the server. */
  readonly provider?: Partial<ProviderConfig>;
  /** The provider whose server is imitated. The key is the one that it accepts. */
  readonly imitates?: Imitation;
  /** True if the server sends a response in as few writes as possible (`ModelServerOptions.atOnce`). */
  readonly atOnce?: boolean;
  /** Ports that replace the real ones: a fast clock, a network with faults. */
  readonly deps?: (ports: Ports) => Partial<Ports>;
  readonly trusted?: boolean;
  readonly caps?: Partial<CapSettings>;
  /** Callbacks of the client, such as VS Code or the command line. */
  readonly host?: Partial<ThreadHost>;
  readonly agents?: Partial<ThreadSettings['agents']>;
  readonly approvals?: Partial<ThreadSettings['approvals']>;
  /** The folder in which TILLER_HOME is created; by default the temporary folder of the machine. */
  readonly homeIn?: string;
  /** A scenario whose home and folder are used, and whose thread is resumed. */
  readonly resume?: Scenario;
}

type StartedWith = readonly [settings: ThreadSettings, host: ThreadHost];

/**
 * Starts a complete chat in Node: a real Session, real HTTP to a scripted model, real files in a new folder.
 *
 *     await using chat = await startScenario({ files: { 'a.txt': 'one\n' }, model: [[says('Hello.')]] });
 *     await chat.send('hi');
 */
export async function startScenario(options: ScenarioOptions): Promise<Scenario> {
  const workspace = options.resume?.folder ?? tempFolder();
  const home = options.resume?.home ?? tempFolder(options.homeIn);
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(path.dirname(workspace.at(name)), { recursive: true });
    writeFileSync(workspace.at(name), text);
  }
  const wire = options.wire ?? 'responses';
  const { imitates, atOnce } = options;
  const server = await ModelServer.start(options.model, { wire, imitates, atOnce });
  // Removed, because scenarios must not depend on whether this machine has ripgrep.
  const { textSearch: _, ...realPorts }: Ports = createNodePorts({
    roots: [workspace.path],
    environment: { ...process.env, TILLER_HOME: home.path, TILLER_API_KEY: undefined },
    resolve: options.resolve,
  });
  const secrets = { ...realPorts.secrets, keyFor: async () => IMITATED_KEY };
  const ports: Ports = { ...realPorts, ...(imitates && { secrets }), ...options.deps?.(realPorts) };
  const service = new AgentService(ports, { version: '0.0.0-test', originator: 'cli' });
  const sandboxPolicy = sandboxPolicySchema.parse({ type: options.sandbox ?? 'workspace-write' });
  const support: SandboxSupport = { type: 'fails', cause: 'This scenario has no box.' };
  const sandboxFor = (policy: SandboxPolicy) =>
    resolveSandbox(policy, options.box === 'real' ? sandboxSupport : () => support);
  const settings: ThreadSettings = {
    turn: {
      model: options.modelName ?? imitates?.model ?? 'test-model',
      effort: null,
      summary: 'auto',
      cwd: workspace.path,
      approvalPolicy: options.policy ?? 'on-request',
      sandboxPolicy,
      ...sandboxFor(sandboxPolicy),
    },
    limits: {
      ...chosenFrom(options, { ...THREAD_DEFAULTS.limits, undoMaxBytes: 64 * 1024 * 1024 }),
      caps: { ...NO_CAPS, ...options.caps },
    },
    prompt: chosenFrom(options, { ...THREAD_DEFAULTS.prompt, showRawReasoning: false }),
    tools: chosenFrom(options, { ...THREAD_DEFAULTS.tools, unreadable: [] }),
    agents: { ...THREAD_DEFAULTS.agents, ...options.agents },
    approvals: { ...THREAD_DEFAULTS.approvals, ...options.approvals },
  };
  const host: ThreadHost = {
    models: new HttpModels(ports, '0.0.0-test').of({
      id: 'test',
      baseUrl: server.baseUrl,
      wireApi: wire,
      ...(imitates ? imitates.provider : { auth: 'none' }),
      streamIdleTimeoutMs: 20_000,
      ...options.provider,
    }),
    interactive: options.interactive ?? true,
    keepsSettings: true,
    sandboxFor,
    isTrusted: () => options.trusted ?? true,
    ...options.host,
  };
  const thread: StartedWith = [settings, host];
  const session = options.resume
    ? await resumed(service, options.resume.session.threadId, thread)
    : await service.start(...thread);
  return new Scenario(session, server, workspace, home, { service, thread });
}

async function resumed(service: AgentService, id: string, thread: StartedWith): Promise<Session> {
  const result = await service.resume({ id }, ...thread);
  if (result.type !== 'resumed') throw new Error(JSON.stringify(result));
  return result.session;
}

export class Scenario {
  readonly session: Session;
  readonly server: ModelServer;
  readonly folder: TempFolder;
  readonly home: TempFolder;
  readonly service: AgentService;
  /** The settings with which its thread was started. */
  readonly thread: StartedWith;
  readonly events: Event[] = [];
  #state: ThreadState;
  #waiting: { readonly matches: (event: Event) => boolean; readonly resolve: (event: Event) => void }[] = [];
  #ids = 0;

  constructor(
    session: Session,
    server: ModelServer,
    folder: TempFolder,
    home: TempFolder,
    door: { readonly service: AgentService; readonly thread: StartedWith },
  ) {
    this.session = session;
    this.server = server;
    this.folder = folder;
    this.home = home;
    this.service = door.service;
    this.thread = door.thread;
    this.#state = session.initialState;
    session.onEvent((event) => {
      this.events.push(event);
      this.#state = threadReducer(this.#state, event);
      this.#waiting = this.#waiting.filter((waiter) => {
        const matches = waiter.matches(event);
        if (matches) waiter.resolve(event);
        return !matches;
      });
    });
    session.start();
  }

  /** Starts another thread of the same process, with the same model in the same folder. */
  async another(): Promise<Scenario> {
    return this.with(await this.service.start(...this.thread));
  }

  /** Returns a scenario for a session that was opened in another way. */
  with(session: Session): Scenario {
    const { service, thread } = this;
    return new Scenario(session, this.server, this.folder, this.home, { service, thread });
  }

  /** Starts a sub-agent of this thread, with the same model in the same folder. */
  async subAgent(): Promise<Scenario> {
    return this.with(await this.service.start(...this.thread, this.session.threadId));
  }

  /** The state of the thread, as the panel has it. */
  get state(): ThreadState {
    return this.#state;
  }

  /** Submits an op. Returns the id of the submission. */
  submit(op: Op): string {
    const id = `op-${++this.#ids}`;
    this.session.submit({ id, op });
    return id;
  }

  /** Sends a message. Resolves when its turn has ended. */
  async send(text: string, more: Partial<OpOf<'user_turn'>> = {}): Promise<EventMsg> {
    const ended = this.turnEnds();
    this.submit({ type: 'user_turn', input: [{ type: 'text', text }], ...more });
    return ended;
  }

  async turnEnds(): Promise<EventMsg> {
    const { msg } = await this.#next(({ msg }) => msg.type === 'turn_completed' || msg.type === 'turn_aborted');
    return msg;
  }

  /** Resolves with the next event of a type. Events before the call do not count. */
  async next<Type extends EventMsgType>(type: Type): Promise<EventMsgOf<Type>> {
    return (await this.#next(({ msg }) => msg.type === type)).msg as EventMsgOf<Type>;
  }

  /** Answers the pending approval request, or else the next one. */
  async answer(decision: ApprovalDecision): Promise<void> {
    const waiting = this.#state.approvals[0]?.approvalId ?? (await this.next('approval_requested')).approvalId;
    this.submit({ type: 'approval', approvalIds: [waiting], decision });
  }

  said<Type extends EventMsgType>(type: Type): EventMsgOf<Type>[] {
    return this.events.map(({ msg }) => msg).filter((msg): msg is EventMsgOf<Type> => msg.type === type);
  }

  /** Returns the completed items of a type, in the order in which they ended. */
  items<Type extends TurnItemType>(type: Type): TurnItemOf<Type>[] {
    const ended: TurnItem[] = this.said('item_completed').map(({ item }) => item);
    return ended.filter((item): item is TurnItemOf<Type> => item.type === type);
  }

  /** Returns the outputs of calls in the last request, in order. */
  outputs(): string[] {
    const { input, wire } = this.server.lastRequest;
    const items = wire === 'messages' ? input.flatMap(({ content }) => content as typeof input) : input;
    return items
      .filter(({ type, role }) => /_output$|^tool_result$/.test(String(type)) || role === 'tool')
      .map((item) => String(item.output ?? item.content));
  }

  /** Writes a file of the workspace as another program would. */
  write(name: string, text: string): void {
    writeFileSync(this.folder.at(name), text);
  }

  /** Returns all files of the workspace. */
  files(): Record<string, string> {
    return Object.fromEntries(
      readdirSync(this.folder.path, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(this.folder.at(name)).isFile())
        .toSorted()
        .map((name) => [name, readFileSync(this.folder.at(name), 'utf8')]),
    );
  }

  /** Returns the parsed lines of the rollout. */
  rollout(): { type: string; payload: Record<string, unknown> }[] {
    const [file] = readdirSync(this.home.at('threads'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    );
    return readFileSync(this.home.at('threads', file ?? ''), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** Ends the session and the model server. Fails if a request was malformed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.dispose();
    await this.server.close();
  }

  #next(matches: (event: Event) => boolean): Promise<Event> {
    return new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }
}
