import type { UserInput } from '../../protocol/item.ts';
import { cwdOf } from '../../protocol/thread.ts';
import type { ThreadOwner } from '../../protocol/threads.ts';
import type { Ports } from '../ports.ts';
import { messageOf } from '../util/fileErrors.ts';
import { pathBelow } from '../util/pathBelow.ts';
import { BASE_INSTRUCTIONS } from '../prompt/baseInstructions.ts';
import { ROLLOUT_FORMAT, ROLLOUT_VERSION, type SessionMeta } from '../rollout/line.ts';
import { type CatalogResult, ThreadCatalog } from '../rollout/catalog.ts';
import { type CopyNotice, keepCopyNotice } from '../rollout/copyNotices.ts';
import { forkThread, importThread, type NewThread } from '../rollout/copies.ts';
import { readGitFacts } from '../rollout/gitFacts.ts';
import { findRollout, type WhichThread } from '../rollout/findRollout.ts';
import { rolloutPath, threadIdIn } from '../rollout/recorder.ts';
import { readMeta, replayFile } from '../rollout/replay.ts';
import { RulesStore } from '../rules/rulesStore.ts';
import { DaySpending } from '../session/daySpending.ts';
import { EventSequence } from '../session/events.ts';
import { Ownership } from '../session/ownership.ts';
import type { Session } from '../session/session.ts';
import {
  depthOf,
  type ParentLink,
  type SessionOptions,
  type ThreadHost,
  type ThreadSettings,
} from '../session/sessionOptions.ts';
import { agentTools } from '../tools/agents/agentTools.ts';
import { policyAt } from './agentCopies.ts';
import { askModel, type Question } from './askModel.ts';
import { confined, forkedHistory } from './agentThread.ts';
import { inSideCopy } from './inSideCopy.ts';
import { continuedSettings } from './continuedSettings.ts';
import { HandOver, takeOver } from './handOver.ts';
import { StoredAgents } from './storedAgents.ts';
import { type StartedAs, SubAgents } from './subAgents.ts';
import { removeThreadFiles } from './removeThreadFiles.ts';
import { LiveThreads } from './liveThreads.ts';
import { MemoryKeeper } from './memoryKeeper.ts';
import { WorkspaceChanges } from './workspaceChanges.ts';
import { WorkspaceCoordinator } from '../session/workspaceCoordinator.ts';

export type Resumed =
  | { readonly type: 'resumed'; readonly session: Session; readonly dropped: number }
  /** Another process works in it: it can be read, forked, or asked for with `takeOver`. */
  | { readonly type: 'owned'; readonly owner: ThreadOwner }
  /** `isFault`: the machine refuses it, such as a full disk, and not the thread itself. */
  | { readonly type: 'refused'; readonly message: string; readonly isFault?: boolean };

export type ForkedThread =
  | (Extract<Resumed, { type: 'resumed' }> & {
      /** The message before which the fork ends, for the composer. */
      readonly draft: readonly UserInput[] | null;
    })
  | Exclude<Resumed, { type: 'resumed' }>;

/** A thread in storage, or one that will be. */
interface StoredThread extends Pick<SessionOptions, 'meta' | 'ownership' | 'replayed' | 'inherited'> {
  /** The path of its rollout. */
  readonly path: string;
  readonly parent: ParentLink | undefined;
}

function noThread(which: WhichThread): Extract<Resumed, { type: 'refused' }> {
  return { type: 'refused', message: which === 'last' ? 'there is no thread yet' : `there is no thread ${which.id}` };
}

/** All threads of this process: starts them, opens stored ones, and knows which are live. One per process. */
export class AgentService {
  readonly #ports: Ports;
  readonly #self: NewThread;
  readonly #sequence = new EventSequence();
  /** The rules of all threads of this process. */
  readonly rules: RulesStore;
  readonly #daySpending: DaySpending;
  readonly live: LiveThreads;
  readonly #hosts = new WeakMap<Session, ThreadHost>();
  readonly #handOver: HandOver;
  /** All stored threads, live or not. */
  readonly catalog: ThreadCatalog;
  readonly #coordinator = new WorkspaceCoordinator();
  readonly changes: WorkspaceChanges;
  readonly #subAgents: SubAgents;
  readonly #storedAgents: StoredAgents;
  /** Created for the first thread whose memory is kept. */
  #memories: MemoryKeeper | undefined;

  constructor(ports: Ports, options: { readonly version: string; readonly originator: SessionMeta['originator'] }) {
    this.#ports = ports;
    const report = (error: unknown) => ports.log.error('A listener failed', error);
    this.live = new LiveThreads(report);
    this.#handOver = new HandOver({
      live: this.live,
      hostOf: (session) => this.#hosts.get(session),
      clock: ports.clock,
      report,
    });
    this.#subAgents = new SubAgents({
      ...ports,
      live: this.live,
      start: (...thread) => this.start(...thread),
      resume: (agentId, parentId, thread, host) => this.#resumeAgent(agentId, parentId, thread, host),
    });
    this.rules = new RulesStore(ports);
    this.changes = new WorkspaceChanges(ports, report);
    this.#daySpending = new DaySpending(ports);
    this.#self = { tiller_version: options.version, originator: options.originator };
    this.catalog = new ThreadCatalog(ports, (threadIds) => removeThreadFiles(ports.storage, threadIds));
    const { ledger } = this.changes;
    this.#storedAgents = new StoredAgents({ live: this.live, catalog: this.catalog, ports, ledger });
  }

  /** Fires with the id of a thread that another process now owns; its session has ended. */
  get onTaken(): HandOver['onTaken'] {
    return this.#handOver.onTaken;
  }

  /**
   * The session is live and emits nothing before `LiveThreads.begin` or `Session.start`. `parentId`: the live thread
   * whose sub-agent it is. It shares the pending requests and the approval memory of its root thread, is interrupted
   * and closed with its parent, and stands in no list of threads. @throws Error when the parent is not live.
   */
  async start(thread: ThreadSettings, host: ThreadHost, parentId?: string, as?: StartedAs): Promise<Session> {
    const parent = parentId === undefined ? undefined : this.#parentOf(parentId);
    const inherited = parent && as?.forksContext ? forkedHistory(parent.history()) : undefined;
    const { ids, clock, workspace } = this.#ports;
    const git = await readGitFacts(workspace, thread.turn.cwd);
    const threadId = ids.uuid();
    const startedAt = clock.now();
    const meta: SessionMeta = {
      format: ROLLOUT_FORMAT,
      version: ROLLOUT_VERSION,
      id: threadId,
      timestamp: startedAt.toISOString(),
      cwd: thread.turn.cwd,
      ...this.#self,
      model: thread.turn.model,
      provider: host.models.id,
      instructions: thread.prompt.baseInstructions ?? BASE_INSTRUCTIONS,
      workspace_folders: [...workspace.roots],
      ...(git ? { git } : {}),
      ...(parent ? { originator: 'sub_agent', parent_id: parent.threadId } : {}),
      ...(as ? { agent: as.agent } : {}),
    };
    const path = rolloutPath(threadId, startedAt);
    const ownership = this.#ownershipOf(threadId);
    return this.#session(thread, host, { meta, path, ownership, replayed: null, parent, inherited });
  }

  /** The usage of all processes with the same home, today and this month. Never rejects. */
  spent(): ReturnType<DaySpending['spent']> {
    return this.#daySpending.spent();
  }

  /** See `askModel`. */
  ask(question: Question, settings: ThreadSettings, host: ThreadHost, signal: AbortSignal): Promise<string> {
    return askModel(question, settings, host, { ...this.#ports, daySpending: this.#daySpending }, signal);
  }

  #parentOf(threadId: string): ParentLink {
    const parent = this.live.get(threadId)?.session;
    if (parent === undefined) throw new Error(`The thread ${threadId} is not live: it cannot have a sub-agent.`);
    return parent.asParent;
  }

  /** `last` is the thread that was started last, sub-agents aside. */
  async resume(which: WhichThread, thread: ThreadSettings, host: ThreadHost): Promise<Resumed> {
    return this.#resume(which, thread, host, 0);
  }

  /** `leftOut`: unreadable lines of the rollout that this one was copied from. */
  async #resume(which: WhichThread, thread: ThreadSettings, host: ThreadHost, leftOut: number): Promise<Resumed> {
    const path = await findRollout(which, this.#ports.storage);
    if (path === undefined) return noThread(which);
    const ownership = this.#ownershipOf(threadIdIn(path));
    let owner: ThreadOwner | undefined;
    try {
      owner = await ownership.attempt();
    } catch (error) {
      // For example TILLER_HOME is read-only. Without a lock two processes could write one thread.
      const message = `the thread cannot be kept from other processes: ${messageOf(error)}`;
      return { type: 'refused', message, isFault: true };
    }
    if (owner !== undefined) return { type: 'owned', owner };
    let resumed: Resumed | undefined;
    try {
      resumed = await this.#takeUp(path, thread, host, ownership, leftOut);
      return resumed;
    } finally {
      if (resumed?.type !== 'resumed') await ownership.release();
    }
  }

  /** A sub-agent of this parent, under the settings of `thread` but with its own model, or why it cannot be opened. */
  async #resumeAgent(
    id: string,
    parentId: string,
    thread: ThreadSettings,
    host: ThreadHost,
  ): Promise<Session | string> {
    const path = await findRollout({ id }, this.#ports.storage);
    const meta = path === undefined ? undefined : await readMeta(this.#ports.storage, path);
    if (meta?.parent_id !== parentId) return 'its thread is gone';
    const isSameServer = meta.provider === host.models.id && thread.turn.provider === undefined;
    const cwd = this.#ports.sideCopies?.foldersAround(meta.cwd) === undefined ? thread.turn.cwd : meta.cwd;
    const sandboxPolicy = policyAt(cwd, thread.turn.sandboxPolicy, this.#ports.sideCopies);
    const turn = { ...thread.turn, cwd, sandboxPolicy, ...(isSameServer ? { model: meta.model } : {}) };
    const resumed = await this.resume({ id }, { ...thread, turn }, { ...host, keepsSettings: false });
    if (resumed.type === 'resumed') return resumed.session;
    return resumed.type === 'owned' ? 'another process works in its thread' : resumed.message;
  }

  /** Asks the owner to hand the thread over, then resumes it. Returns `owned` when that takes more than 30 s. */
  async takeOver(threadId: string, thread: ThreadSettings, host: ThreadHost): Promise<Resumed> {
    return takeOver(threadId, this.#ports, {
      attempt: () => this.resume({ id: threadId }, thread, host),
      isOwned: ({ type }) => type === 'owned',
    });
  }

  /** Copies a thread up to an item, or all of it, and resumes the copy; see `forkRollout`. */
  async fork(
    which: WhichThread,
    itemId: string | null,
    thread: ThreadSettings,
    host: ThreadHost,
  ): Promise<ForkedThread> {
    const path = await findRollout(which, this.#ports.storage);
    if (path === undefined) return noThread(which);
    const copied = await forkThread(this.#ports, path, itemId, this.#self);
    if (copied.type === 'refused') return copied;
    const resumed = await this.#resume({ id: copied.threadId }, thread, host, copied.dropped);
    return resumed.type === 'resumed' ? { ...resumed, draft: copied.draft } : resumed;
  }

  /** Imports a rollout of Codex, or one of another Tiller, and resumes it. */
  async importThread(text: string, thread: ThreadSettings, host: ThreadHost): Promise<Resumed> {
    const copied = await importThread(this.#ports, text, this.#self, {
      model: thread.turn.model,
      cwd: thread.turn.cwd,
      provider: host.models.id,
      instructions: thread.prompt.baseInstructions ?? BASE_INSTRUCTIONS,
    });
    return copied.type === 'refused' ? copied : this.#resume({ id: copied.threadId }, thread, host, copied.dropped);
  }

  /**
   * Call when the user has brought home changes of a sub-agent's side copy, or has undone them: a notice goes with the
   * next request of the thread that has started the agent, even if that thread runs later and in another process. Paths
   * in the workspace. @throws the error of the disk
   */
  async noteCopy(agentId: string, paths: readonly string[], what: CopyNotice['what']): Promise<void> {
    if (paths.length === 0) return;
    const parent = await this.#starterOf(agentId);
    if (parent === undefined) return;
    const files = paths.map((file) => pathBelow(parent.cwd, file) ?? file);
    const { storage, clock } = this.#ports;
    await keepCopyNotice(storage, parent.id, { agentId, what, files, at: clock.now() });
  }

  /** The thread that has started a sub-agent, live or not. */
  async #starterOf(agentId: string): Promise<{ readonly id: string; readonly cwd: string } | undefined> {
    const live = this.live.states.find(({ agents }) => agents.some((agent) => agent.agentId === agentId));
    if (live !== undefined) return { id: live.threadId, cwd: cwdOf(live) };
    const parentId = (await this.catalog.find(agentId))?.parentId ?? null;
    return parentId === null ? undefined : this.catalog.find(parentId);
  }

  /** Moves a thread to the trash. Its session ends first, if it is live. */
  async remove(threadId: string): Promise<CatalogResult> {
    await this.live.close(threadId, 'end');
    return this.catalog.remove(threadId);
  }

  async #takeUp(
    path: string,
    thread: ThreadSettings,
    host: ThreadHost,
    ownership: Ownership,
    leftOut: number,
  ): Promise<Resumed> {
    const read = await replayFile(this.#ports.storage, path);
    if (read.type === 'unreadable') return { type: 'refused', message: `${path}: ${read.message}` };
    // A copy of a Tiller thread contains its unreadable lines, too.
    const replayed = { ...read.thread, dropped: Math.max(read.thread.dropped, leftOut) };
    if (replayed.readOnly) {
      return { type: 'refused', message: `${path} was written by a newer Tiller and can only be read` };
    }
    const { meta } = replayed;
    const parent = meta.parent_id === undefined ? undefined : this.live.get(meta.parent_id)?.session.asParent;
    const continued = await continuedSettings(thread, host, replayed, this.#ports.workspace);
    const session = await this.#session(continued, host, { meta, path, ownership, replayed, parent });
    if (replayed.state.activeTurnId !== null) {
      // The events of a recovered turn are written before they are emitted. When that fails, the turn reports it.
      await session.open().catch((error: unknown) => this.#ports.log.warn('The thread cannot be written', error));
    }
    return { type: 'resumed', session, dropped: replayed.dropped };
  }

  async #session(
    given: ThreadSettings,
    host: ThreadHost,
    { meta, path, ownership, replayed, parent, inherited }: StoredThread,
  ): Promise<Session> {
    // Evaluated with the first thread: a window or a list of threads needs none of a session, its turns and tools.
    const { Session } = await import('../session/session.ts');
    const confinedThread = meta.agent ? confined(given, meta.agent, host.sandboxFor) : given;
    const rootId = parent?.rootId ?? meta.id;
    const { thread, ports } = inSideCopy(confinedThread, this.#coordinator.portsFor(meta.id, this.#ports, rootId));
    const { ledger } = this.changes;
    // A rollout without its first line has no instructions.
    const instructions = meta.instructions || (thread.prompt.baseInstructions ?? BASE_INSTRUCTIONS);
    const agents = this.#subAgents.agentsOf({ threadId: meta.id, rootId, settings: confinedThread, host });
    const session = new Session({
      settings: thread,
      host,
      parent,
      inherited,
      agents,
      agentThreads: this.#storedAgents,
      interruptAgents: () => this.live.interruptChildren(meta.id),
      agentTools: agentTools(agents, thread.agents.tools, depthOf({ parent, meta }) < thread.agents.maxDepth),
      ports,
      commandsOfOthers: () => this.#coordinator.commandsOfOthers(rootId),
      ...(ledger === undefined ? {} : { ledger }),
      sequence: this.#sequence,
      meta: { ...meta, instructions },
      rolloutPath: path,
      replayed,
      rules: this.rules,
      daySpending: this.#daySpending,
      ownership,
    });
    this.#hosts.set(session, host);
    this.live.add(session);
    if (parent !== undefined) this.#subAgents.follow(session, parent.threadId, thread.agents);
    if (thread.tools.memory && parent === undefined) this.#keepMemory(meta.id);
    void session.closed.then(() => this.#closed(session));
    return session;
  }

  #keepMemory(threadId: string): void {
    if (this.#memories === undefined) {
      const keeper = new MemoryKeeper(this.#ports);
      this.live.onEvent((update) => keeper.take(update));
      this.#memories = keeper;
    }
    this.#memories.add(threadId);
  }

  /** Resolves when the memories of all threads are written. Call before the process ends. Never rejects. */
  async memoriesWritten(): Promise<void> {
    await this.#memories?.written();
  }

  /** A session that a client has shut down does not leave its sub-agents behind. */
  #closed(session: Session): void {
    const { threadId } = session;
    this.live.remove(threadId, session);
    this.live
      .closeChildren(threadId, 'end')
      .catch((error: unknown) => this.#ports.log.error('A sub-agent was not closed', error));
  }

  #ownershipOf(threadId: string): Ownership {
    const { locks, log } = this.#ports;
    return new Ownership(locks, threadId, () => {
      this.#handOver.asked(threadId).catch((error: unknown) => log.error('A thread was not handed over', error));
    });
  }
}
