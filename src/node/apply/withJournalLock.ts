/** One process at a time decides about an interrupted patch; the others wait and get the name of that process. */
import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locks } from '../../core/ports.ts';
import type { ThreadOwner } from '../../protocol/threads.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { journalId } from './journal.ts';

export interface Patience {
  /** Ends the wait for another process. */
  readonly signal: AbortSignal;
  /** Called once when another process holds the lock for long enough to be deciding, not only inspecting. */
  readonly onWait?: (owner: ThreadOwner) => void;
}

export type Settlement<Result> =
  | { readonly type: 'settled'; readonly result: Result }
  /** The patch is settled. `by`: the last process seen with the lock, if any. */
  | { readonly type: 'settled_elsewhere'; readonly by: ThreadOwner | null }
  /** Another process is still deciding, and `signal` has aborted. */
  | { readonly type: 'busy'; readonly owner: ThreadOwner };

const RETRY_MS = 50;
/** Inspecting a journal takes less. */
const REPORT_AFTER_MS = 1_000;

/** If the process ends during `act`, the journal stays, and the lock is taken over by the next process. */
export async function withJournalLock<Result>(
  journal: string,
  locks: Pick<Locks, 'acquire'>,
  act: () => Promise<Result>,
  { signal, onWait }: Patience,
): Promise<Settlement<Result>> {
  const beginning = performance.now();
  let owner: ThreadOwner | null = null;
  let hasReported = false;
  while (await isPending(journal)) {
    const attempt = await locks.acquire(`journal-${journalId(journal)}`);
    if (attempt.type === 'held') {
      try {
        // It may have been settled before the lock was acquired.
        if (await isPending(journal)) return { type: 'settled', result: await act() };
        break;
      } finally {
        await attempt.lock.release();
      }
    }
    owner = attempt.owner;
    if (signal.aborted) return { type: 'busy', owner };
    if (!hasReported && performance.now() - beginning >= REPORT_AFTER_MS) {
      hasReported = true;
      onWait?.(owner);
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
  }
  return { type: 'settled_elsewhere', by: owner };
}

/** Resolves to true if the journal is not settled yet. */
export async function isPending(journal: string): Promise<boolean> {
  try {
    await access(journal);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
