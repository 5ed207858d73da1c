/** What a crash left half landed, found at start-up: to be finished or put back, as the person chooses. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './errors.ts';
import { JOURNAL_ENDING, journalFolder, keepJournal, readJournal, type JournalRecord } from './journal.ts';
import { imageOf, sameImage } from './landing/fileImage.ts';
import { reversed, settleTransition, type Transition } from './landing/transition.ts';
import { isRunning } from './processIdentity.ts';

export interface Recovery {
  /** Files somebody worked on since: not touched. What they held before the landing is kept in the journal folder. */
  readonly leftAlone: readonly string[];
}

export interface InterruptedLanding {
  readonly id: string;
  readonly startedAt: Date;
  readonly paths: readonly string[];
  /** Every file as the patch wanted it. May be called again. */
  finish(): Promise<Recovery>;
  /** Every file as it was before. May be called again. */
  putBack(): Promise<Recovery>;
}

/**
 * Landings of processes that are no more. Those that had not begun, or only failed to say that they were done, are
 * settled here without a question.
 */
export async function recoverJournals(home: string): Promise<readonly InterruptedLanding[]> {
  const interrupted: InterruptedLanding[] = [];
  for (const name of await journalNames(home)) {
    const path = join(journalFolder(home), name);
    const record = await readJournal(path).catch(() => undefined);
    if (record === undefined) {
      await removeUnlessBeingWritten(path, name);
    } else if (!isRunning(record.owner) && !(await settleUndisputed(path, record))) {
      interrupted.push(offer(path, name.slice(0, -JOURNAL_ENDING.length), record));
    }
  }
  return interrupted;
}

function offer(path: string, id: string, { transitions, startedAt }: JournalRecord): InterruptedLanding {
  return {
    id,
    startedAt: new Date(startedAt),
    paths: transitions.filter(({ after }) => after.type !== 'folder').map((transition) => transition.path),
    finish: () => settle(path, transitions),
    putBack: () => settle(path, transitions.toReversed().map(reversed)),
  };
}

async function settle(journal: string, transitions: readonly Transition[]): Promise<Recovery> {
  const leftAlone: string[] = [];
  for (const transition of transitions) {
    if (settleTransition(transition) === 'left_alone') leftAlone.push(transition.path);
  }
  if (leftAlone.length === 0) await rm(journal, { force: true });
  else await keepJournal(journal).catch(() => {});
  return { leftAlone };
}

/** When every path holds the same side of its transition there is nothing to choose. */
async function settleUndisputed(journal: string, { transitions }: JournalRecord): Promise<boolean> {
  if (!allHold(transitions, 'before') && !allHold(transitions, 'after')) return false;
  for (const { temporaryPath } of transitions) await rm(temporaryPath, { force: true });
  await rm(journal, { force: true });
  return true;
}

function allHold(transitions: readonly Transition[], side: 'before' | 'after'): boolean {
  return transitions.every((transition) => {
    try {
      return sameImage(imageOf(transition.path).image, transition[side]);
    } catch {
      return false;
    }
  });
}

async function journalNames(home: string): Promise<readonly string[]> {
  try {
    return (await readdir(journalFolder(home))).filter((name) => name.endsWith(JOURNAL_ENDING)).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The number of the writing process stands at the end of the name, for just this case. */
async function removeUnlessBeingWritten(path: string, name: string): Promise<void> {
  const pid = Number(name.slice(0, -JOURNAL_ENDING.length).split('-').at(-1));
  try {
    process.kill(pid, 0);
  } catch {
    await rm(path, { force: true });
  }
}
