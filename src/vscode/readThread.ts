import type { ReaderNews } from '../core/rollout/threadReader.ts';
import type { ThreadState } from '../protocol/thread.ts';
import type { ReadOnlyReason } from '../protocol/threads.ts';

/** Looks at a rollout that somebody else writes, or that is too new to be continued. */
export interface RolloutReader {
  readonly state: ThreadState;
  /** What was written since the last look. */
  poll(): Promise<ReaderNews>;
}

/** How often somebody else's thread is looked at. */
const LOOK_MS = 500;

/** A thread that is shown and cannot be continued here; it goes on before the eyes of the person all the same. */
export class ReadThread {
  readonly threadId: string;
  readonly reason: ReadOnlyReason['type'];
  readonly #reader: RolloutReader;
  #timer: NodeJS.Timeout | undefined;
  #isWatched = false;

  constructor(reader: RolloutReader, reason: ReadOnlyReason['type']) {
    this.#reader = reader;
    this.threadId = reader.state.threadId;
    this.reason = reason;
  }

  get state(): ThreadState {
    return this.#reader.state;
  }

  /** Until `close`. */
  watch(onNews: (before: ThreadState, news: ReaderNews) => void, report: (error: unknown) => void): void {
    this.#isWatched = true;
    const look = async () => {
      const before = this.state;
      const news = await this.#reader.poll();
      if (!this.#isWatched) return;
      onNews(before, news);
      this.#timer = setTimeout(() => void look().catch(report), LOOK_MS);
    };
    look().catch(report);
  }

  close(): void {
    this.#isWatched = false;
    clearTimeout(this.#timer);
  }
}
