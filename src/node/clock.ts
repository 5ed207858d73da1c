import type { Clock } from '../core/ports.ts';
import { onAbort } from '../core/util/abort.ts';

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      let forget = () => {};
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, milliseconds);
      if (signal === undefined) return;
      forget = onAbort(signal, () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  },
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
