import type { ShownThread } from '../../core/agent/shownThread.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { AgentRow } from '../../protocol/wire.ts';

/** Milliseconds between two updates: agents stream, and their rows are read by a human. */
const PAUSE_MS = 200;

/** Posts the sub-agents of the shown thread after each change of one of them; a new request at once. */
export class AgentUpdates implements Disposable {
  readonly #store = new DisposableStore();
  readonly #threads: ShownThread;
  readonly #post: (rows: readonly AgentRow[]) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(threads: ShownThread, post: (rows: readonly AgentRow[]) => void) {
    this.#threads = threads;
    this.#post = post;
    this.#store.add(
      threads.onEvent(({ event: { msg, threadId }, state }) => {
        const isShown = threadId === threads.state?.threadId;
        if (isShown ? msg.type !== 'agent_status' : state.started?.parentId === undefined) return;
        if (URGENT.has(msg.type)) this.#update();
        else this.#timer ??= setTimeout(() => this.#update(), PAUSE_MS);
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  #update(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#post(this.#threads.agents);
  }
}

const URGENT: ReadonlySet<string> = new Set([
  'agent_status',
  'approval_requested',
  'approval_resolved',
  'question_requested',
  'question_resolved',
]);
