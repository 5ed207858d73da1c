/** One process at a time decides what becomes of a journal that a crash has left; the others wait, and hear who it is. */
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locks } from '../../core/ports.ts';
import type { ThreadOwner } from '../../protocol/threads.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { JOURNAL_ENDING } from './journal.ts';

export interface Patience {
  /** Gives up waiting for whoever else decides. */
  readonly signal: AbortSignal;
  /** Told once that there is somebody to wait for, and not of those who only look. */
  readonly onWait?: (owner: ThreadOwner) => void;
}

export type Settlement<Result> =
  | { readonly type: 'settled'; readonly result: Result }
  /** There is nothing to decide any more. `by`: who had it last, where that was seen. */
  | { readonly type: 'settled_elsewhere'; readonly by: ThreadOwner | null }
  /** Somebody else still decides, and patience is at its end. */
  | { readonly type: 'busy'; readonly owner: ThreadOwner };

const RETRY_MS = 50;
/** A look at what is left takes less. */
const TELL_AFTER_MS = 1_000;

/** Of one that dies in it the journal and, to whoever asks next, the lock are left. */
export async function settleAlone<Result>(
  journal: string,
  locks: Pick<Locks, 'acquire'>,
  act: () => Promise<Result>,
  { signal, onWait }: Patience,
): Promise<Settlement<Result>> {
  const beginning = performance.now();
  let owner: ThreadOwner | null = null;
  let isTold = false;
  while (await isPending(journal)) {
    const attempt = await locks.acquire(`journal-${basename(journal, JOURNAL_ENDING)}`);
    if (attempt.type === 'held') {
      try {
        // Between the look and the lock it may have been settled.
        if (await isPending(journal)) return { type: 'settled', result: await act() };
        break;
      } finally {
        await attempt.lock.release();
      }
    }
    owner = attempt.owner;
    if (signal.aborted) return { type: 'busy', owner };
    if (!isTold && performance.now() - beginning >= TELL_AFTER_MS) {
      isTold = true;
      onWait?.(owner);
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
  }
  return { type: 'settled_elsewhere', by: owner };
}

/** Whether nobody has settled it yet. */
export async function isPending(journal: string): Promise<boolean> {
  try {
    await access(journal);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
