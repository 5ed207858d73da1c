import type { UserInput } from '../../protocol/item.ts';
import type { ThreadOwner } from '../../protocol/threads.ts';
import type { RecordedChange } from '../../protocol/baseline.ts';
import type { Disposable } from '../util/disposable.ts';
import { ChangeLedger } from '../baseline/changeLedger.ts';
import type { Ports } from '../ports.ts';
import { Emitter } from '../util/emitter.ts';
import { messageOf } from '../util/fileErrors.ts';
import { BASE_INSTRUCTIONS } from '../prompt/baseInstructions.ts';
import { ROLLOUT_FORMAT, ROLLOUT_VERSION, type SessionMeta } from '../rollout/line.ts';
import { type CatalogResult, ThreadCatalog } from '../rollout/catalog.ts';
import { forkThread, importThread, type NewThread } from '../rollout/copies.ts';
import { readGitFacts } from '../rollout/gitFacts.ts';
import { rolloutPath, threadIdIn } from '../rollout/recorder.ts';
import { readMeta, type ReplayedThread, replayFile } from '../rollout/replay.ts';
import { RulesStore } from '../rules/rulesStore.ts';
import { DaySpending } from '../session/daySpending.ts';
import { EventSequence } from '../session/events.ts';
import { Ownership } from '../session/ownership.ts';
import { Session } from '../session/session.ts';
import {
  depthOf,
  type ParentLink,
  type SessionOptions,
  type ThreadHost,
  type ThreadSettings,
} from '../session/sessionOptions.ts';
import { agentTools } from '../tools/agents/agentTools.ts';
import { confined, forkedHistory } from './agentThread.ts';
import { inSideCopy } from './inSideCopy.ts';
import { type StartedAs, SubAgents } from './subAgents.ts';
import { removeThreadFiles } from './removeThreadFiles.ts';
import { LiveThreads } from './liveThreads.ts';
import { MemoryKeeper } from './memoryKeeper.ts';
import { WorkspaceCoordinator } from '../session/workspaceCoordinator.ts';

export type Resumed =
  | { readonly type: 'resumed'; readonly session: Session; readonly dropped: number }
  /** Another process works in it: it can be read, forked, or asked for with `takeOver`. */
  | { readonly type: 'owned'; readonly owner: ThreadOwner }
  | { readonly type: 'refused'; readonly message: string };

export type ForkedThread =
  | (Extract<Resumed, { type: 'resumed' }> & {
      /** The message before which the fork ends, for the composer. */
      readonly draft: readonly UserInput[] | null;
    })
  | Exclude<Resumed, { type: 'resumed' }>;

/** A thread in storage, or one that will be. */
interface StoredThread extends Pick<SessionOptions, 'meta' | 'ownership' | 'replayed' | 'inherited'> {
  /** Of its rollout. */
  readonly path: string;
  readonly parent: ParentLink | undefined;
}

/** How long the owner of a thread may take to hand it over: its user has to see the question and answer it. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

function noThread(which: { readonly id: string } | 'last'): Extract<Resumed, { type: 'refused' }> {
  return { type: 'refused', message: which === 'last' ? 'there is no thread yet' : `there is no thread ${which.id}` };
}

/** All threads of this process: starts them, opens stored ones, and knows which are live. One per process. */
export class AgentService {
  readonly #ports: Ports;
  readonly #self: NewThread;
  readonly #sequence = new EventSequence();
  /** Of all threads of this process. */
  readonly rules: RulesStore;
  readonly #daySpending: DaySpending;
  readonly live: LiveThreads;
  readonly #hosts = new WeakMap<Session, ThreadHost>();
  /** Threads that another process asks for, and that the user has not refused to hand over. */
  readonly #asked = new Set<string>();
  readonly #taken: Emitter<string>;
  /** All stored threads, live or not. */
  readonly catalog: ThreadCatalog;
  readonly #coordinator = new WorkspaceCoordinator();
  /** Of all threads, whose commands may run at the same time in the same folders. */
  readonly #ledger: ChangeLedger | undefined;
  readonly #subAgents: SubAgents;
  /** Made for the first thread that is written down. */
  #memories: MemoryKeeper | undefined;

  constructor(ports: Ports, options: { readonly version: string; readonly originator: SessionMeta['originator'] }) {
    this.#ports = ports;
    const report = (error: unknown) => ports.log.error('A listener failed', error);
    this.live = new LiveThreads(report);
    this.#taken = new Emitter(report);
    this.#subAgents = new SubAgents({
      ...ports,
      live: this.live,
      start: (...thread) => this.start(...thread),
      resume: (agentId, parentId, thread, host) => this.#resumeAgent(agentId, parentId, thread, host),
    });
    this.rules = new RulesStore(ports);
    this.#ledger = ports.baseline && new ChangeLedger({ store: ports.baseline, clock: ports.clock, report });
    this.#daySpending = new DaySpending(ports);
    this.#self = { tiller_version: options.version, originator: options.originator };
    this.catalog = new ThreadCatalog(ports, (threadIds) => removeThreadFiles(ports.storage, threadIds));
  }

  /** Another process owns this thread from here on; its session has ended. */
  get onTaken(): Emitter<string>['event'] {
    return this.#taken.event;
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

  #parentOf(threadId: string): ParentLink {
    const parent = this.live.get(threadId)?.session;
    if (parent === undefined) throw new Error(`The thread ${threadId} is not live: it cannot have a sub-agent.`);
    return parent.asParent;
  }

  /** `last` is the thread that was started last, sub-agents aside. */
  async resume(which: { readonly id: string } | 'last', thread: ThreadSettings, host: ThreadHost): Promise<Resumed> {
    return this.#resume(which, thread, host, 0);
  }

  /** `leftOut`: unreadable lines of the rollout that this one was copied from. */
  async #resume(
    which: { readonly id: string } | 'last',
    thread: ThreadSettings,
    host: ThreadHost,
    leftOut: number,
  ): Promise<Resumed> {
    const path = await this.#find(which);
    if (path === undefined) return noThread(which);
    const ownership = this.#ownershipOf(threadIdIn(path));
    let owner: ThreadOwner | undefined;
    try {
      owner = await ownership.attempt();
    } catch (error) {
      // For example TILLER_HOME is read-only. Without a lock two processes could write one thread.
      return { type: 'refused', message: `the thread cannot be kept from other processes: ${messageOf(error)}` };
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
    const path = await this.#find({ id });
    const meta = path === undefined ? undefined : await readMeta(this.#ports.storage, path);
    if (meta?.parent_id !== parentId) return 'its thread is gone';
    const isSameServer = meta.provider === host.models.id && thread.turn.provider === undefined;
    const turn = isSameServer ? { ...thread.turn, model: meta.model } : thread.turn;
    const resumed = await this.resume({ id }, { ...thread, turn }, { ...host, keepsSettings: false });
    if (resumed.type === 'resumed') return resumed.session;
    return resumed.type === 'owned' ? 'another process works in its thread' : resumed.message;
  }

  /** Asks the owner to hand the thread over, then resumes it. Returns `owned` when that takes more than 30 s. */
  async takeOver(threadId: string, thread: ThreadSettings, host: ThreadHost): Promise<Resumed> {
    const { locks, clock } = this.#ports;
    const deadline = clock.monotonic() + PATIENCE_MS;
    const withdraw = await locks.ask(threadId);
    try {
      while (true) {
        const resumed = await this.resume({ id: threadId }, thread, host);
        if (resumed.type !== 'owned' || clock.monotonic() > deadline) return resumed;
        await clock.sleep(PAUSE_MS);
      }
    } finally {
      await withdraw();
    }
  }

  /** Copies a thread up to an item, or all of it, and resumes the copy; see `forkRollout`. */
  async fork(
    which: { readonly id: string } | 'last',
    itemId: string | null,
    thread: ThreadSettings,
    host: ThreadHost,
  ): Promise<ForkedThread> {
    const path = await this.#find(which);
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

  /** Changes in these folders that no command, patch or save of this window has made. */
  onOtherChanges(listener: (changes: readonly RecordedChange[]) => void): Disposable {
    return this.#ledger?.onOtherChanges(listener) ?? { dispose: () => {} };
  }

  /** What a command of a thread changed, when it has ended. */
  onCommandChanges(listener: (changes: readonly RecordedChange[]) => void): Disposable {
    return this.#ledger?.onCommandChanges(listener) ?? { dispose: () => {} };
  }

  /** Looks for changes of other programs. Real paths of folders. @throws the error of the disk */
  async lookForOthers(roots: readonly string[], maxBytes: number): Promise<void> {
    if (maxBytes > 0) await this.#ledger?.lookForOthers(roots, { maxBytes });
  }

  /** Call when the user, or Tiller for the user, has written or removed a file or folder: it is no change of a command that runs at this moment. Never rejects. */
  async noteSave(path: string): Promise<void> {
    const place = await this.#ports.workspace.realPath(path).catch(() => path);
    this.#ledger?.noteWrite(place);
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
    const continued = await this.#continued(thread, host, replayed);
    const session = await this.#session(continued, host, { meta, path, ownership, replayed, parent });
    if (replayed.state.activeTurnId !== null) {
      // The events of a recovered turn are written before they are emitted. When that fails, the turn reports it.
      await session.open().catch((error: unknown) => this.#ports.log.warn('The thread cannot be written', error));
    }
    return { type: 'resumed', session, dropped: replayed.dropped };
  }

  /** Oldest first: file names begin with the time. */
  async #rollouts(): Promise<readonly string[]> {
    return (await this.#ports.storage.listFiles('threads')).filter((path) => path.endsWith('.jsonl'));
  }

  async #find(which: { readonly id: string } | 'last'): Promise<string | undefined> {
    const rollouts = await this.#rollouts();
    return which === 'last' ? this.#last(rollouts) : rollouts.find((path) => path.endsWith(`-${which.id}.jsonl`));
  }

  /**
   * Skips files without content, which a crash or a full disk can leave, and sub-agents. Reads the beginnings of the
   * newest files only.
   */
  async #last(rollouts: readonly string[]): Promise<string | undefined> {
    for (const path of rollouts.toReversed()) {
      // An unreadable file counts as the last: resuming it reports the reason.
      const [first] = await this.#ports.storage.readBytes(path, 0, 1).catch(() => [0]);
      if (first !== undefined && !(await this.#isSubAgent(path))) return path;
    }
    return undefined;
  }

  async #isSubAgent(path: string): Promise<boolean> {
    const meta = await readMeta(this.#ports.storage, path).catch(() => undefined);
    return meta?.parent_id !== undefined;
  }

  async #session(
    given: ThreadSettings,
    host: ThreadHost,
    { meta, path, ownership, replayed, parent, inherited }: StoredThread,
  ): Promise<Session> {
    const confinedThread = meta.agent ? confined(given, meta.agent, host.sandboxFor) : given;
    const rootId = parent?.rootId ?? meta.id;
    const { thread, ports } = inSideCopy(confinedThread, this.#coordinator.portsFor(meta.id, this.#ports, rootId));
    // A rollout without its first line has no instructions.
    const instructions = meta.instructions || (thread.prompt.baseInstructions ?? BASE_INSTRUCTIONS);
    const agents = this.#subAgents.of({ threadId: meta.id, rootId, settings: confinedThread, host });
    const session = new Session({
      settings: thread,
      host,
      parent,
      inherited,
      agentTools: agentTools(agents, thread.agents.tools, depthOf({ parent, meta }) < thread.agents.maxDepth),
      ports,
      commandsOfOthers: () => this.#coordinator.commandsOfOthers(rootId),
      ...(this.#ledger === undefined ? {} : { ledger: this.#ledger }),
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
    return new Ownership(this.#ports.locks, threadId, () => {
      this.#handOver(threadId).catch((error: unknown) => this.#ports.log.error('A thread was not handed over', error));
    });
  }

  /** Asks the front end, which has to answer within the time that the other process waits. */
  async #handOver(threadId: string): Promise<void> {
    const session = this.live.get(threadId)?.session;
    const host = session && this.#hosts.get(session);
    if (!session || !host?.givesWay || this.#asked.has(threadId)) return;
    this.#asked.add(threadId);
    const tooLate = this.#ports.clock.sleep(PATIENCE_MS).then(() => false);
    const agreed = await Promise.race([host.givesWay(threadId), tooLate]);
    if (agreed) await this.live.close(threadId, 'suspend');
    this.#asked.delete(threadId);
    if (agreed) this.#taken.fire(threadId);
  }

  /**
   * The settings of the last turn of a resumed thread, with the sandbox mechanism that this machine has now. When its
   * folder is gone, the open folder takes its place.
   */
  async #continued(
    thread: ThreadSettings,
    host: ThreadHost,
    { meta, state, settings }: ReplayedThread,
  ): Promise<ThreadSettings> {
    const last = state.settings ?? settings;
    const here = host.models.id;
    const turn = { ...thread.turn, ...(here === meta.provider ? {} : { provider: here }) };
    const provider = last?.provider ?? meta.provider;
    const isKnown = provider === here || host.modelsOf?.(provider) !== undefined;
    if (!host.keepsSettings || last === null || !isKnown) return { ...thread, turn };
    const isThere = (await this.#ports.workspace.stat(last.cwd).catch(() => undefined)) !== undefined;
    const cwd = isThere ? last.cwd : thread.turn.cwd;
    return { ...thread, turn: { ...last, cwd, ...host.sandboxFor(last.sandboxPolicy) } };
  }
}
