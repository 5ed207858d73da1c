import type * as vscode from 'vscode';
import type { Session } from '../core/session/session.ts';
import { Emitter } from '../core/util/emitter.ts';
import type { Event } from '../protocol/event.ts';
import type { Op } from '../protocol/op.ts';
import { type ThreadState, threadReducer } from '../protocol/thread.ts';

const CURRENT_THREAD = 'tiller.currentThread';

/** What changed: one event of the thread that is shown, or which thread that is. */
export type ThreadChange =
  | { readonly type: 'event'; readonly event: Event; readonly before: ThreadState; readonly state: ThreadState }
  | { readonly type: 'switched'; readonly state: ThreadState | null };

/** What happened in a thread, and how that stands now. */
export interface ThreadNews {
  readonly event: Event;
  readonly state: ThreadState;
}

/** How threads come to life; given by the composition. */
export interface ThreadSource {
  start(): Promise<Session>;
  /** `undefined` when it is gone or cannot be read. */
  resume(threadId: string): Promise<Session | undefined>;
}

interface LiveThread {
  readonly session: Session;
  state: ThreadState;
}

/**
 * The thread this window shows. It lives here and not in a view: hiding the panel or reloading the window loses nothing,
 * and a thread that is no longer shown goes on until it is done.
 */
export class Threads {
  readonly #source: ThreadSource;
  readonly #memento: vscode.Memento;
  readonly #changes: Emitter<ThreadChange>;
  readonly #news: Emitter<ThreadNews>;
  readonly #live = new Map<string, LiveThread>();
  readonly #report: (error: unknown) => void;
  #shown: LiveThread | undefined;
  #opening: Promise<void> | undefined;
  #submissions = 0;

  constructor(source: ThreadSource, memento: vscode.Memento, report: (error: unknown) => void) {
    this.#source = source;
    this.#memento = memento;
    this.#report = report;
    this.#changes = new Emitter(report);
    this.#news = new Emitter(report);
  }

  get onChange(): Emitter<ThreadChange>['event'] {
    return this.#changes.event;
  }

  /** Of every thread that lives in this window, shown or not. */
  get onEvent(): Emitter<ThreadNews>['event'] {
    return this.#news.event;
  }

  /** Every thread that lives in this window. */
  get live(): readonly ThreadState[] {
    return [...this.#live.values()].map(({ state }) => state);
  }

  get state(): ThreadState | null {
    return this.#shown?.state ?? null;
  }

  /** Takes up the thread of this workspace that was shown last, once. */
  restore(): Promise<void> {
    this.#opening ??= this.#restore();
    return this.#opening;
  }

  async #restore(): Promise<void> {
    const id = this.#memento.get<string>(CURRENT_THREAD);
    if (id === undefined) return;
    const session = await this.#source.resume(id).catch((error: unknown) => this.#report(error));
    if (session) this.#begin(session);
  }

  /** Shows nothing; the next message begins a thread. */
  async clear(): Promise<void> {
    await this.restore();
    this.#shown = undefined;
    await this.#memento.update(CURRENT_THREAD, undefined);
    this.#changes.fire({ type: 'switched', state: null });
  }

  /** False when the thread is gone or cannot be read. */
  async open(threadId: string): Promise<boolean> {
    await this.restore();
    const live = this.#live.get(threadId);
    if (live) {
      this.#show(live);
      return true;
    }
    const session = await this.#source.resume(threadId);
    if (session) this.#begin(session);
    return session !== undefined;
  }

  /** To the thread that is shown; a message to none begins one. */
  async submit(op: Op): Promise<void> {
    await this.restore();
    if (!this.#shown && (op.type === 'user_turn' || op.type === 'steer')) this.#begin(await this.#source.start());
    this.#shown?.session.submit({ id: `window-${++this.#submissions}`, op });
  }

  /** To a thread of this window, shown or not. */
  submitTo(threadId: string, op: Op): void {
    this.#live.get(threadId)?.session.submit({ id: `window-${++this.#submissions}`, op });
  }

  /** The window goes away: its threads stop as they stand and are taken up where they were, questions included. */
  async close(): Promise<void> {
    this.#changes.dispose();
    this.#news.dispose();
    await Promise.all([...this.#live.values()].map(({ session }) => session.suspend()));
  }

  #begin(session: Session): void {
    const thread: LiveThread = { session, state: session.initialState };
    this.#live.set(session.threadId, thread);
    session.onEvent((event) => this.#fold(thread, event));
    this.#show(thread);
    session.start();
  }

  #show(thread: LiveThread): void {
    this.#shown = thread;
    void this.#memento.update(CURRENT_THREAD, thread.session.threadId);
    this.#changes.fire({ type: 'switched', state: thread.state });
  }

  #fold(thread: LiveThread, event: Event): void {
    const before = thread.state;
    thread.state = threadReducer(before, event);
    if (thread.state === before) return;
    this.#news.fire({ event, state: thread.state });
    if (thread !== this.#shown) return;
    this.#changes.fire({ type: 'event', event, before, state: thread.state });
  }
}
