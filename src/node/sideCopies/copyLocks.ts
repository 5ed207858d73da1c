import type { HeldLock, Locks } from '../../core/ports.ts';

/** The name of the lock of a side copy. */
export function copyLock(id: string): string {
  return `copy-${id}`;
}

/** Runs `act` while this process holds all these locks. False, without a run, where another one holds one of them. */
export async function holding(
  locks: Pick<Locks, 'acquire'>,
  names: readonly string[],
  act: () => Promise<unknown>,
): Promise<boolean> {
  const held: HeldLock[] = [];
  try {
    for (const name of names) {
      const attempt = await locks.acquire(name);
      if (attempt.type === 'owned') return false;
      held.push(attempt.lock);
    }
    await act();
    return true;
  } finally {
    for (const lock of held) await lock.release();
  }
}
