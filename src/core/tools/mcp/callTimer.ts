import type { Clock } from '../../ports.ts';

/** The time-out of one call, which is paused while the server waits for the user. */
export class CallTimer {
  readonly #clock: Clock;
  readonly #expired: () => void;
  #left: number;
  #since = 0;
  #waits = 0;
  #cancel = () => {};

  /** Starts at once. Milliseconds. */
  constructor(clock: Clock, timeoutMs: number, expired: () => void) {
    this.#clock = clock;
    this.#expired = expired;
    this.#left = timeoutMs;
    this.#run();
  }

  /** Pauses until `wait` settles. */
  async pausedFor<Result>(wait: () => Promise<Result>): Promise<Result> {
    if (this.#waits++ === 0) {
      this.#cancel();
      this.#left -= this.#clock.monotonic() - this.#since;
    }
    try {
      return await wait();
    } finally {
      if (--this.#waits === 0) this.#run();
    }
  }

  stop(): void {
    this.#waits = Number.POSITIVE_INFINITY;
    this.#cancel();
  }

  #run(): void {
    this.#since = this.#clock.monotonic();
    this.#cancel = this.#clock.after(Math.max(0, this.#left), this.#expired);
  }
}
