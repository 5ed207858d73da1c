import type * as vscode from 'vscode';
import type { ReaderNews } from '../core/rollout/threadReader.ts';
import type { Session } from '../core/session/session.ts';
import { Emitter } from '../core/util/emitter.ts';
import type { Event, EventMsgOf } from '../protocol/event.ts';
import type { Op } from '../protocol/op.ts';
import type { ReadOnlyReason } from '../protocol/threads.ts';
import type { ThreadAccess } from '../protocol/wire.ts';
import { type ThreadState, threadReducer } from '../protocol/thread.ts';
import { ReadThread, type RolloutReader } from './readThread.ts';
import { activityOf, isAtRest, type ThreadActivity, typedText, waitingIn } from './threadActivity.ts';

const CURRENT_THREAD = 'tiller.currentThread';
const BUSY_THREADS = 'tiller.busyThreads';

/** What changed: one event of the thread that is shown, or which thread that is. */
export type ThreadChange =
  | { readonly type: 'event'; readonly event: Event; readonly before: ThreadState; readonly state: ThreadState }
  | { readonly type: 'switched'; readonly state: ThreadState | null };

/** What happened in a thread, and how that stands now. */
export interface ThreadNews {
  readonly event: Event;
  readonly state: ThreadState;
}

/** A thread that was asked for by its name. */
export type Opened =
  | { readonly type: 'live'; readonly session: Session }
  | { readonly type: 'read_only'; readonly reader: RolloutReader; readonly reason: ReadOnlyReason['type'] }
  | { readonly type: 'missing' };

/** A message that is not queued any more, with its text. */
export interface Dequeued {
  readonly threadId: string;
  readonly msg: EventMsgOf<'input_dequeued'>;
  readonly text: string;
}

/** How threads come to life; given by the composition. */
export interface ThreadSource {
  start(): Promise<Session>;
  open(threadId: string, how: OpenHow): Promise<Opened>;
}

/**
 * `take_back`: after a reload, when the host that had it may still be letting go. `ask`: the process that has it is asked
 * to give it up. `read`: it is left to whoever has it or is about to.
 */
export type OpenHow = 'take_up' | 'take_back' | 'ask' | 'read';

interface LiveThread {
  readonly session: Session;
  state: ThreadState;
}

/**
 * The threads of this window: one is shown, others may run. They live here and not in a view: hiding the panel or
 * reloading the window loses nothing, and a thread that is no longer shown goes on until it is done, then is put away.
 */
export class Threads {
  readonly #source: ThreadSource;
  readonly #memento: vscode.Memento;
  readonly #changes: Emitter<ThreadChange>;
  readonly #news: Emitter<ThreadNews>;
  readonly #activity: Emitter<void>;
  readonly #dequeued: Emitter<Dequeued>;
  readonly #live = new Map<string, LiveThread>();
  /** Threads that are being taken up, or put away. */
  readonly #moving = new Map<string, Promise<unknown>>();
  readonly #report: (error: unknown) => void;
  #shown: LiveThread | ReadThread | undefined;
  /** The thread that another process has taken from this one. */
  #taken: string | undefined;
  #opening: Promise<void> | undefined;
  #submissions = 0;
  #closed = false;

  constructor(source: ThreadSource, memento: vscode.Memento, report: (error: unknown) => void) {
    this.#source = source;
    this.#memento = memento;
    this.#report = report;
    this.#changes = new Emitter(report);
    this.#news = new Emitter(report);
    this.#activity = new Emitter(report);
    this.#dequeued = new Emitter(report);
  }

  /** Of the thread that is shown. */
  get onChange(): Emitter<ThreadChange>['event'] {
    return this.#changes.event;
  }

  /** Of every thread that lives in this window, shown or not. */
  get onEvent(): Emitter<ThreadNews>['event'] {
    return this.#news.event;
  }

  /** Some thread began to run or to wait, ended, was named, came or went. */
  get onActivity(): Emitter<void>['event'] {
    return this.#activity.event;
  }

  /** A message is not queued any more, in any thread. */
  get onDequeued(): Emitter<Dequeued>['event'] {
    return this.#dequeued.event;
  }

  /** Of the thread that is shown. */
  get state(): ThreadState | null {
    return this.#shown?.state ?? null;
  }

  /** Of the thread that is shown. */
  get access(): ThreadAccess {
    if (!(this.#shown instanceof ReadThread)) return { type: 'own' };
    const { reason, threadId } = this.#shown;
    return { type: 'read_only', reason, taken: threadId === this.#taken };
  }

  /** Every thread that is live here, the shown one included. */
  get live(): readonly ThreadState[] {
    return [...this.#live.values()].map(({ state }) => state);
  }

  /** Those that wait for the person, the shown one first. */
  get waiting(): readonly ThreadState[] {
    const waiting = this.live.filter((state) => activityOf(state) === 'waiting');
    return waiting.toSorted((left, right) => Number(right === this.state) - Number(left === this.state));
  }

  /** How many questions wait, in all of them. */
  get questions(): number {
    return this.live.reduce((sum, state) => sum + waitingIn(state), 0);
  }

  /** How many threads that are not shown wait, or run. */
  get elsewhere(): { readonly waiting: number; readonly running: number } {
    const activities = this.live.filter((state) => state !== this.state).map(activityOf);
    const count = (wanted: ThreadActivity) => activities.filter((activity) => activity === wanted).length;
    return { waiting: count('waiting'), running: count('running') };
  }

  /** Takes up the thread of this workspace that was shown last, and those that were at work, once. */
  restore(): Promise<void> {
    this.#opening ??= this.#restore();
    return this.#opening;
  }

  async #restore(): Promise<void> {
    const shown = this.#memento.get<string>(CURRENT_THREAD);
    const busy = this.#memento.get<readonly string[]>(BUSY_THREADS, []).filter((id) => id !== shown);
    const takeBack = (id: string) => this.#takeUp(id, 'take_back').catch((error: unknown) => this.#report(error));
    if (shown !== undefined) {
      const thread = await takeBack(shown);
      if (thread) this.#show(thread);
    }
    for (const id of busy) void takeBack(id).then((thread) => thread && this.#leave(thread));
  }

  /** Shows nothing; the next message begins a thread. */
  async clear(): Promise<void> {
    await this.restore();
    const before = this.#shown;
    this.#shown = undefined;
    await this.#memento.update(CURRENT_THREAD, undefined);
    this.#changes.fire({ type: 'switched', state: null });
    if (before) this.#leave(before);
    this.#activity.fire();
  }

  /** False when the thread is gone or cannot be read. One that another process has is only to be read, or asked for. */
  async open(threadId: string, how: OpenHow = 'take_up'): Promise<boolean> {
    await this.restore();
    const thread = await this.#takeUp(threadId, how);
    if (thread) this.#show(thread);
    return thread !== undefined;
  }

  /** A thread that could only be read for want of a model is taken up when there may be one. */
  async modelMayBeThere(): Promise<void> {
    const shown = this.#shown;
    if (shown instanceof ReadThread && shown.reason === 'no_model') await this.open(shown.threadId);
  }

  /** Shows a thread that was made elsewhere: forked, or brought here. */
  async adopt(session: Session): Promise<void> {
    await this.restore();
    this.#show(this.#begin(session));
  }

  /** It is about to be thrown away; whoever does that ends its session. */
  async forget(threadId: string): Promise<void> {
    while (this.#moving.has(threadId)) await this.#moving.get(threadId);
    this.#live.delete(threadId);
    this.#keepBusy();
    if (this.state?.threadId === threadId) await this.clear();
    else this.#activity.fire();
  }

  /** Another process has it from here on, and its session has ended. */
  async taken(threadId: string): Promise<void> {
    this.#live.delete(threadId);
    this.#keepBusy();
    this.#taken = threadId;
    if (this.state?.threadId === threadId && !(await this.open(threadId, 'read'))) await this.clear();
    else this.#activity.fire();
  }

  /** To the thread that is shown; a message to none begins one. */
  async submit(op: Op): Promise<void> {
    await this.restore();
    if (!this.#shown && (op.type === 'user_turn' || op.type === 'steer')) {
      this.#show(this.#begin(await this.#source.start()));
    }
    if (this.#shown && !(this.#shown instanceof ReadThread)) this.#submit(this.#shown, op);
  }

  /** To a thread of this window, shown or not. */
  submitTo(threadId: string, op: Op): void {
    const thread = this.#live.get(threadId);
    if (thread) this.#submit(thread, op);
  }

  /** The window goes away: its threads stop as they stand and are taken up where they were, questions included. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#changes.dispose();
    this.#news.dispose();
    this.#activity.dispose();
    this.#dequeued.dispose();
    if (this.#shown instanceof ReadThread) this.#shown.close();
    await Promise.all(this.#moving.values());
    await Promise.all([...this.#live.values()].map(({ session }) => session.suspend()));
  }

  #submit(thread: LiveThread, op: Op): void {
    thread.session.submit({ id: `window-${++this.#submissions}`, op });
  }

  /** The live one, or from disk. Whoever asks twice at once gets the same. */
  async #takeUp(threadId: string, how: OpenHow = 'take_up'): Promise<LiveThread | ReadThread | undefined> {
    while (this.#moving.has(threadId)) await this.#moving.get(threadId);
    const live = this.#live.get(threadId);
    if (live) return live;
    return this.#move(threadId, async () => {
      const opened = await this.#source.open(threadId, how);
      if (this.#closed || opened.type === 'missing') return undefined;
      if (opened.type === 'read_only') return new ReadThread(opened.reader, opened.reason);
      return this.#begin(opened.session);
    });
  }

  async #move<Result>(threadId: string, run: () => Promise<Result>): Promise<Result> {
    const moving = run();
    const settled = moving.then(
      () => {},
      () => {},
    );
    this.#moving.set(threadId, settled);
    await settled;
    this.#moving.delete(threadId);
    return moving;
  }

  #begin(session: Session): LiveThread {
    const thread: LiveThread = { session, state: session.shownState };
    session.onEvent((event) => this.#fold(thread, event));
    session.start();
    this.#live.set(session.threadId, thread);
    this.#keepBusy();
    this.#activity.fire();
    return thread;
  }

  #show(thread: LiveThread | ReadThread): void {
    const before = this.#shown;
    this.#shown = thread;
    if (thread.state.threadId === this.#taken && !(thread instanceof ReadThread)) this.#taken = undefined;
    void this.#memento.update(CURRENT_THREAD, thread.state.threadId);
    this.#changes.fire({ type: 'switched', state: thread.state });
    if (before && before !== thread) this.#leave(before);
    if (thread instanceof ReadThread) thread.watch((before, news) => this.#follow(thread, before, news), this.#report);
    this.#activity.fire();
  }

  /** Somebody else's thread went on. */
  #follow(thread: ReadThread, from: ThreadState, news: ReaderNews): void {
    if (news.type === 'rewritten') return this.#changes.fire({ type: 'switched', state: thread.state });
    let before = from;
    for (const event of news.events) {
      const state = threadReducer(before, event);
      if (state !== before) this.#changes.fire({ type: 'event', event, before, state });
      before = state;
    }
  }

  #leave(thread: LiveThread | ReadThread): void {
    if (thread instanceof ReadThread) thread.close();
    else this.#putAwayAtRest(thread);
  }

  #fold(thread: LiveThread, event: Event): void {
    const before = thread.state;
    thread.state = threadReducer(before, event);
    if (thread.state === before) return;
    this.#news.fire({ event, state: thread.state });
    if (thread === this.#shown) this.#changes.fire({ type: 'event', event, before, state: thread.state });
    if (event.msg.type === 'input_dequeued') this.#tellDequeued(before, event.msg);
    if (thread !== this.#shown) this.#putAwayAtRest(thread);
    const isSame = activityOf(before) === activityOf(thread.state) && waitingIn(before) === waitingIn(thread.state);
    if (isSame && before.title === thread.state.title) return;
    // What is only being taken up is not news yet.
    if (this.#live.get(thread.session.threadId) !== thread) return;
    this.#keepBusy();
    this.#activity.fire();
  }

  #tellDequeued({ threadId, queuedInputs }: ThreadState, msg: EventMsgOf<'input_dequeued'>): void {
    const text = typedText(queuedInputs.find(({ id }) => id === msg.id)?.input ?? []);
    this.#dequeued.fire({ threadId, msg, text });
  }

  /** A thread that nobody looks at and that does nothing is given back to the disk, where every window can open it. */
  #putAwayAtRest(thread: LiveThread): void {
    const { threadId } = thread.session;
    const mayGo = () => !this.#closed && thread !== this.#shown && isAtRest(thread.state);
    if (!mayGo()) return;
    void thread.session.idle().then(() => {
      if (!mayGo() || this.#live.get(threadId) !== thread || this.#moving.has(threadId)) return;
      this.#live.delete(threadId);
      this.#move(threadId, () => thread.session.suspend()).catch(this.#report);
      this.#activity.fire();
    });
  }

  /** What a window that comes after this one takes up at once. */
  #keepBusy(): void {
    const busy = this.live.filter((state) => activityOf(state) !== 'idle').map(({ threadId }) => threadId);
    void this.#memento.update(BUSY_THREADS, busy);
  }
}
