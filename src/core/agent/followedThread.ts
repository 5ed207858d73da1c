import type { ThreadState } from '../../protocol/thread.ts';
import type { ReadOnlyReason } from '../../protocol/threads.ts';
import type { Clock } from '../ports.ts';
import type { ReaderUpdate } from '../rollout/threadReader.ts';

/** Reads a rollout that another process writes, or whose format is too new to be continued. */
export interface RolloutReader {
  readonly state: ThreadState;
  /** Reads what was appended since the last call. */
  poll(): Promise<ReaderUpdate>;
}

const POLL_INTERVAL_MS = 500;

/** A thread that can be shown but not continued here. It is read again and again while it is shown. */
export class FollowedThread {
  readonly threadId: string;
  readonly reason: ReadOnlyReason['type'];
  readonly #reader: RolloutReader;
  readonly #clock: Pick<Clock, 'after'>;
  #cancel: (() => void) | undefined;
  #isWatched = false;

  constructor(reader: RolloutReader, reason: ReadOnlyReason['type'], clock: Pick<Clock, 'after'>) {
    this.#reader = reader;
    this.#clock = clock;
    this.threadId = reader.state.threadId;
    this.reason = reason;
  }

  get state(): ThreadState {
    return this.#reader.state;
  }

  /** Calls `onUpdate` after every poll until `close`. */
  watch(onUpdate: (before: ThreadState, news: ReaderUpdate) => void, report: (error: unknown) => void): void {
    this.#isWatched = true;
    const poll = async () => {
      const before = this.state;
      const news = await this.#reader.poll();
      if (!this.#isWatched) return;
      onUpdate(before, news);
      this.#cancel = this.#clock.after(POLL_INTERVAL_MS, () => void poll().catch(report));
    };
    poll().catch(report);
  }

  close(): void {
    this.#isWatched = false;
    this.#cancel?.();
  }
}
