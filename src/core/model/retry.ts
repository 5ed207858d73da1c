/**
 * Decides how often and after which pause a request is retried (docs/cli.md, "Faults"). The SDK and the client never
 * retry, so attempts do not multiply.
 */
import { ModelFault } from './client.ts';
import { describeDuration } from './describeDuration.ts';

export interface RetryLimits {
  /** Attempts of one request, including the first. */
  readonly maxAttempts: number;
  /** The total pause between all attempts of one request. */
  readonly maxWaitMs: number;
}

export const DEFAULT_RETRY_LIMITS: RetryLimits = { maxAttempts: 6, maxWaitMs: 60_000 };

const FIRST_PAUSE_MS = 200;
/** For a server that reports too many requests but no delay. */
const FIRST_RATE_LIMIT_PAUSE_MS = 1000;

export type RetryDecision =
  /** `attempt` (from 1) failed; the next one may start after `delayMs`. */
  | { readonly type: 'retry'; readonly attempt: number; readonly of: number; readonly delayMs: number }
  /** The fault to show: the given one, or one that adds why there is no further attempt. */
  | { readonly type: 'give_up'; readonly fault: ModelFault };

/** The retry state of one request. Reads no clock; `random` is in [0, 1). */
export class RetrySchedule {
  readonly #limits: RetryLimits;
  readonly #random: () => number;
  #failed = 0;
  #waitedMs = 0;

  constructor(random: () => number, limits: Partial<RetryLimits> = {}) {
    this.#random = random;
    this.#limits = { ...DEFAULT_RETRY_LIMITS, ...limits };
  }

  /** Call once for each failed attempt, before waiting. */
  next(fault: ModelFault): RetryDecision {
    this.#failed += 1;
    if (!fault.retryable) return { type: 'give_up', fault };

    const { maxAttempts, maxWaitMs } = this.#limits;
    const pauseMs = this.#pauseAfter(fault);
    if (fault.retryAfterMs !== undefined && fault.retryAfterMs > maxWaitMs) {
      const asked = describeDuration(fault.retryAfterMs);
      return giveUp(fault, `The server asked to retry after ${asked}.`);
    }
    if (this.#failed >= maxAttempts) {
      return maxAttempts === 1 ? { type: 'give_up', fault } : giveUp(fault, `Tried ${maxAttempts} times.`);
    }
    if (this.#waitedMs + pauseMs > maxWaitMs) {
      const waited = describeDuration(this.#waitedMs);
      const pause = describeDuration(pauseMs);
      return giveUp(fault, `Tried ${this.#failed} times over ${waited}; the next try would have to wait ${pause}.`);
    }
    this.#waitedMs += pauseMs;
    return { type: 'retry', attempt: this.#failed, of: maxAttempts, delayMs: pauseMs };
  }

  #pauseAfter(fault: ModelFault): number {
    // A delay of "0 seconds" is respected, but with a minimum pause.
    if (fault.retryAfterMs !== undefined) return Math.max(fault.retryAfterMs, FIRST_PAUSE_MS);
    const first = fault.kind === 'rate_limited' ? FIRST_RATE_LIMIT_PAUSE_MS : FIRST_PAUSE_MS;
    const jitter = 0.9 + this.#random() * 0.2;
    return Math.round(first * 2 ** (this.#failed - 1) * jitter);
  }
}

function giveUp(fault: ModelFault, why: string): RetryDecision {
  return {
    type: 'give_up',
    fault: new ModelFault(fault.kind, `${fault.message} ${why}`, {
      retryable: false,
      retryAfterMs: fault.retryAfterMs,
      status: fault.status,
      detail: fault.detail,
      action: fault.action ?? 'retry',
      cause: fault,
    }),
  };
}
