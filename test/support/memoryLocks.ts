/** A working fake of `Locks` for a single process. */
import type { Locks } from '../../src/core/ports.ts';

export function memoryLocks(): Locks {
  const held = new Map<string, () => void>();
  const owner = { pid: 1, name: 'test', since: '2026-11-21T00:00:00.000Z' };
  return {
    async acquire(name, onAsked = () => {}) {
      if (held.has(name)) return { type: 'owned', owner };
      held.set(name, onAsked);
      return { type: 'held', lock: { release: async () => void held.delete(name) } };
    },
    async ask(name) {
      held.get(name)?.();
      return async () => {};
    },
    async owners() {
      return new Map([...held.keys()].map((name) => [name, { ...owner, mine: true }]));
    },
  };
}
