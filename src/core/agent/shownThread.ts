import type { Event, EventMsgOf } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';
import type { ReadOnlyReason } from '../../protocol/threads.ts';
import type { ThreadAccess } from '../../protocol/wire.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { threadReducer } from '../../protocol/threadReducer.ts';
import type { Clock } from '../ports.ts';
import type { ReaderUpdate } from '../rollout/threadReader.ts';
import type { Session } from '../session/session.ts';
import { DisposableStore } from '../util/disposable.ts';
import { Emitter } from '../util/emitter.ts';
import { FollowedThread, type RolloutReader } from './followedThread.ts';
import type { LiveThread, LiveThreads, ThreadUpdate } from './liveThreads.ts';
import { MovingThreads } from './movingThreads.ts';
import { activityOf, isAtRest, isSubAgent } from './threadActivity.ts';
import { ThreadOverview } from './threadOverview.ts';

const CURRENT_THREAD = 'tiller.currentThread';
const BUSY_THREADS = 'tiller.busyThreads';

/** A change of the shown thread: one event, or another thread is shown. */
export type ThreadChange =
  | { readonly type: 'event'; readonly event: Event; readonly before: ThreadState; readonly state: ThreadState }
  | { readonly type: 'switched'; readonly state: ThreadState | null };

/** The result of opening a thread by its id. A live session has not begun yet. */
export type Opened =
  | { readonly type: 'live'; readonly session: Session }
  | { readonly type: 'read_only'; readonly reader: RolloutReader; readonly reason: ReadOnlyReason['type'] }
  | { readonly type: 'missing' };

/**
 * The thread that a message goes to: the one shown when the user sent it, or, if none was shown, the one that the first
 * such message starts. Only `ShownThread` changes it.
 */
export interface MessageTarget {
  threadId: string | undefined;
  starting: Promise<void> | undefined;
}

/** A message that is no longer queued. */
export interface Dequeued {
  readonly threadId: string;
  readonly msg: EventMsgOf<'input_dequeued'>;
  readonly input: readonly UserInput[];
}

/** Starts and opens threads under the settings of this window. */
export interface ThreadSource {
  start(): Promise<Session>;
  open(threadId: string, how: OpenHow): Promise<Opened>;
}

/**
 * `write`: read only where another process owns it. `after_reload`: likewise, once the extension host before the reload
 * has had time to release it. `ask`: the owner is asked to hand it over. `read`: read only, also when it has no owner.
 */
export type OpenHow = 'write' | 'after_reload' | 'ask' | 'read';

/** State that is kept over a reload of the window. */
export interface WindowState {
  get<Value>(key: string): Value | undefined;
  get<Value>(key: string, fallback: Value): Value;
  update(key: string, value: unknown): PromiseLike<void>;
}

export interface ShownThreadDeps {
  readonly live: LiveThreads;
  readonly source: ThreadSource;
  readonly memento: WindowState;
  readonly clock: Pick<Clock, 'after'>;
  /** See `CopyCounts.of`; without it no thread has a side copy. */
  readonly changedInCopy?: (threadId: string) => number | null | undefined;
  readonly report: (error: unknown) => void;
}

/**
 * Which thread of this process a window shows. A thread that is no longer shown runs on until it is done, and is then
 * suspended, so that any window can open it. Reloading the window restores the shown thread and the busy ones.
 */
export class ShownThread {
  readonly overview: ThreadOverview;
  readonly #deps: ShownThreadDeps;
  readonly #changes: Emitter<ThreadChange>;
  readonly #activity: Emitter<void>;
  readonly #dequeued: Emitter<Dequeued>;
  readonly #store = new DisposableStore();
  readonly #moving = new MovingThreads();
  /** Threads that have not got the message for which they were started. Without one they cannot be opened again. */
  readonly #fresh = new Set<string>();
  #shown: LiveThread | FollowedThread | undefined;
  /** The target of messages sent while no thread is shown; replaced each time the panel is cleared. */
  #next = targetOf(undefined);
  /** The thread that another process has taken over from this one. */
  #taken: string | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;

  constructor(deps: ShownThreadDeps) {
    this.#deps = deps;
    this.overview = new ThreadOverview(deps.live, () => this.state, deps.changedInCopy ?? (() => undefined));
    this.#changes = new Emitter(deps.report);
    this.#activity = new Emitter(deps.report);
    this.#dequeued = new Emitter(deps.report);
    this.#store.add(deps.live.onEvent((news) => this.#follow(news)));
    this.#store.add(
      deps.live.onActivity(() => {
        this.#keepBusy();
        this.#activity.fire();
      }),
    );
  }

  /** Fires with changes of the shown thread. */
  get onChange(): Emitter<ThreadChange>['event'] {
    return this.#changes.event;
  }

  /** Fires with events of every live thread, shown or not. */
  get onEvent(): Emitter<ThreadUpdate>['event'] {
    return this.#deps.live.onEvent;
  }

  /** Fires with `LiveThreads.onActivity`, and whenever another thread is shown. */
  get onActivity(): Emitter<void>['event'] {
    return this.#activity.event;
  }

  /** Fires when a message of any live thread is no longer queued. */
  get onDequeued(): Emitter<Dequeued>['event'] {
    return this.#dequeued.event;
  }

  get state(): ThreadState | null {
    return this.#shown?.state ?? null;
  }

  get access(): ThreadAccess {
    if (!(this.#shown instanceof FollowedThread)) return { type: 'own' };
    const { reason, threadId } = this.#shown;
    return { type: 'read_only', reason, taken: threadId === this.#taken };
  }

  /** Every live thread, the shown one included. */
  get live(): readonly ThreadState[] {
    return this.#deps.live.states;
  }

  /** Opens the thread that this workspace showed last, and those that were busy. Does so once. */
  restore(): Promise<void> {
    this.#opening ??= this.#restore();
    return this.#opening;
  }

  async #restore(): Promise<void> {
    const { memento, report } = this.#deps;
    const shown = memento.get<string>(CURRENT_THREAD);
    const busy = memento.get<readonly string[]>(BUSY_THREADS, []).filter((id) => id !== shown);
    const reopen = (id: string) => this.#open(id, 'after_reload').catch((error: unknown) => report(error));
    if (shown !== undefined) {
      const thread = await reopen(shown);
      if (thread) this.#show(thread);
    }
    for (const id of busy) void reopen(id).then((thread) => thread && this.#leave(thread));
  }

  /** Shows no thread; the next message starts one. */
  async clear(): Promise<void> {
    await this.restore();
    const before = this.#shown;
    this.#shown = undefined;
    this.#next = targetOf(undefined);
    await this.#deps.memento.update(CURRENT_THREAD, undefined);
    this.#changes.fire({ type: 'switched', state: null });
    if (before) this.#leave(before);
    this.#activity.fire();
  }

  /** Returns false when the thread is gone or cannot be read. One that another process owns is shown read only. */
  async open(threadId: string, how: OpenHow = 'write'): Promise<boolean> {
    await this.restore();
    const thread = await this.#open(threadId, how);
    if (thread) this.#show(thread);
    return thread !== undefined;
  }

  /** Opens a thread for writing that was read only because no model was selected. */
  async modelMayBeThere(): Promise<void> {
    const shown = this.#shown;
    if (shown instanceof FollowedThread && shown.reason === 'no_model') await this.open(shown.threadId);
  }

  /** Shows a thread that was forked or imported. */
  async adopt(session: Session): Promise<void> {
    await this.restore();
    this.#show(this.#begin(session));
  }

  /** Runs `end`, which ends the session and deletes the thread; this window does not show or suspend it any more. */
  async forget<Result>(threadId: string, end: () => Promise<Result>): Promise<Result> {
    await this.restore();
    return this.#moving.after(threadId, () =>
      this.#moving.move(threadId, async () => {
        if (this.state?.threadId === threadId) await this.clear();
        return end();
      }),
    );
  }

  /** Suspends a session once it is idle, shown or not. A message that is sent from then on opens the thread again. */
  async suspend(session: Session): Promise<void> {
    const { threadId } = session;
    const { live } = this.#deps;
    while (!this.#closed && live.get(threadId)?.session === session) {
      await session.idle();
      // Nothing is awaited between these checks and the move: a message may have been submitted since.
      if (this.#moving.has(threadId)) await this.#moving.after(threadId, async () => {});
      else if (session.isIdle) await this.#moving.move(threadId, () => live.close(threadId, 'suspend'));
    }
  }

  /** Call when another process owns the thread; its session has ended. */
  async taken(threadId: string): Promise<void> {
    this.#deps.live.remove(threadId);
    this.#taken = threadId;
    if (this.state?.threadId === threadId && !(await this.open(threadId, 'read'))) await this.clear();
    else this.#activity.fire();
  }

  /** The target of a message sent now; it stays the same if another thread is shown before the message is ready. */
  get target(): MessageTarget {
    return this.#shown === undefined ? this.#next : targetOf(this.#shown.state.threadId);
  }

  /** Submits to the shown thread. A message starts a thread when none is shown. */
  async submit(op: Op): Promise<void> {
    await this.restore();
    await this.send(op, this.target);
  }

  /**
   * Submits an op to a thread, shown or not. A message and the settings of the next turn open the thread when it was
   * suspended since; so does every op for the shown thread, which may be a sub-agent that was closed when its task had
   * ended. Returns false when the thread cannot be opened for writing: it is deleted, another process owns it, or this
   * window closes.
   */
  async send(op: Op, target: MessageTarget): Promise<boolean> {
    await this.restore();
    const isMessage = op.type === 'user_turn' || op.type === 'steer' || op.type === 'review';
    if (isMessage && target.threadId === undefined) await (target.starting ??= this.#start(target));
    const { threadId } = target;
    if (threadId === undefined) return false;
    const { live } = this.#deps;
    // Nothing is awaited between this check and the submission: a session that is being suspended takes none.
    const isReady = () => {
      const mustBeOpen = isMessage || op.type === 'override_turn_context' || this.state?.threadId === threadId;
      return !mustBeOpen || (live.get(threadId) !== undefined && !this.#moving.has(threadId));
    };
    while (!isReady()) {
      if (!(await this.#isOpened(threadId))) return false;
    }
    this.#fresh.delete(threadId);
    return !this.#closed && live.submit(threadId, op);
  }

  /** Starts a thread. It is shown unless the user has gone elsewhere since. */
  async #start(target: MessageTarget): Promise<void> {
    try {
      const session = await this.#deps.source.start();
      this.#fresh.add(session.threadId);
      const thread = this.#begin(session);
      target.threadId = session.threadId;
      if (this.#shown === undefined && this.#next === target) this.#show(thread);
    } finally {
      target.starting = undefined;
    }
  }

  /** Opens a thread for writing where it is not live. */
  async #isOpened(threadId: string): Promise<boolean> {
    if (this.#shown instanceof FollowedThread && this.#shown.threadId === threadId) return false;
    const thread = await this.#open(threadId);
    if (thread === undefined) return false;
    if (this.state?.threadId === threadId) this.#show(thread);
    else if (thread instanceof FollowedThread) thread.close();
    return !(thread instanceof FollowedThread);
  }

  /** Submits to a live thread, shown or not. */
  submitTo(threadId: string, op: Op): void {
    this.#deps.live.submit(threadId, op);
  }

  /** The window closes: its threads are suspended, and the next window opens them as they were. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#store.dispose();
    this.#changes.dispose();
    this.#activity.dispose();
    this.#dequeued.dispose();
    if (this.#shown instanceof FollowedThread) this.#shown.close();
    await this.#moving.allSettled();
    await this.#deps.live.closeAll('suspend');
  }

  /** The live thread, or the stored one. Concurrent calls get the same. */
  #open(threadId: string, how: OpenHow = 'write'): Promise<LiveThread | FollowedThread | undefined> {
    return this.#moving.after(threadId, async () => {
      const live = this.#deps.live.get(threadId);
      if (live) return live;
      return this.#moving.move(threadId, async () => {
        const opened = await this.#deps.source.open(threadId, how);
        if (this.#closed || opened.type === 'missing') return undefined;
        if (opened.type === 'live') return this.#begin(opened.session);
        return new FollowedThread(opened.reader, opened.reason, this.#deps.clock);
      });
    });
  }

  #begin(session: Session): LiveThread {
    return this.#deps.live.begin(session);
  }

  #show(thread: LiveThread | FollowedThread): void {
    const before = this.#shown;
    this.#shown = thread;
    if (thread.state.threadId === this.#taken && !(thread instanceof FollowedThread)) this.#taken = undefined;
    void this.#deps.memento.update(CURRENT_THREAD, thread.state.threadId);
    this.#changes.fire({ type: 'switched', state: thread.state });
    if (before && before !== thread) this.#leave(before);
    if (thread instanceof FollowedThread) {
      thread.watch((before, news) => this.#read(thread, before, news), this.#deps.report);
    }
    this.#activity.fire();
  }

  /** The owner of a followed thread has written more. */
  #read(thread: FollowedThread, from: ThreadState, news: ReaderUpdate): void {
    if (news.type === 'rewritten') return this.#changes.fire({ type: 'switched', state: thread.state });
    let before = from;
    for (const event of news.events) {
      const state = threadReducer(before, event);
      if (state !== before) this.#changes.fire({ type: 'event', event, before, state });
      before = state;
    }
  }

  #leave(thread: LiveThread | FollowedThread): void {
    if (thread instanceof FollowedThread) thread.close();
    else this.#suspendAtRest(thread);
  }

  #follow({ event, before, state }: ThreadUpdate): void {
    const thread = this.#deps.live.get(event.threadId);
    if (thread && thread === this.#shown) this.#changes.fire({ type: 'event', event, before, state });
    if (event.msg.type === 'input_dequeued') this.#tellDequeued(before, event.msg);
    if (thread && thread !== this.#shown) this.#suspendAtRest(thread);
  }

  #tellDequeued({ threadId, queuedInputs }: ThreadState, msg: EventMsgOf<'input_dequeued'>): void {
    const input = queuedInputs.find(({ id }) => id === msg.id)?.input ?? [];
    this.#dequeued.fire({ threadId, msg, input });
  }

  /**
   * A thread that is not shown is suspended with its sub-agents when none of them works, so that every window can open
   * it.
   */
  #suspendAtRest(member: LiveThread): void {
    const { live, report } = this.#deps;
    const thread = live.rootOf(member);
    const { session } = thread;
    const { threadId } = session;
    const family = () => [thread, ...live.descendantsOf(threadId)];
    // A sub-agent whose session is closed may be shown, too.
    const isShown = ({ session }: LiveThread) =>
      [this.state?.threadId, this.state?.started?.parentId].includes(session.threadId);
    const mayGo = () =>
      !this.#closed &&
      !this.#fresh.has(threadId) &&
      family().every((thread) => !isShown(thread) && isAtRest(thread.state));
    if (!mayGo()) return;
    void session.idle().then(() => {
      // A message that was submitted since has not changed the state yet.
      if (!session.isIdle) return this.#suspendAtRest(thread);
      if (!mayGo() || live.get(threadId) !== thread || this.#moving.has(threadId)) return;
      this.#moving.move(threadId, () => live.close(threadId, 'suspend')).catch(report);
    });
  }

  /** Saves the ids of the busy threads, which the window opens at once after a reload. */
  #keepBusy(): void {
    const roots = this.live.filter((state) => !isSubAgent(state));
    const busy = roots.filter((state) => activityOf(state) !== 'idle').map(({ threadId }) => threadId);
    void this.#deps.memento.update(BUSY_THREADS, busy);
  }
}

function targetOf(threadId: string | undefined): MessageTarget {
  return { threadId, starting: undefined };
}
