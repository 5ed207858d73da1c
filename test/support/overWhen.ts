import type { Ports } from '../../src/core/ports.ts';

/**
 * Returns a clock on which a wait of exactly `milliseconds` ends as soon as `isOver` returns true, and not before.
 * `isOver` gets the number of such waits so far, including this one. All other waits take their normal time.
 */
export function overWhen(milliseconds: number, isOver: (waits: number) => boolean): (ports: Ports) => Partial<Ports> {
  let waits = 0;
  return ({ clock }) => ({
    clock: {
      ...clock,
      after(wanted, action) {
        if (wanted !== milliseconds) return clock.after(wanted, action);
        const wait = ++waits;
        const timer = setInterval(() => {
          if (!isOver(wait)) return;
          clearInterval(timer);
          action();
        }, 5);
        return () => clearInterval(timer);
      },
    },
  });
}
