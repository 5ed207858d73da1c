import type { Clock } from '../ports.ts';
import { abortable, deadline } from '../util/abort.ts';
import { Emitter } from '../util/emitter.ts';
import { messageOf } from '../util/fileErrors.ts';
import {
  type McpConnection,
  type McpConnector,
  type McpDefinition,
  type McpElicitation,
  type McpElicitationAnswer,
  McpFault,
  type McpPrompt,
  type McpTool,
} from './connection.ts';
import { type McpResource, ServerLists } from './serverLists.ts';
import { ServerLog } from './serverLog.ts';

export type McpServerStatus =
  | { readonly type: 'stopped' }
  | { readonly type: 'starting' }
  | { readonly type: 'ready'; readonly connection: McpConnection; readonly tools: readonly McpTool[] }
  | { readonly type: 'needs_auth'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string };

/** Answers an elicitation in the thread of a running call. */
export type Elicit = (request: McpElicitation, signal: AbortSignal) => Promise<McpElicitationAnswer>;

export interface McpServerDeps {
  readonly connector: McpConnector;
  readonly clock: Clock;
  readonly roots: () => readonly string[];
  /** Between 0 and 1, for the jitter of pauses. */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

/** Pauses before a server that was ready is started again; after the last one it stays as it is. In milliseconds. */
const PAUSES = [1_000, 2_000, 4_000, 8_000, 16_000];
/** A server that was ready for so long begins with the first pause again. */
const GOOD_MS = 60_000;
/** Tools of one server that are kept, and named where they are not offered (usableTools.ts). */
const MAX_TOOLS = 2_000;

/** One MCP server of this process: its connection, its tools, its log, and its restarts. */
export class McpServer {
  readonly definition: McpDefinition;
  readonly log: ServerLog;
  readonly #deps: McpServerDeps;
  readonly #changes: Emitter<void>;
  readonly #lists: ServerLists;
  readonly #calls = new Set<Elicit>();
  #status: McpServerStatus = { type: 'stopped' };
  /** Aborts the current start or connection. */
  #lifetime = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  /** Resolves when the former connection has ended, and one of it that was made too late. Two never run at a time. */
  #ending: Promise<unknown>;
  /** Ends and failed restarts since the server was ready for a longer time, or was started by the user. */
  #failures = 0;
  #cancelRestart = () => {};
  #isRefreshing = false;
  /** The server has reported another list of tools since the last request for it. */
  #isStale = false;

  /** `ending`: resolves when the server that had this name before has ended. */
  constructor(definition: McpDefinition, deps: McpServerDeps, ending: Promise<unknown> = Promise.resolve()) {
    this.definition = definition;
    this.#ending = ending;
    this.#deps = deps;
    this.#changes = new Emitter(deps.onError);
    this.log = new ServerLog(deps.clock, deps.onError);
    this.#lists = new ServerLists(deps.clock, this.log);
  }

  get name(): string {
    return this.definition.name;
  }

  get status(): McpServerStatus {
    return this.#status;
  }

  /** Fires after each change of the status, and of the lists of tools and prompts. */
  get onChange(): Emitter<void>['event'] {
    return this.#changes.event;
  }

  /** Resolves when the start that runs now has ended, whether the server is ready or not. */
  get settled(): Promise<void> {
    return this.#starting;
  }

  /** Starts the server, unless it runs. Never rejects. */
  start(): Promise<void> {
    if (this.#status.type === 'starting' || this.#status.type === 'ready') return this.#starting;
    return this.#begin();
  }

  #begin(): Promise<void> {
    this.#cancelRestart();
    this.#lifetime = new AbortController();
    this.#set({ type: 'starting' });
    this.#starting = this.#connect(this.#lifetime);
    return this.#starting;
  }

  /**
   * Ends the server and starts it again; failures before this do not count. Calls wait for the new start. Never
   * rejects.
   */
  restart(): Promise<void> {
    this.#ending = this.stop();
    this.#failures = 0;
    return this.start();
  }

  /** Resolves when the server has ended. Never rejects. */
  async stop(): Promise<void> {
    this.#cancelRestart();
    const { connection } = { connection: undefined, ...this.#status };
    const before = [this.#starting, this.#ending];
    this.#set({ type: 'stopped' });
    this.#lifetime.abort(new Error('The server was stopped.'));
    await Promise.all([connection?.close(), ...before]);
  }

  /** The tool as the server has it now. */
  tool(name: string): McpTool | undefined {
    return this.#status.type === 'ready' ? this.#status.tools.find((tool) => tool.name === name) : undefined;
  }

  /** Empty while it is not ready. Rejects only with the signal's reason. */
  async prompts(signal: AbortSignal): Promise<readonly McpPrompt[]> {
    return this.#status.type === 'ready' ? this.#lists.prompts(this.#status.connection, signal) : [];
  }

  /** Empty while it is not ready. Rejects only with the signal's reason. */
  async resources(signal: AbortSignal): Promise<readonly McpResource[]> {
    return this.#status.type === 'ready' ? this.#lists.resources(this.#status.connection, signal) : [];
  }

  /**
   * Passes the connection to `use`, awaiting a start that runs; once more with the next one when the server has forgotten the
   * session. @throws McpFault when the server does not run; what `use` throws
   */
  async use<Result>(signal: AbortSignal, use: (connection: McpConnection) => Promise<Result>): Promise<Result> {
    try {
      return await use(await this.#connection(signal));
    } catch (error) {
      if (!(error instanceof McpFault) || error.kind !== 'expired') throw error;
      return use(await this.#connection(signal));
    }
  }

  async #connection(signal: AbortSignal): Promise<McpConnection> {
    if (this.#status.type === 'starting') await abortable(this.#starting, signal);
    const status = this.#status;
    if (status.type === 'ready') return status.connection;
    throw new McpFault('closed', this.unavailable);
  }

  /** The reason why it cannot be used, in one sentence. */
  get unavailable(): string {
    const why = 'message' in this.#status ? ` ${this.#status.message}` : '';
    return `The MCP server ${this.name} is not running.${why}`;
  }

  /**
   * Runs `call`; elicitations of the server that arrive during it are answered by `elicit`. A server does not name the call
   * that it asks for, so the call that began last answers.
   */
  async during<Result>(elicit: Elicit, call: () => Promise<Result>): Promise<Result> {
    this.#calls.add(elicit);
    try {
      return await call();
    } finally {
      this.#calls.delete(elicit);
    }
  }

  async #connect(lifetime: AbortController): Promise<void> {
    const { connector, clock, roots } = this.#deps;
    const { startupTimeoutMs } = this.definition.settings;
    await this.#ending;
    if (lifetime.signal.aborted) return;
    const late = new McpFault('timeout', `It was not ready within ${startupTimeoutMs} ms (startupTimeoutMs).`);
    const limit = deadline(clock, startupTimeoutMs, late, lifetime.signal);
    const { signal } = limit;
    this.log.add('Starting.');
    try {
      const opening = connector.connect(
        this.definition,
        {
          changed: (kind) => this.#changed(kind),
          elicit: (request, asked) => this.#elicit(request, asked),
          roots,
          log: (line) => this.log.add(line),
        },
        signal,
      );
      // A connection that is made too late is closed.
      this.#ending = opening.then(
        (made) => (signal.aborted ? made.close() : undefined),
        () => {},
      );
      const connection = await abortable(opening, signal);
      const tools = await this.#toolsOf(connection, signal).catch(async (error: unknown) => {
        await connection.close();
        throw error;
      });
      if (lifetime.signal.aborted) await connection.close();
      else this.#ready(connection, tools, lifetime);
    } catch (error) {
      if (lifetime.signal.aborted) return;
      if (this.#failures > 0 && !needsAuth(error)) this.#ended(messageOf(error));
      else this.#failed(error);
    } finally {
      limit.end();
    }
  }

  #ready(connection: McpConnection, tools: readonly McpTool[], lifetime: AbortController): void {
    const { clock } = this.#deps;
    const since = clock.monotonic();
    const { name, version, protocolVersion } = connection.info;
    this.log.add(`Ready: ${name} ${version}, protocol ${protocolVersion}, ${tools.length} tools.`);
    this.#set({ type: 'ready', connection, tools });
    void connection.closed.then((fault) => {
      if (lifetime.signal.aborted) return;
      lifetime.abort(fault);
      // Closes also a connection that only reports its end, such as a session over HTTP.
      this.#ending = connection.close();
      if (clock.monotonic() - since >= GOOD_MS) this.#failures = 0;
      if (fault.kind === 'auth') this.#failed(fault);
      else if (fault.kind === 'expired') this.#renew(fault.message);
      else this.#ended(fault.message);
    });
  }

  /** Starts another session at once: the server runs, and has only forgotten the session. */
  #renew(reason: string): void {
    this.log.add(reason);
    void this.#begin();
  }

  /** Records the failure. The server is not started again. */
  #failed(error: unknown): void {
    const message = messageOf(error);
    this.log.add(message);
    this.#set({ type: needsAuth(error) ? 'needs_auth' : 'failed', message });
  }

  /** Starts the server again after a pause, unless it has ended too often. */
  #ended(reason: string): void {
    const pause = PAUSES[this.#failures++];
    this.log.add(reason);
    if (pause === undefined) {
      this.#set({ type: 'failed', message: `${reason} It was restarted ${PAUSES.length} times and is left as it is.` });
      return;
    }
    const jittered = Math.round(pause * (0.75 + this.#deps.random() / 2));
    this.#set({ type: 'failed', message: `${reason} It is started again.` });
    this.log.add(`Starting again in ${jittered} ms.`);
    this.#cancelRestart = this.#deps.clock.after(jittered, () => void this.start());
  }

  #changed(kind: 'tools' | 'prompts' | 'resources'): void {
    if (kind === 'tools') return void this.#refresh();
    this.#lists.forget(kind);
    if (kind === 'prompts') this.#changes.fire();
  }

  /**
   * Reads the tools again. Makes one request at a time, because the older of two answers could come last; changes
   * during a request cause one more. Never rejects.
   */
  async #refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    while (this.#isStale) {
      this.#isStale = false;
      await this.#readTools();
    }
    this.#isRefreshing = false;
  }

  async #readTools(): Promise<void> {
    const status = this.#status;
    if (status.type !== 'ready') return;
    const { startupTimeoutMs } = this.definition.settings;
    const late = new McpFault('timeout', `there was no answer within ${startupTimeoutMs} ms (startupTimeoutMs).`);
    const lifetime = this.#lifetime.signal;
    const limit = deadline(this.#deps.clock, startupTimeoutMs, late, lifetime);
    try {
      const tools = await this.#toolsOf(status.connection, limit.signal);
      if (this.#status.type !== 'ready' || this.#status.connection !== status.connection) return;
      this.log.add(`It has ${tools.length} tools now.`);
      this.#set({ type: 'ready', connection: status.connection, tools });
    } catch (error) {
      if (!lifetime.aborted) this.log.add(`Its new list of tools cannot be read: ${messageOf(error)}`);
    } finally {
      limit.end();
    }
  }

  /** The tools that the settings enable, without duplicate names. */
  async #toolsOf(connection: McpConnection, signal: AbortSignal): Promise<readonly McpTool[]> {
    if (!connection.info.hasTools) return [];
    const { enabledTools, disabledTools } = this.definition.settings;
    const offered = await abortable(connection.listTools(signal), signal);
    const byName = new Map(offered.toReversed().map((tool) => [tool.name, tool]));
    const tools = [...byName.values()]
      .filter(({ name }) => (enabledTools?.includes(name) ?? true) && !disabledTools.includes(name))
      .toReversed();
    if (tools.length > MAX_TOOLS) this.log.add(`It has ${tools.length} tools; the first ${MAX_TOOLS} are kept.`);
    return tools.slice(0, MAX_TOOLS);
  }

  #elicit(request: McpElicitation, signal: AbortSignal): Promise<McpElicitationAnswer> {
    const asking = [...this.#calls].at(-1);
    if (asking) return asking(request, signal);
    this.log.add(`It asked the user while no call ran; this was declined: ${request.message}`);
    return Promise.resolve({ action: 'decline' });
  }

  #set(status: McpServerStatus): void {
    this.#status = status;
    this.#changes.fire();
  }
}

function needsAuth(error: unknown): boolean {
  return error instanceof McpFault && error.kind === 'auth';
}
