import type { Ports } from '../../src/core/ports.ts';

/**
 * A clock on which a wait of exactly `milliseconds` ends when `isOver` returns true, and no earlier: `isOver` gets the
 * number of such waits so far, this one included. All other waits take their normal time.
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
