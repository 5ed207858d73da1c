import type { TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { ThreadOwner } from '../../protocol/threads.ts';
import { removeLogs } from '../exec/outputLogs.ts';
import type { ModelClientFactory } from '../model/modelClientFactory.ts';

import type { Ports } from '../ports.ts';
import { Emitter } from '../util/emitter.ts';
import { messageOf } from '../util/fileErrors.ts';
import { BASE_INSTRUCTIONS } from '../prompt/baseInstructions.ts';
import { ROLLOUT_FORMAT, ROLLOUT_VERSION, type SessionMeta } from '../rollout/line.ts';
import { type CatalogResult, ThreadCatalog } from '../rollout/catalog.ts';
import { forkThread, importThread, type NewThread } from '../rollout/copies.ts';
import { readGitFacts } from '../rollout/gitFacts.ts';
import { rolloutPath, threadIdIn } from '../rollout/recorder.ts';
import { type ReplayedThread, replayFile } from '../rollout/replay.ts';
import { RulesStore } from '../rules/rulesStore.ts';
import { EventSequence } from '../session/events.ts';
import { Ownership } from '../session/ownership.ts';
import { Session } from '../session/session.ts';
import type { SessionOptions } from '../session/sessionOptions.ts';
import { LiveThreads } from './liveThreads.ts';
import { WorkspaceCoordinator } from '../session/workspaceCoordinator.ts';

/** What a front door settles before a thread starts or is taken up. */
export interface ThreadConfig
  extends Pick<
    SessionOptions,
    | 'review'
    | 'environment'
    | 'saveBeforeCommands'
    | 'sandboxFor'
    | 'unreadable'
    | 'isTrusted'
    | 'onProposal'
    | 'undoTurn'
    | 'interactive'
    | 'pace'
    | 'showRawReasoning'
    | 'maxToolRounds'
    | 'maxAttempts'
    | 'verbosity'
    | 'projectDocMaxBytes'
    | 'projectDocFallbackFilenames'
    | 'userInstructions'
  > {
  readonly settings: TurnSettings;
  readonly models: ModelClientFactory;
  /** Instead of our own. */
  readonly baseInstructions: string | null;
  /** A thread that is taken up goes on under the settings it had, as far as it has the same provider. */
  readonly keepsSettings: boolean;
  /** Whether another process that asks for the thread gets it. Without it none does. */
  readonly givesWay?: ((threadId: string) => Promise<boolean>) | undefined;
}

export type Resumed =
  | { readonly type: 'resumed'; readonly session: Session; readonly dropped: number }
  /** Another process works in it: it can be read, forked, or asked for with `takeOver`. */
  | { readonly type: 'owned'; readonly owner: ThreadOwner }
  | { readonly type: 'refused'; readonly message: string };

export type ForkedThread =
  | (Extract<Resumed, { type: 'resumed' }> & {
      /** The message that was cut off, to be said in another way. */
      readonly draft: readonly UserInput[] | null;
    })
  | Exclude<Resumed, { type: 'resumed' }>;

/** How long an owner that is asked for a thread may take to give it up. */
/** The user of the other window has to see the question and answer it. */
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
  readonly live: LiveThreads;
  readonly #configs = new WeakMap<Session, ThreadConfig>();
  /** Threads that another process asks for, and that the user has not refused to hand over. */
  readonly #asked = new Set<string>();
  readonly #taken: Emitter<string>;
  /** Every thread there is, without taking it up. */
  readonly catalog: ThreadCatalog;
  readonly #coordinator = new WorkspaceCoordinator();

  constructor(ports: Ports, options: { readonly version: string; readonly originator: SessionMeta['originator'] }) {
    this.#ports = ports;
    const report = (error: unknown) => ports.log.error('A listener failed', error);
    this.live = new LiveThreads(report);
    this.#taken = new Emitter(report);
    this.rules = new RulesStore(ports);
    this.#self = { tiller_version: options.version, originator: options.originator };
    this.catalog = new ThreadCatalog(ports, (threadIds) => removeLogs(ports.storage, threadIds));
  }

  /** Another process owns this thread from here on; its session has ended. */
  get onTaken(): Emitter<string>['event'] {
    return this.#taken.event;
  }

  /** The session is live and emits nothing before `LiveThreads.begin` or `Session.start`. */
  async start(config: ThreadConfig): Promise<Session> {
    const { ids, clock, workspace } = this.#ports;
    const git = await readGitFacts(workspace, config.settings.cwd);
    const threadId = ids.uuid();
    const startedAt = clock.now();
    const meta: SessionMeta = {
      format: ROLLOUT_FORMAT,
      version: ROLLOUT_VERSION,
      id: threadId,
      timestamp: startedAt.toISOString(),
      cwd: config.settings.cwd,
      ...this.#self,
      model: config.settings.model,
      provider: config.models.id,
      instructions: config.baseInstructions ?? BASE_INSTRUCTIONS,
      workspace_folders: [...workspace.roots],
      ...(git ? { git } : {}),
    };
    return this.#session(config, meta, rolloutPath(threadId, startedAt), null, this.#ownershipOf(threadId));
  }

  /** `last` is the thread that was started last. */
  async resume(which: { readonly id: string } | 'last', config: ThreadConfig): Promise<Resumed> {
    return this.#resume(which, config, 0);
  }

  /** `leftOut`: lines that could not be read when its rollout was made of another. */
  async #resume(which: { readonly id: string } | 'last', config: ThreadConfig, leftOut: number): Promise<Resumed> {
    const path = await this.#find(which);
    if (path === undefined) return noThread(which);
    const ownership = this.#ownershipOf(threadIdIn(path));
    let owner: ThreadOwner | undefined;
    try {
      owner = await ownership.attempt();
    } catch (error) {
      // As where TILLER_HOME can only be read: two processes must not write one thread.
      return { type: 'refused', message: `the thread cannot be kept from other processes: ${messageOf(error)}` };
    }
    if (owner !== undefined) return { type: 'owned', owner };
    let resumed: Resumed | undefined;
    try {
      resumed = await this.#takeUp(path, config, ownership, leftOut);
      return resumed;
    } finally {
      if (resumed?.type !== 'resumed') await ownership.release();
    }
  }

  /** The same, after asking the process that has the thread to give it up; `owned` when it does not within 30 s. */
  async takeOver(threadId: string, config: ThreadConfig): Promise<Resumed> {
    const { locks, clock } = this.#ports;
    const deadline = clock.monotonic() + PATIENCE_MS;
    const withdraw = await locks.ask(threadId);
    try {
      while (true) {
        const resumed = await this.resume({ id: threadId }, config);
        if (resumed.type !== 'owned' || clock.monotonic() > deadline) return resumed;
        await clock.sleep(PAUSE_MS);
      }
    } finally {
      await withdraw();
    }
  }

  /** Copies a thread up to an item, or all of it, and takes the copy up; see `ThreadCatalog.fork`. */
  async fork(
    which: { readonly id: string } | 'last',
    itemId: string | null,
    config: ThreadConfig,
  ): Promise<ForkedThread> {
    const path = await this.#find(which);
    if (path === undefined) return noThread(which);
    const copied = await forkThread(this.#ports, path, itemId, this.#self);
    if (copied.type === 'refused') return copied;
    const resumed = await this.#resume({ id: copied.threadId }, config, copied.dropped);
    return resumed.type === 'resumed' ? { ...resumed, draft: copied.draft } : resumed;
  }

  /** Brings a rollout of Codex, or one of Tiller from elsewhere, and takes it up. */
  async importThread(text: string, config: ThreadConfig): Promise<Resumed> {
    const copied = await importThread(this.#ports, text, this.#self, {
      model: config.settings.model,
      cwd: config.settings.cwd,
      provider: config.models.id,
      instructions: config.baseInstructions ?? BASE_INSTRUCTIONS,
    });
    return copied.type === 'refused' ? copied : this.#resume({ id: copied.threadId }, config, copied.dropped);
  }

  /** Into the trash. A session of this process that works in it ends first. */
  async remove(threadId: string): Promise<CatalogResult> {
    await this.live.get(threadId)?.session.dispose();
    return this.catalog.remove(threadId);
  }

  async #takeUp(path: string, config: ThreadConfig, ownership: Ownership, leftOut: number): Promise<Resumed> {
    const read = await replayFile(this.#ports.storage, path);
    if (read.type === 'unreadable') return { type: 'refused', message: `${path}: ${read.message}` };
    // A copy of a thread of ours has its unreadable lines, too.
    const thread = { ...read.thread, dropped: Math.max(read.thread.dropped, leftOut) };
    if (thread.readOnly) {
      return { type: 'refused', message: `${path} was written by a newer Tiller and can only be read` };
    }
    const session = await this.#session(await this.#continued(config, thread), thread.meta, path, thread, ownership);
    if (thread.state.activeTurnId !== null) {
      // What recovery says of a turn that was cut is written down before it is told. Where it cannot be, the turn says so.
      await session.open().catch((error: unknown) => this.#ports.log.warn('The thread cannot be written', error));
    }
    return { type: 'resumed', session, dropped: thread.dropped };
  }

  /** Oldest first: their names begin with the time. */
  async #rollouts(): Promise<readonly string[]> {
    return (await this.#ports.storage.listFiles('threads')).filter((path) => path.endsWith('.jsonl'));
  }

  async #find(which: { readonly id: string } | 'last'): Promise<string | undefined> {
    const rollouts = await this.#rollouts();
    return which === 'last' ? this.#last(rollouts) : rollouts.find((path) => path.endsWith(`-${which.id}.jsonl`));
  }

  /** One in which nothing stands, as a crash or a full disk leaves it, is no thread. Only the newest are looked into. */
  async #last(rollouts: readonly string[]): Promise<string | undefined> {
    for (const path of rollouts.toReversed()) {
      // One that cannot be read is the last all the same: taking it up says why.
      const [first] = await this.#ports.storage.readBytes(path, 0, 1).catch(() => [0]);
      if (first !== undefined) return path;
    }
    return undefined;
  }

  async #session(
    config: ThreadConfig,
    meta: SessionMeta,
    path: string,
    replayed: ReplayedThread | null,
    ownership: Ownership,
  ): Promise<Session> {
    // A thread that has lost its first line has lost its instructions with it.
    const instructions = meta.instructions || (config.baseInstructions ?? BASE_INSTRUCTIONS);
    const session = new Session({
      ...config,
      ports: this.#coordinator.portsFor(meta.id, this.#ports),
      commandsOfOthers: () => this.#coordinator.commandsOfOthers(meta.id),
      sequence: this.#sequence,
      meta: { ...meta, instructions },
      rolloutPath: path,
      replayed,
      rules: this.rules,
      ownership,
      connect: (model) => config.models.connect(model),
    });
    this.#configs.set(session, config);
    this.live.add(session);
    void session.closed.then(() => this.live.remove(meta.id, session));
    return session;
  }

  #ownershipOf(threadId: string): Ownership {
    return new Ownership(this.#ports.locks, threadId, () => {
      this.#handOver(threadId).catch((error: unknown) => this.#ports.log.error('A thread was not handed over', error));
    });
  }

  /** The front end decides within the time that the other process waits. */
  async #handOver(threadId: string): Promise<void> {
    const session = this.live.get(threadId)?.session;
    const givesWay = session && this.#configs.get(session)?.givesWay;
    if (!session || !givesWay || this.#asked.has(threadId)) return;
    this.#asked.add(threadId);
    const tooLate = this.#ports.clock.sleep(PATIENCE_MS).then(() => false);
    const agreed = await Promise.race([givesWay(threadId), tooLate]);
    if (agreed) {
      await session.suspend();
      this.live.remove(threadId, session);
    }
    this.#asked.delete(threadId);
    if (agreed) this.#taken.fire(threadId);
  }

  /**
   * What the thread's last turn ran under; the box is the one of this machine and this day, and a folder that is gone
   * is the one that is open instead.
   */
  async #continued(config: ThreadConfig, { meta, state, settings }: ReplayedThread): Promise<ThreadConfig> {
    const last = state.settings ?? settings;
    if (!config.keepsSettings || last === null || meta.provider !== config.models.id) return config;
    const isThere = (await this.#ports.workspace.stat(last.cwd).catch(() => undefined)) !== undefined;
    const cwd = isThere ? last.cwd : config.settings.cwd;
    return { ...config, settings: { ...last, cwd, ...config.sandboxFor(last.sandboxPolicy) } };
  }
}
