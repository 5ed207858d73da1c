/** Finds interrupted patches at start, and finishes them or rolls them back as the user chooses. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locks } from '../../core/ports.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import { isMissing, messageOf } from '../../core/util/fileErrors.ts';
import {
  isJournal,
  isSettledJournal,
  journalFolder,
  journalId,
  type JournalledTransition,
  type JournalRecord,
  keepJournal,
  readJournal,
  settleJournal,
} from './journal.ts';
import { type FileImage, imageOf, sameImage } from './fileImage.ts';
import { type DiskFolders, holdFolders } from './heldFolders.ts';
import { leftovers, removeName, reversed, settleTransition, type TransitionResult } from './transition.ts';
import { isMixture } from './mixture.ts';
import { isOfThisBoot, isRunning } from '../host/processIdentity.ts';
import { isPending, type Patience, withJournalLock, type Settlement } from './withJournalLock.ts';

export interface Recovery {
  /**
   * Files that were changed since, and are not touched. Their images before the patch are kept in the journal folder.
   */
  readonly leftAlone: readonly string[];
  /** Paths of these that a link now redirects to another place; absent when there are none. */
  readonly moved?: readonly string[];
}

/** The patch's change of one file. */
export interface CutChange {
  readonly path: string;
  readonly kind: 'add' | 'update' | 'delete';
}

/** A file that may be open and unsaved in an editor: its bytes before and after; `null` where it does not exist. */
export interface CutFile {
  readonly path: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  /** The images are of the editor's text, which stays unsaved. */
  readonly isUnsaved: boolean;
  /** The images are of the cells of a notebook; `file` and `removed` as in its journal. */
  readonly cells?: { readonly file: Uint8Array | null; readonly removed: Uint8Array | null };
}

/** Files that are open in an editor, with the result of recovering them there; they are not touched here. */
export type InEditor = ReadonlyMap<string, TransitionResult>;

/**
 * Called when the files on the disk are recovered. The journal is removed after it, so a crash before that asks again.
 */
export type OnDisk = () => Promise<void>;

export interface InterruptedApply {
  readonly id: string;
  readonly startedAt: Date;
  readonly changes: readonly CutChange[];
  readonly files: readonly CutFile[];
  /** Resolves to true while no process (another window, the command line) has settled it since it was found. */
  isPending(): Promise<boolean>;
  /** `act` runs in one process at a time, and not at all when the patch is settled. */
  settle<Result>(act: (ways: RecoveryChoices) => Promise<Result>, patience: Patience): Promise<Settlement<Result>>;
}

/** The recovery choices, for the process that holds the lock. */
export interface RecoveryChoices {
  /** Brings every file to its state after the patch. May be called again. */
  finish(inEditor?: InEditor, onDisk?: OnDisk): Promise<Recovery>;
  /** Brings every file to its state before the patch. May be called again. */
  rollback(inEditor?: InEditor, onDisk?: OnDisk): Promise<Recovery>;
}

/** Resolves to true if an editor holds unsaved text that differs from the side that all files on the disk have. */
export type HoldsAnother = (files: readonly CutFile[], side: 'before' | 'after') => Promise<boolean>;

/** Maximum wait for a process that is settling a patch; after it the patch is offered anyway. */
const LOOK_PATIENCE_MS = 2_000;

/**
 * Interrupted patches of ended processes. Those that had not begun, or were complete, are settled here without asking;
 * of the latter a power failure may have lost a part, and then they are interrupted patches, too. A journal that cannot
 * be read stays as it is, and `warn` gets a sentence about it: it may have the only copy of the images.
 */
export async function recoverJournals(
  home: string,
  locks: Pick<Locks, 'acquire'>,
  warn: (sentence: string) => void,
  holdsAnother: HoldsAnother = async () => false,
): Promise<readonly InterruptedApply[]> {
  const interrupted: InterruptedApply[] = [];
  for (const name of await journalNames(home)) {
    const path = join(journalFolder(home), name);
    const record = await readJournal(path).catch((error: unknown): 'unreadable' => {
      // Another process has settled it.
      if (!isMissing(error))
        warn(`The journal of a patch cannot be read and is left as it is: ${path}: ${messageOf(error)}`);
      return 'unreadable';
    });
    if (record === 'unreadable') continue;
    if (record === undefined) {
      await removeUnlessBeingWritten(path, name);
    } else if (!isRunning(record.owner)) {
      const known = isOfThisBoot(record.owner) ? record : maybeTorn(record);
      const found = offer(path, journalId(name), known, locks);
      if (isSettledJournal(name)) {
        if (withFolders((folders) => isWhole(known.transitions, folders))) await settleJournal(path, known.transitions);
        else interrupted.push(found);
      } else if (await isOpenQuestion(found, path, known, holdsAnother)) interrupted.push(found);
    }
  }
  return interrupted;
}

function maybeTorn(record: JournalRecord): JournalRecord {
  return { ...record, transitions: record.transitions.map((transition) => ({ ...transition, mayBeTorn: true })) };
}

/**
 * Returns true if the files of a settled patch are all before it or all after it. Files that hold anything else were
 * changed since. Without a power failure it is whole regardless of the files.
 */
function isWhole(transitions: readonly JournalledTransition[], folders: DiskFolders): boolean {
  const sides = new Set<'before' | 'after'>();
  for (const transition of transitions) {
    if (transition.mayBeTorn !== true) return true;
    if (transition.unsaved) continue;
    const now = imageAt(transition.path, folders);
    if (now === undefined) continue;
    const [isBefore, isAfter] = [sameImage(now, transition.before), sameImage(now, transition.after)];
    if (!isBefore && !isAfter && isMixture(now, transition)) return false;
    if (isBefore !== isAfter) sides.add(isBefore ? 'before' : 'after');
  }
  return sides.size < 2;
}

/** `undefined` where it cannot be read, or is reached through a link by now. */
function imageAt(path: string, folders: DiskFolders): FileImage | undefined {
  try {
    return imageOf(path, folders).image;
  } catch {
    return undefined;
  }
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
    settle: (act, patience) => withJournalLock(path, locks, () => act(ways), patience),
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
  // A file that was moved but not yet changed has the same content at its new place as it had at the old one.
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
  if (leftAlone.length === 0) await settleJournal(journal, transitions);
  else await keepJournal(journal).catch(() => {});
  return moved.length === 0 ? { leftAlone } : { leftAlone, moved };
}

/** Settles a patch without a choice when every path, in editors too, is on the same side of its transition. */
async function settleUndisputed(
  journal: string,
  { transitions }: JournalRecord,
  holdsAnother: HoldsAnother,
): Promise<boolean> {
  const files = cutFiles(transitions);
  for (const side of ['before', 'after'] as const) {
    if (!withFolders((folders) => allHold(transitions, side, folders)) || (await holdsAnother(files, side))) continue;
    withFolders((folders) => removeTemporaries(transitions, folders));
    await settleJournal(journal, transitions);
    return true;
  }
  return false;
}

/** Best effort: a temporary file that stays does no harm. */
function removeTemporaries(transitions: readonly JournalledTransition[], folders: DiskFolders): void {
  for (const name of transitions.flatMap(leftovers)) {
    try {
      removeName(name, folders);
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
  return transitions.flatMap(({ path, before, after, unsaved, cells }) => {
    const [old, now] = [bytesOf(before), bytesOf(after)];
    if (old === undefined || now === undefined) return [];
    if (cells === undefined) return [{ path, before: old, after: now, isUnsaved: unsaved === true }];
    const file = (cells.file && bytesOf(cells.file)) ?? null;
    const { removed } = cells;
    return [{ path, before: old, after: now, isUnsaved: cells.file === null, cells: { file, removed } }];
  });
}

/** `undefined` for a folder or a link. */
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
    const now = imageAt(transition.path, folders);
    return now !== undefined && sameImage(now, transition[side]);
  });
}

async function journalNames(home: string): Promise<readonly string[]> {
  try {
    return (await readdir(journalFolder(home))).filter(isJournal).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** An incomplete journal belongs to a running process if the pid at the end of its name does. */
async function removeUnlessBeingWritten(path: string, name: string): Promise<void> {
  const pid = Number(journalId(name).split('-').at(-1));
  if (!isRunning({ pid, bootId: null, startTime: null })) await rm(path, { force: true });
}
