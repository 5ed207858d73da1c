import type { Clock } from '../ports.ts';

/** The pause before the next attempt of a request, which the user may end early. At most one at a time. */
export class RetryPause {
  readonly #clock: Pick<Clock, 'sleep'>;
  #early: AbortController | null = null;

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock;
  }

  /** Rejects with the reason of the signal when that aborts. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const early = new AbortController();
    this.#early = early;
    try {
      await this.#clock.sleep(milliseconds, AbortSignal.any([signal, early.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (!early.signal.aborted) throw error;
    } finally {
      this.#early = null;
    }
  }

  /** Starts the next attempt now. False when no attempt waits. */
  end(): boolean {
    if (this.#early === null) return false;
    this.#early.abort();
    return true;
  }
}
