import type { Event } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { threadReducer } from '../../protocol/threadReducer.ts';
import type { Session } from '../session/session.ts';
import { Emitter } from '../util/emitter.ts';
import { activityOf, pendingIn, type ThreadActivity } from './threadActivity.ts';

/** One event of a live thread, with the thread before and after it. */
export interface ThreadUpdate {
  readonly event: Event;
  readonly before: ThreadState;
  readonly state: ThreadState;
}

/** A session with the state that its events add up to. */
export interface LiveThread {
  readonly session: Session;
  readonly state: ThreadState;
}

interface Entry extends LiveThread {
  state: ThreadState;
  /** Events to fold when the state is read next, streamed text joined: states that no caller reads are not computed. */
  deferred: Event | undefined;
  hasStarted: boolean;
}

/** Every session of this process, with its state: the one registry of live threads. */
export class LiveThreads {
  readonly #entries = new Map<string, Entry>();
  readonly #news: Emitter<ThreadUpdate>;
  readonly #activity: Emitter<void>;
  readonly #emitted: Emitter<Event>;
  #submissions = 0;

  /** `report` is called with the error of a listener. */
  constructor(report: (error: unknown) => void) {
    this.#news = new Emitter(report);
    this.#activity = new Emitter(report);
    this.#emitted = new Emitter(report);
  }

  /**
   * Fires with every event of every live thread in the order of their numbers, also those without an effect on the
   * state.
   */
  get onEmitted(): Emitter<Event>['event'] {
    return this.#emitted.event;
  }

  /** Fires with every event that changes a thread. */
  get onEvent(): Emitter<ThreadUpdate>['event'] {
    return this.#news.event;
  }

  /** Fires when a thread changed its activity or its title, or was added or removed. */
  get onActivity(): Emitter<void>['event'] {
    return this.#activity.event;
  }

  /** The states of all threads, in the order in which they were added. */
  get states(): readonly ThreadState[] {
    return [...this.#entries.values()].map(stateOf);
  }

  get sessions(): readonly Session[] {
    return [...this.#entries.values()].map(({ session }) => session);
  }

  get(threadId: string): LiveThread | undefined {
    const entry = this.#entries.get(threadId);
    if (entry) stateOf(entry);
    return entry;
  }

  /** Follows a session from here on. `onActivity` does not fire for it before `begin`. */
  add(session: Session): LiveThread {
    return this.#add(session);
  }

  #add(session: Session): Entry {
    const entry: Entry = { session, state: session.shownState, deferred: undefined, hasStarted: false };
    this.#entries.set(session.threadId, entry);
    session.onEvent((event) => {
      // First: a listener below may emit in another thread.
      this.#emitted.fire(event);
      this.#take(entry, event);
    });
    return entry;
  }

  /** Starts a session that was added, or adds it; it emits its first events, and the thread is announced. */
  begin(session: Session): LiveThread {
    const known = this.#entries.get(session.threadId);
    const entry = known?.session === session ? known : this.#add(session);
    session.start();
    entry.hasStarted = true;
    this.#activity.fire();
    return entry;
  }

  /** Live sub-agents that this thread has started itself. */
  childrenOf(threadId: string): readonly LiveThread[] {
    const children = [...this.#entries.values()].filter(({ session }) => session.parentId === threadId);
    for (const child of children) stateOf(child);
    return children;
  }

  /** Live sub-agents of a thread, those of its sub-agents included. */
  descendantsOf(threadId: string): readonly LiveThread[] {
    return this.childrenOf(threadId).flatMap((child) => [child, ...this.descendantsOf(child.session.threadId)]);
  }

  /** Threads that are their own root (`rootOf`). */
  get roots(): readonly LiveThread[] {
    return [...this.#entries.values()].filter((entry) => {
      stateOf(entry);
      return this.rootOf(entry) === entry;
    });
  }

  /** The activity of a thread including its sub-agents: `waiting` if one of them is. */
  activityOf(thread: LiveThread): ThreadActivity {
    const activities = [thread, ...this.descendantsOf(thread.session.threadId)].map(({ state }) => activityOf(state));
    return (
      activities.find((activity) => activity === 'waiting') ??
      activities.find((activity) => activity === 'running') ??
      'idle'
    );
  }

  /** The live root of a thread: itself, unless it is a sub-agent of a live thread. */
  rootOf(thread: LiveThread): LiveThread {
    const { parentId } = thread.session;
    const parent = parentId === null ? undefined : this.get(parentId);
    return parent === undefined ? thread : this.rootOf(parent);
  }

  /** Resolves when no turn of a thread and its sub-agents runs and every submission to them is handled. */
  async idle(threadId: string): Promise<void> {
    const working = () => {
      const threads = [this.get(threadId), ...this.descendantsOf(threadId)];
      return threads.flatMap((thread) => (thread === undefined || thread.session.isIdle ? [] : [thread.session]));
    };
    for (let busy = working(); busy.length > 0; busy = working()) {
      await Promise.all(busy.map((session) => session.idle()));
    }
  }

  /** False when no such thread is live. An interrupt also stops its sub-agents, the deepest first. */
  submit(threadId: string, op: Op, submissionId = `window-${++this.#submissions}`): boolean {
    const entry = this.#entries.get(threadId);
    if (entry === undefined) return false;
    if (op.type === 'interrupt') this.interruptChildren(threadId, submissionId);
    entry.session.submit({ id: submissionId, op });
    return true;
  }

  /** Interrupts its sub-agents and theirs, and not the thread itself. */
  interruptChildren(threadId: string, submissionId?: string): void {
    for (const { session } of this.childrenOf(threadId)) {
      this.submit(session.threadId, { type: 'interrupt' }, submissionId);
    }
  }

  /**
   * Ends the session of a thread, if it is live, after the sessions of its sub-agents, and removes it. `suspend`: it
   * can be resumed in its present state; `end`: its end is recorded.
   */
  async close(threadId: string, how: 'suspend' | 'end'): Promise<void> {
    const session = this.#entries.get(threadId)?.session;
    if (session === undefined) return;
    if (this.childrenOf(threadId).length > 0) await this.closeChildren(threadId, how);
    try {
      await (how === 'suspend' ? session.suspend() : session.dispose());
    } finally {
      this.remove(threadId, session);
    }
  }

  /** Ends the sessions of its sub-agents alone. */
  async closeChildren(threadId: string, how: 'suspend' | 'end'): Promise<void> {
    await Promise.all(this.childrenOf(threadId).map(({ session }) => this.close(session.threadId, how)));
  }

  /** Ends every session, each after its sub-agents. */
  async closeAll(how: 'suspend' | 'end'): Promise<void> {
    await Promise.all(this.roots.map(({ session }) => this.close(session.threadId, how)));
  }

  /** Removes a thread without ending its session; with `session`, only if that is its session. */
  remove(threadId: string, session?: Session): Session | undefined {
    const entry = this.#entries.get(threadId);
    if (!entry || (session !== undefined && entry.session !== session)) return undefined;
    this.#entries.delete(threadId);
    if (entry.hasStarted) this.#activity.fire();
    return entry.session;
  }

  dispose(): void {
    this.#news.dispose();
    this.#activity.dispose();
    this.#emitted.dispose();
  }

  #take(entry: Entry, event: Event): void {
    if (this.#news.isEmpty && defer(entry, event)) return;
    const before = stateOf(entry);
    entry.state = threadReducer(before, event);
    const { state } = entry;
    if (state === before) return;
    this.#news.fire({ event, before, state });
    const isSame = activityOf(before) === activityOf(state) && pendingIn(before) === pendingIn(state);
    if (isSame && before.title === state.title) return;
    if (entry.hasStarted && this.#entries.get(entry.session.threadId) === entry) this.#activity.fire();
  }
}

function stateOf(entry: Entry): ThreadState {
  if (entry.deferred) entry.state = threadReducer(entry.state, entry.deferred);
  entry.deferred = undefined;
  return entry.state;
}

/** Joins streamed text with a deferred text of the same item. Returns false for every other event. */
function defer(entry: Entry, event: Event): boolean {
  const { msg } = event;
  if (msg.type !== 'item_delta' || msg.kind === 'section_break') return false;
  const last = entry.deferred?.msg;
  const continues =
    last?.type === 'item_delta' && last.itemId === msg.itemId && last.kind === msg.kind && last.stream === msg.stream;
  if (!continues) stateOf(entry);
  const text = continues ? last.text + msg.text : msg.text;
  entry.deferred = { ...event, msg: { ...msg, text } };
  return true;
}
