import type { ThreadState } from '../../protocol/thread.ts';
import type { AgentRow } from '../../protocol/wire.ts';
import { agentRows, type KnownThreads } from './agentRows.ts';
import type { LiveThread, LiveThreads } from './liveThreads.ts';
import { activityOf, pendingIn, type ThreadActivity } from './threadActivity.ts';

/** A root thread that waits for the user. */
export interface WaitingRoot {
  readonly thread: ThreadState;
  /** The root thread itself, or the first of its sub-agents that waits for the user. */
  readonly asking: ThreadState;
  /** True if the thread or one of its sub-agents is shown. */
  readonly isShown: boolean;
}

/** Counts and lists the activity and pending requests of all live threads, for a window that shows one of them. */
export class ThreadOverview {
  readonly #live: LiveThreads;
  readonly #shown: () => ThreadState | null;

  readonly #changedInCopy: KnownThreads['changedInCopy'];

  /** `shown`: the thread that the window shows. */
  constructor(live: LiveThreads, shown: () => ThreadState | null, changedInCopy: KnownThreads['changedInCopy']) {
    this.#live = live;
    this.#shown = shown;
    this.#changedInCopy = changedInCopy;
  }

  /** The sub-agents of the shown thread. */
  get agents(): readonly AgentRow[] {
    const shown = this.#shown();
    if (shown === null) return [];
    return agentRows(shown, {
      live: (threadId) => this.#live.get(threadId)?.state,
      changedInCopy: this.#changedInCopy,
    });
  }

  /** Returns true if the shown thread is an ancestor of the thread. */
  isBelowShown({ started }: Pick<ThreadState, 'started'>): boolean {
    const shownId = this.#shown()?.threadId;
    let parentId = started?.parentId;
    while (parentId !== undefined && parentId !== shownId) {
      parentId = this.#live.get(parentId)?.session.parentId ?? undefined;
    }
    return parentId !== undefined;
  }

  /** The activity of a live thread including its sub-agents, and the one of them that waits for the user. */
  activityWithAgents(threadId: string): {
    readonly activity: ThreadActivity;
    readonly asking: ThreadState | undefined;
  } {
    const live = this.#live;
    const thread = live.get(threadId);
    const family = thread ? [thread, ...live.descendantsOf(threadId)] : [];
    const asking = family.find(({ state }) => activityOf(state) === 'waiting')?.state;
    return { activity: thread ? live.activityOf(thread) : 'idle', asking };
  }

  /** The live thread with this pending approval, by its own id or that of its item; otherwise the shown thread. */
  asking(id: string): ThreadState | null {
    const asks = ({ approvals }: ThreadState) =>
      approvals.some(({ approvalId, itemId }) => approvalId === id || itemId === id);
    return this.waiting.find(asks) ?? this.#shown();
  }

  /** Root threads that wait for the user, themselves or by a sub-agent, the shown one first. */
  get waitingRoots(): readonly WaitingRoot[] {
    const live = this.#live;
    const shown = this.#shownRoot;
    const all = live.roots.flatMap((root): WaitingRoot[] => {
      const { asking } = this.activityWithAgents(root.session.threadId);
      return asking ? [{ thread: root.state, asking, isShown: root === shown }] : [];
    });
    return all.toSorted((left, right) => Number(right.isShown) - Number(left.isShown));
  }

  /** The number of root threads that are running, themselves or by their sub-agents. */
  get running(): number {
    const live = this.#live;
    return live.roots.filter((root) => live.activityOf(root) !== 'idle').length;
  }

  get #shownRoot(): LiveThread | undefined {
    const live = this.#live;
    const state = this.#shown();
    const shown = state && live.get(state.threadId);
    return shown ? live.rootOf(shown) : undefined;
  }

  /** Threads and sub-agents with pending requests, the shown one first. */
  get waiting(): readonly ThreadState[] {
    const shown = this.#shown();
    const waiting = this.#live.states.filter((state) => activityOf(state) === 'waiting');
    return waiting.toSorted((left, right) => Number(right === shown) - Number(left === shown));
  }

  /** The number of pending requests of all live threads. */
  get questions(): number {
    return this.#live.states.reduce((sum, state) => sum + pendingIn(state), 0);
  }

  /** The numbers of waiting and running root threads that are not shown, sub-agents included. */
  get elsewhere(): { readonly waiting: number; readonly running: number } {
    const live = this.#live;
    const root = this.#shownRoot;
    const others = live.roots.filter((thread) => thread !== root);
    const activities = others.map((thread) => live.activityOf(thread));
    const count = (wanted: ThreadActivity) => activities.filter((activity) => activity === wanted).length;
    return { waiting: count('waiting'), running: count('running') };
  }
}
