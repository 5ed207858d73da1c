import type { ShownThread } from '../../core/agent/shownThread.ts';
import type { ThreadOverview } from '../../core/agent/threadOverview.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { AgentRow } from '../../protocol/wire.ts';

/** Milliseconds between two updates: no user reads rows faster, and agents stream. */
const PAUSE_MS = 200;

type Threads = Pick<ShownThread, 'onEvent' | 'state'> & {
  readonly overview: Pick<ThreadOverview, 'agents' | 'isBelowShown'>;
};

/** Posts the sub-agents of the shown thread when the row of one of them has changed; a new request at once. */
export class AgentUpdates implements Disposable {
  readonly #store = new DisposableStore();
  readonly #threads: Threads;
  readonly #post: (rows: readonly AgentRow[]) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** As JSON. */
  #posted: string | undefined;

  constructor(threads: Threads, post: (rows: readonly AgentRow[]) => void) {
    this.#threads = threads;
    this.#post = post;
    this.#store.add(
      threads.onEvent(({ event: { msg, threadId }, state }) => {
        const isShown = threadId === threads.state?.threadId;
        if (isShown ? msg.type !== 'agent_status' : !threads.overview.isBelowShown(state)) return;
        if (URGENT.has(msg.type)) this.update();
        else this.#timer ??= setTimeout(() => this.update(), PAUSE_MS);
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  /** Posts the rows even if they have not changed, for a page that was loaded again. */
  post(): void {
    this.#posted = undefined;
    this.update();
  }

  /** Call when a row may have changed without an event. */
  update(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { agents } = this.#threads.overview;
    const json = JSON.stringify(agents);
    if (json === this.#posted) return;
    this.#posted = json;
    this.#post(agents);
  }
}

const URGENT: ReadonlySet<string> = new Set([
  'agent_status',
  'approval_requested',
  'approval_reviewed',
  'approval_resolved',
  'question_requested',
  'question_resolved',
]);
