import type { Clock } from '../../core/ports.ts';
import { onAbort } from '../../core/util/abort.ts';

/** The longest timer of Node: one with more milliseconds fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      let forget = () => {};
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, timerOf(milliseconds));
      if (signal === undefined) return;
      forget = onAbort(signal, () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  },
  after(milliseconds, callback) {
    const timer = setTimeout(callback, timerOf(milliseconds));
    return () => clearTimeout(timer);
  },
};

/** A wait of more than 24 days ends after 24 days. */
function timerOf(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST_TIMER_MS);
}
