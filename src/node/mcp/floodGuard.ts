import { MAX_UNASKED } from './limits.ts';

/** Counts messages that Tiller did not ask for. */
export class FloodGuard {
  readonly #now: () => number;
  #since = 0;
  #count = 0;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  /** Returns true when there are too many. A response to a request of Tiller does not count. */
  isFlooded(message: object): boolean {
    if ('result' in message || 'error' in message) return false;
    const now = this.#now();
    if (now - this.#since > MAX_UNASKED.withinMs) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count++;
    return this.#count > MAX_UNASKED.messages;
  }
}
