/** What a crash left half landed, found at start-up: to be finished or put back, as the person chooses. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locks } from '../../core/ports.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import {
  JOURNAL_ENDING,
  type JournalledTransition,
  type JournalRecord,
  journalFolder,
  keepJournal,
  readJournal,
} from './journal.ts';
import { type FileImage, imageOf, sameImage } from './fileImage.ts';
import { type DiskFolders, holdFolders } from './heldFolders.ts';
import { removeName, reversed, settleTransition, type TransitionResult } from './transition.ts';
import { isRunning } from '../host/processIdentity.ts';
import { isPending, type Patience, settleAlone, type Settlement } from './withJournalLock.ts';

export interface Recovery {
  /** Files somebody worked on since: not touched. What they held before the landing is kept in the journal folder. */
  readonly leftAlone: readonly string[];
  /** Those of them that are reached by a link now, so that they would be written elsewhere; absent where there are none. */
  readonly moved?: readonly string[];
}

/** What the patch was to do to one file. */
export interface CutChange {
  readonly path: string;
  readonly kind: 'add' | 'update' | 'delete';
}

/** A file that an editor may hold open, unsaved: its bytes on either side; `null` where it does not exist. */
export interface CutFile {
  readonly path: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  /** The editor's text is meant, which stays unsaved. */
  readonly isUnsaved: boolean;
}

/** Files that stand in an editor, which has brought them where they belong, or could not: they are not touched here. */
export type InEditor = ReadonlyMap<string, TransitionResult>;

/** Called when the files are where they belong. The journal goes after it: whoever is cut off here is asked again. */
export type OnDisk = () => Promise<void>;

export interface InterruptedApply {
  readonly id: string;
  readonly startedAt: Date;
  readonly changes: readonly CutChange[];
  readonly files: readonly CutFile[];
  /** Whether nobody has settled it since it was found: another window, the command line. */
  isPending(): Promise<boolean>;
  /** `act` runs in one process at a time, and in none when there is nothing to decide any more. */
  settle<Result>(act: (ways: RecoveryChoices) => Promise<Result>, patience: Patience): Promise<Settlement<Result>>;
}

/** What only the one process that decides can do. */
export interface RecoveryChoices {
  /** Every file as the patch wanted it. May be called again. */
  finish(inEditor?: InEditor, onDisk?: OnDisk): Promise<Recovery>;
  /** Every file as it was before. May be called again. */
  rollback(inEditor?: InEditor, onDisk?: OnDisk): Promise<Recovery>;
}

/** Whether an editor holds something else, unsaved, than the side that all files on the disk hold. */
export type HoldsAnother = (files: readonly CutFile[], side: 'before' | 'after') => Promise<boolean>;

/** For somebody who is deciding already: what then is left is asked about. */
const LOOK_PATIENCE_MS = 2_000;

/**
 * Landings of processes that are no more. Those that had not begun, or only failed to say that they were done, are
 * settled here without a question.
 */
export async function recoverJournals(
  home: string,
  locks: Pick<Locks, 'acquire'>,
  holdsAnother: HoldsAnother = async () => false,
): Promise<readonly InterruptedApply[]> {
  const interrupted: InterruptedApply[] = [];
  for (const name of await journalNames(home)) {
    const path = join(journalFolder(home), name);
    const record = await readJournal(path).catch(() => undefined);
    if (record === undefined) {
      await removeUnlessBeingWritten(path, name);
    } else if (!isRunning(record.owner)) {
      const found = offer(path, name.slice(0, -JOURNAL_ENDING.length), record, locks);
      if (await isOpenQuestion(found, path, record, holdsAnother)) interrupted.push(found);
    }
  }
  return interrupted;
}

function offer(
  path: string,
  id: string,
  { transitions, startedAt }: JournalRecord,
  locks: Pick<Locks, 'acquire'>,
): InterruptedApply {
  const ways: RecoveryChoices = {
    finish: (...editor) => settle(path, transitions, ...editor),
    rollback: (...editor) => settle(path, transitions.toReversed().map(backwards), ...editor),
  };
  return {
    id,
    startedAt: new Date(startedAt),
    changes: transitions.filter(({ after }) => after.type !== 'folder').map(changeOf),
    files: cutFiles(transitions),
    isPending: () => isPending(path),
    settle: (act, patience) => settleAlone(path, locks, () => act(ways), patience),
  };
}

async function isOpenQuestion(
  found: InterruptedApply,
  path: string,
  record: JournalRecord,
  holdsAnother: HoldsAnother,
): Promise<boolean> {
  const patience = { signal: AbortSignal.timeout(LOOK_PATIENCE_MS) };
  const looked = await found.settle(() => settleUndisputed(path, record, holdsAnother), patience);
  switch (looked.type) {
    case 'settled':
      return !looked.result;
    case 'settled_elsewhere':
      return false;
    case 'busy':
      return true;
    default:
      return assertNever(looked);
  }
}

function changeOf({ path, before, after }: JournalledTransition): CutChange {
  if (before.type === 'absent') return { path, kind: 'add' };
  return { path, kind: after.type === 'absent' ? 'delete' : 'update' };
}

function backwards(transition: JournalledTransition): JournalledTransition {
  return { ...transition, ...reversed(transition) };
}

async function settle(
  journal: string,
  transitions: readonly JournalledTransition[],
  inEditor: InEditor = new Map(),
  onDisk: OnDisk = async () => {},
): Promise<Recovery> {
  // A file that was moved and not yet changed holds at its new place what it held at the old one.
  const known = transitions.flatMap(({ before, after }) => [before, after]).filter(({ type }) => type === 'file');
  const results = withFolders((folders) =>
    transitions.map((transition) => {
      const { path, unsaved } = transition;
      const result = inEditor.get(path) ?? (unsaved ? 'done' : settleTransition(transition, folders, known));
      return { path, result };
    }),
  );
  await onDisk();
  const leftAlone = results.filter(({ result }) => result !== 'done').map(({ path }) => path);
  const moved = results.filter(({ result }) => result === 'moved').map(({ path }) => path);
  if (leftAlone.length === 0) await rm(journal, { force: true });
  else await keepJournal(journal).catch(() => {});
  return moved.length === 0 ? { leftAlone } : { leftAlone, moved };
}

/** When every path holds the same side of its transition, in editors too, there is nothing to choose. */
async function settleUndisputed(
  journal: string,
  { transitions }: JournalRecord,
  holdsAnother: HoldsAnother,
): Promise<boolean> {
  const files = cutFiles(transitions);
  for (const side of ['before', 'after'] as const) {
    if (!withFolders((folders) => allHold(transitions, side, folders)) || (await holdsAnother(files, side))) continue;
    withFolders((folders) => removeTemporaries(transitions, folders));
    await rm(journal, { force: true });
    return true;
  }
  return false;
}

/** One that cannot be removed is in nobody's way. */
function removeTemporaries(transitions: readonly JournalledTransition[], folders: DiskFolders): void {
  for (const { temporaryPath } of transitions) {
    try {
      removeName(temporaryPath, folders);
    } catch {
      // It stays.
    }
  }
}

function withFolders<Result>(act: (folders: DiskFolders) => Result): Result {
  const folders = holdFolders();
  try {
    return act(folders);
  } finally {
    folders.dispose();
  }
}

function cutFiles(transitions: readonly JournalledTransition[]): readonly CutFile[] {
  return transitions.flatMap(({ path, before, after, unsaved }) => {
    const [old, now] = [bytesOf(before), bytesOf(after)];
    const isUnsaved = unsaved === true;
    return old === undefined || now === undefined ? [] : [{ path, before: old, after: now, isUnsaved }];
  });
}

/** Of neither a folder nor a link. */
function bytesOf(image: FileImage): Uint8Array | null | undefined {
  if (image.type === 'file') return image.bytes;
  return image.type === 'absent' ? null : undefined;
}

function allHold(
  transitions: readonly JournalledTransition[],
  side: 'before' | 'after',
  folders: DiskFolders,
): boolean {
  return transitions.every((transition) => {
    if (transition.unsaved) return true;
    try {
      return sameImage(imageOf(transition.path, folders).image, transition[side]);
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
