import type { Event, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { AgentTurn } from '../../protocol/baseline.ts';
import { type AgentSummary, cwdOf } from '../../protocol/thread.ts';
import type { Clock, Ids, SideCopyPlaces } from '../ports.ts';
import type { SessionMeta } from '../rollout/line.ts';
import type { Session } from '../session/session.ts';
import type { ThreadHost, ThreadSettings } from '../session/sessionOptions.ts';
import type { AgentRequest, AgentRole, Agents, AgentStates, Refusal, ReportedAgent } from '../tools/agents/agents.ts';
import { isFinal } from '../tools/agents/agentStatus.ts';
import type { ToolContext } from '../tools/handler.ts';
import { abortable, onAbort } from '../util/abort.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { canonical } from '../util/canonical.ts';
import { DisposableStore } from '../util/disposable.ts';
import { messageOf } from '../util/fileErrors.ts';
import { pathBelow } from '../util/pathBelow.ts';
import { AgentCopies, policyAt } from './agentCopies.ts';
import { agentHost, agentMeta, agentSettings } from './agentThread.ts';
import { AgentWatch } from './agentWatch.ts';
import { BUILTIN_ROLES, readOnlyRole } from './builtinRoles.ts';
import type { LiveThread, LiveThreads, ThreadUpdate } from './liveThreads.ts';

/** The thread that starts sub-agents. */
export interface ParentThread {
  readonly threadId: string;
  readonly rootId: string;
  readonly settings: ThreadSettings;
  readonly host: ThreadHost;
}

/** The options for starting a sub-agent. */
export interface StartedAs {
  readonly agent: NonNullable<SessionMeta['agent']>;
  /** Its history begins with that of its parent. */
  readonly forksContext: boolean;
}

export interface SubAgentsDeps {
  readonly live: LiveThreads;
  readonly clock: Pick<Clock, 'after'>;
  readonly ids: Pick<Ids, 'next'>;
  readonly sideCopies?: SideCopyPlaces;
  /** Makes a session that has not begun. @throws Error when the parent is not live */
  start(thread: ThreadSettings, host: ThreadHost, parentId: string, as: StartedAs): Promise<Session>;
  /** The same for a stored one; a sentence when it cannot be opened. */
  resume(agentId: string, parentId: string, thread: ThreadSettings, host: ThreadHost): Promise<Session | string>;
}

/**
 * Starts and ends the sub-agents of all threads of the process. What is known of an agent is in the state of its parent
 * (`ThreadState.agents`), and so in the parent's rollout; this class changes it with `Session.tellAgent`.
 */
export class SubAgents {
  readonly #deps: SubAgentsDeps;
  /** Sub-agents that are being opened, by root thread: they count as live. */
  readonly #opening = new Map<string, number>();
  readonly #watches = new Map<string, AgentWatch>();
  readonly #copies = new AgentCopies();

  constructor(deps: SubAgentsDeps) {
    this.#deps = deps;
  }

  /** The sub-agents of one thread, for its tools. */
  agentsOf(parent: ParentThread): Agents {
    let known = { own: NO_ROLES, all: BUILTIN_ROLES };
    const roles = () => known.all;
    return {
      async refresh() {
        const own = (await parent.host.agentRoles?.()) ?? NO_ROLES;
        if (known.own !== own) known = { own, all: withBuiltin(own) };
      },
      roles,
      find: (agentId) => this.#known(parent.threadId, agentId),
      spawn: (request, context) => this.#spawn(parent, roles(), request, context, 'spawned'),
      send: (...message) => this.#send(parent, ...message),
      wait: (agentIds, timeoutMs, signal) => this.#wait(parent, agentIds, timeoutMs, signal),
      resume: (agentId, context) => this.#resume(parent, agentId, context),
      close: (agentId) => this.#close(parent, agentId),
      runTask: (request, context, onStarted) => this.#runTask(parent, roles(), request, context, onStarted),
    };
  }

  /** Call for each session of a sub-agent whose parent is live, before it begins. */
  follow(session: Session, parentId: string, { maxTokens, maxMinutes }: ThreadSettings['agents']): void {
    const { live, clock } = this.#deps;
    const { threadId } = session;
    const watch = new AgentWatch({
      clock,
      maxTokens,
      maxMinutes,
      before: () => this.#known(parentId, threadId),
      tokens: () => live.get(threadId)?.state.tokens?.total.total,
      tell: (agent) => this.#tell(parentId, agent),
      stop: () => live.submit(threadId, { type: 'interrupt' }),
      onTurn: (agentTurnId, turnId) => {
        if (!session.isReadOnlyAgent) this.#noteTurn(parentId, { turnId, agentId: threadId, agentTurnId });
      },
    });
    this.#watches.set(threadId, watch);
    session.onEvent((event: Event) => watch.take(event));
    void session.closed.then(() => {
      watch.dispose();
      if (this.#watches.get(threadId) === watch) this.#watches.delete(threadId);
      this.#copies.ended(threadId);
    });
  }

  #noteTurn(parentId: string, turn: Pick<AgentTurn, 'turnId' | 'agentId' | 'agentTurnId'>): void {
    const known = this.#known(parentId, turn.agentId);
    const name = known?.description ?? known?.role ?? turn.agentId;
    const place = known?.inSideCopy === true ? { inSideCopy: true as const } : {};
    this.#deps.live.get(parentId)?.session.noteAgentTurn({ ...turn, name, ...place });
  }

  #tell(parentId: string, status: AgentSummary): void {
    const agent = this.#placed(status);
    const { live } = this.#deps;
    const parent = live.get(parentId)?.session;
    if (isFinal(agent)) this.#copies.ended(agent.agentId);
    if (parent === undefined) return;
    const isReadOnly = live.get(agent.agentId)?.session.isReadOnlyAgent !== false;
    if (agent.state === 'running' && !isReadOnly) this.#copies.working(agent.agentId, parent.asParent.rootId);
    parent.tellAgent(agent);
    if (agent.isTask === true) return;
    if (isFinal(agent) && agent.state !== 'shutdown') parent.agentNotices.add(agent);
    else parent.agentNotices.drop(agent.agentId);
  }

  /** Corrects the summary of an agent whose side copy was removed: it now works in the workspace. */
  #placed(agent: AgentSummary): AgentSummary {
    const { sideCopies } = this.#deps;
    const cwd = cwdOf(this.#deps.live.get(agent.agentId)?.state ?? null);
    const isGone = cwd !== '' && sideCopies?.foldersAround(cwd) === undefined;
    if (agent.inSideCopy !== true || !isGone) return agent;
    const { inSideCopy: _gone, ...rest } = agent;
    return rest;
  }

  /**
   * Adds the files that differ in its side copy. It is called for the result of a call, so it may take the time of a
   * comparison.
   */
  async #reported(parent: ParentThread, agent: AgentSummary, signal: AbortSignal): Promise<ReportedAgent> {
    if (agent.inSideCopy !== true || !isFinal(agent)) return agent;
    const changed = await this.#deps.sideCopies?.changedBy(agent.agentId, signal).catch(() => undefined);
    signal.throwIfAborted();
    const { cwd } = parent.settings.turn;
    return changed === undefined
      ? agent
      : { ...agent, changedInCopy: changed.map((file) => pathBelow(cwd, file) ?? file) };
  }

  /** The agent as the state of its parent has it. */
  #known(parentId: string, agentId: string): AgentSummary | undefined {
    return this.#deps.live.get(parentId)?.state.agents.find((agent) => agent.agentId === agentId);
  }

  async #spawn(
    parent: ParentThread,
    roles: readonly AgentRole[],
    request: AgentRequest,
    { turnId, settings, signal }: Caller,
    as: 'spawned' | 'task',
  ): Promise<{ readonly type: 'spawned'; readonly agent: AgentSummary } | Refusal> {
    const found = roles.find(({ name }) => name === request.role);
    const role = found && request.readOnly === true ? readOnlyRole(found) : found;
    if (request.role !== undefined && role === undefined) {
      const known = roles.map(({ name }) => name).join(', ');
      return refusal(`There is no agent ${JSON.stringify(request.role)}. The agents are: ${known}.`);
    }
    return this.#opened(parent, signal, async () => {
      const given = agentSettings(parent.settings, settings, role, request);
      const start = { agent: agentMeta(role), forksContext: request.forksContext };
      const { host } = parent;
      const mayWrite = role?.readOnly !== true;
      const { turn, copy, noSideCopy, end } = await this.#copies.place(parent.rootId, given, {
        host,
        mayWrite,
        signal,
      });
      const session = await this.#started(parent, { ...given, turn }, start, signal).catch(async (error: unknown) => {
        end();
        await copy?.discard();
        throw error;
      });
      this.#copies.begin(session.threadId, { end });
      try {
        await copy?.assign(session.threadId);
        signal.throwIfAborted();
      } catch (error) {
        await this.#discard(session);
        await copy?.discard();
        throw error;
      }
      const agent: AgentSummary = {
        agentId: session.threadId,
        role: start.agent.role,
        ...(copy === undefined ? {} : { inSideCopy: true }),
        ...(noSideCopy === undefined ? {} : { noSideCopy }),
        state: 'pending_init',
        description: request.description ?? summaryOf(request.input),
        ...(role?.color === undefined ? {} : { color: role.color }),
        ...(as === 'task' ? { isTask: true } : {}),
      };
      this.#tell(parent.threadId, agent);
      this.#deps.live.begin(session);
      this.#submit(agent.agentId, request.input, turnId);
      return { type: 'spawned', agent };
    });
  }

  /** Rejects with the signal's reason; the thread is removed then. */
  async #started(parent: ParentThread, thread: ThreadSettings, as: StartedAs, signal: AbortSignal): Promise<Session> {
    const session = await this.#deps.start(thread, agentHost(parent.host), parent.threadId, as);
    if (signal.aborted) await this.#discard(session);
    signal.throwIfAborted();
    return session;
  }

  #send(
    parent: ParentThread,
    agentId: string,
    input: readonly UserInput[],
    interrupt: boolean,
    { turnId, settings }: Pick<ToolContext, 'turnId' | 'settings'>,
  ): { readonly type: 'sent'; readonly submissionId: string } | Refusal {
    if (this.#known(parent.threadId, agentId) === undefined) return notFound(agentId);
    const { live } = this.#deps;
    const thread = live.get(agentId);
    if (thread === undefined) {
      return refusal(`The agent ${agentId} is closed. Open it with resume_agent first.`);
    }
    const { session } = thread;
    const box = policyAt(cwdOf(thread.state), settings.sandboxPolicy, this.#deps.sideCopies);
    if (interrupt || worksOtherwise(thread, { ...settings, sandboxPolicy: box })) {
      live.submit(agentId, { type: 'interrupt' });
    }
    const { approvalPolicy: policy } = settings;
    const planMode = settings.planMode === true;
    const permissions = { policy, planMode, ...(session.isReadOnlyAgent ? {} : { box }) };
    live.submit(agentId, { type: 'override_turn_context', ...permissions });
    return { type: 'sent', submissionId: this.#submit(agentId, input, turnId) };
  }

  /** `turnId`: the turn of the parent that sends it. */
  #submit(agentId: string, input: readonly UserInput[], turnId: string): string {
    const submissionId = this.#deps.ids.next('submission');
    this.#watches.get(agentId)?.sent(submissionId, turnId);
    this.#deps.live.submit(agentId, { type: 'steer', input: [...input] }, submissionId);
    return submissionId;
  }

  async #wait(
    parent: ParentThread,
    agentIds: readonly string[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<AgentStates> {
    const final = () =>
      agentIds
        .map((id) => [id, this.#known(parent.threadId, id)] as const)
        .filter(([, agent]) => agent === undefined || isFinal(agent));
    const isOver = () => final().length > 0;
    await this.#until(parent.threadId, isOver, signal, timeoutMs);
    const found = new Map(final());
    for (const id of found.keys()) this.#deps.live.get(parent.threadId)?.session.agentNotices.drop(id);
    const reported = [...found].map(
      async ([id, agent]) => [id, agent && (await this.#reported(parent, agent, signal))] as const,
    );
    return new Map(await Promise.all(reported));
  }

  /** Resolves when the condition on the agents of a thread holds, or the time is over. */
  async #until(parentId: string, isOver: () => boolean, signal: AbortSignal, timeoutMs?: number): Promise<void> {
    signal.throwIfAborted();
    if (isOver()) return;
    const { live, clock } = this.#deps;
    const store = new DisposableStore();
    const over = new Promise<void>((resolve) => {
      const take = ({ event }: ThreadUpdate) => {
        if (event.threadId === parentId && event.msg.type === 'agent_status' && isOver()) resolve();
      };
      store.add(live.onEvent(take));
      if (timeoutMs !== undefined) store.add({ dispose: clock.after(timeoutMs, resolve) });
    });
    try {
      await abortable(over, signal);
    } finally {
      store.dispose();
    }
  }

  async #resume(
    parent: ParentThread,
    agentId: string,
    { settings, signal }: Pick<ToolContext, 'settings' | 'signal'>,
  ): Promise<{ readonly type: 'resumed'; readonly agent: AgentSummary } | Refusal> {
    const agent = this.#known(parent.threadId, agentId);
    if (agent === undefined) return notFound(agentId);
    if (this.#deps.live.get(agentId) !== undefined) return { type: 'resumed', agent };
    return this.#opened(parent, signal, async () => {
      const thread = { ...parent.settings, turn: settings };
      const session = await this.#deps.resume(agentId, parent.threadId, thread, agentHost(parent.host));
      if (typeof session === 'string') return refusal(`The agent cannot be opened: ${session}.`);
      if (signal.aborted) await this.#discard(session);
      signal.throwIfAborted();
      const opened: AgentSummary = { ...agent, state: 'pending_init' };
      this.#tell(parent.threadId, opened);
      this.#deps.live.begin(session);
      return { type: 'resumed', agent: this.#known(parent.threadId, agentId) ?? opened };
    });
  }

  async #close(
    parent: ParentThread,
    agentId: string,
  ): Promise<{ readonly type: 'closed'; readonly before: AgentSummary } | Refusal> {
    const before = this.#known(parent.threadId, agentId);
    if (before === undefined) return notFound(agentId);
    await this.#deps.live.close(agentId, 'end');
    const after = this.#known(parent.threadId, agentId) ?? before;
    if (after.state !== 'shutdown') this.#tell(parent.threadId, { ...after, state: 'shutdown' });
    return { type: 'closed', before };
  }

  async #runTask(
    parent: ParentThread,
    roles: readonly AgentRole[],
    request: Parameters<Agents['runTask']>[0],
    context: Caller,
    onStarted: (agent: AgentSummary) => void,
  ): Promise<{ readonly type: 'ended'; readonly agent: ReportedAgent } | Refusal> {
    const spawned = await this.#spawn(parent, roles, request, context, 'task');
    if (spawned.type === 'refused') return spawned;
    const { agentId } = spawned.agent;
    onStarted(spawned.agent);
    const now = () => this.#known(parent.threadId, agentId) ?? spawned.agent;
    const stop = onAbort(context.signal, () => this.#deps.live.submit(agentId, { type: 'interrupt' }));
    try {
      const end = () => this.#until(parent.threadId, () => isFinal(now()), context.signal);
      await end();
      const { state, lastMessage = '' } = now();
      const more = state === 'completed' ? request.followUp?.(lastMessage) : undefined;
      if (more !== undefined) {
        this.#submit(agentId, [{ type: 'text', text: more }], context.turnId);
        await end();
      }
      return { type: 'ended', agent: await this.#reported(parent, now(), context.signal) };
    } finally {
      stop();
      await this.#deps.live.close(agentId, 'end');
    }
  }

  /** Removes a session that has not begun, and writes no rollout for it. */
  async #discard({ threadId }: Session): Promise<void> {
    await this.#deps.live.close(threadId, 'suspend');
  }

  /** Opens a sub-agent unless the root thread has as many as it may have. Rejects only with the signal's reason. */
  async #opened<Result>(
    parent: ParentThread,
    signal: AbortSignal,
    open: () => Promise<Result>,
  ): Promise<Result | Refusal> {
    const { rootId, settings } = parent;
    const { maxThreads } = settings.agents;
    const opening = this.#opening.get(rootId) ?? 0;
    if (this.#deps.live.descendantsOf(rootId).length + opening >= maxThreads) {
      return refusal(
        `The agent thread limit is reached: ${maxThreads} are open. Close one that is no longer needed, or do the task yourself.`,
      );
    }
    this.#opening.set(rootId, opening + 1);
    try {
      return await open();
    } catch (error) {
      signal.throwIfAborted();
      return refusal(`The agent could not be started: ${messageOf(error)}`);
    } finally {
      this.#opening.set(rootId, (this.#opening.get(rootId) ?? 1) - 1);
    }
  }
}

/** The call of the parent. */
type Caller = Pick<ToolContext, 'turnId' | 'settings' | 'signal'>;

const NO_ROLES: readonly AgentRole[] = [];

/**
 * Returns true if a turn of the agent runs under other permissions than these: a message that joins it would not get
 * these (decision 0043 no. 6).
 */
function worksOtherwise({ session, state }: LiveThread, settings: TurnSettings): boolean {
  const running = state.activeTurnId === null ? undefined : state.turns.at(-1)?.settings;
  if (running === undefined) return false;
  return (
    running.approvalPolicy !== settings.approvalPolicy ||
    running.planMode !== settings.planMode ||
    (!session.isReadOnlyAgent && canonical(running.sandboxPolicy) !== canonical(settings.sandboxPolicy))
  );
}

/** Adds the built-in roles. A role of the host takes precedence over a built-in one of the same name. */
function withBuiltin(own: readonly AgentRole[]): readonly AgentRole[] {
  const names = new Set(own.map(({ name }) => name));
  return [...BUILTIN_ROLES.filter(({ name }) => !names.has(name)), ...own];
}

/** The beginning of the task, where the model gives no description. */
function summaryOf(input: readonly UserInput[]): string {
  return inOneLine(input.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' '));
}

function refusal(message: string): Refusal {
  return { type: 'refused', message };
}

function notFound(agentId: string): Refusal {
  return refusal(`There is no agent ${JSON.stringify(agentId)} of this thread.`);
}
