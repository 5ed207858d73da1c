/** A thread whose events a test emits. */
import type { ThreadChange } from '../../../src/core/agent/shownThread.ts';
import { Emitter } from '../../../src/core/util/emitter.ts';
import type { Event, EventMsg } from '../../../src/protocol/event.ts';
import { initialThreadState, type ThreadState } from '../../../src/protocol/thread.ts';
import { threadReducer } from '../../../src/protocol/threadReducer.ts';

const report = (error: unknown): never => {
  throw error;
};

export class EmittedThread {
  readonly target = { threadId: 't', starting: undefined };
  readonly #changes = new Emitter<ThreadChange>(report);
  readonly #events = new Emitter<{ event: Event; before: ThreadState; state: ThreadState }>(report);
  readonly onChange = this.#changes.event;
  readonly onEvent = this.#events.event;
  state = initialThreadState('t');
  #seq = 0;

  constructor(cwd: string) {
    this.emit({ type: 'thread_started', cwd } as never, null);
    this.emit({ type: 'turn_started', settings: { cwd }, contextWindow: null } as never);
  }

  emit(msg: EventMsg, turnId: string | null = 'turn'): void {
    const event: Event = { v: 1, seq: ++this.#seq, at: '', threadId: 't', turnId, submissionId: null, msg };
    const before = this.state;
    this.state = threadReducer(before, event);
    const update = { event, before, state: this.state };
    this.#changes.fire({ type: 'event', ...update });
    this.#events.fire(update);
  }

  /** A patch that was applied. */
  patched(path: string, diff: string): void {
    const changes = [{ path, kind: 'update' as const, added: 1, removed: 1 }];
    const item = { id: `i${this.#seq}`, type: 'file_change' as const, callId: 'c', status: 'completed' as const };
    this.emit({ type: 'item_completed', item: { ...item, changes, diff } });
  }
}
