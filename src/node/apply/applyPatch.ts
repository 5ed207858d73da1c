/** Applies changes on disk as a transaction: all of them or none (docs/design.md decision 4). */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ApplyResult, DecidedChange, FileChange } from '../../core/ports.ts';
import { ApplyRefused, movedPaths, placeChange, PlaceMoved, placesOf } from '../../core/patch/placedChange.ts';
import { describeFileError, messageOf } from '../../core/util/fileErrors.ts';
import { journalFolder, openJournal, type OpenJournal } from './journal.ts';
import { DiskPaths } from './canonicalPath.ts';
import { type DiskFolders, holdFolders, withPlaces } from './heldFolders.ts';
import { FILES_AT_ONCE } from './limits.ts';
import { PathLock } from '../../core/util/pathLock.ts';
import { planApply } from './plan.ts';
import type { PlannedStep } from './step.ts';
import {
  ChangedSince,
  type KeptOriginal,
  makeTransition,
  removeName,
  reversed,
  settleTransition,
  type Transition,
} from './transition.ts';

export interface ApplyOptions {
  /** TILLER_HOME, for the journal. */
  readonly home: string;
  /** Called before each step; an error it throws counts as a failure of that step. For tests. */
  readonly beforeStep?: ((path: string, index: number) => void | Promise<void>) | undefined;
}

let hasApplied = false;

/** Returns true if this process has applied a patch. */
export const hasAppliedPatch = (): boolean => hasApplied;

/** For the whole process: two workspaces may contain the same file. */
export const applyLock = new PathLock();

/** Never rejects, except when `signal` aborts before the first write. */
export async function applyPatch(
  changes: readonly DecidedChange[],
  options: ApplyOptions,
  signal?: AbortSignal,
): Promise<ApplyResult> {
  signal?.throwIfAborted();
  const folders = holdFolders();
  let release: (() => void) | undefined;
  try {
    const placed = changes.map((change) => placeChange(change));
    release = await applyLock.acquire(
      placed.flatMap((change) => placesOf(change)),
      signal,
    );
    const moved = await movedPaths(changes, new DiskPaths());
    if (moved.length > 0) return { type: 'stale', paths: moved };
    const plan = await planApply(placed, folders);
    if (plan.type === 'stale') return plan;
    signal?.throwIfAborted();
    const failure = await runSteps(plan.steps, folders, options, signal);
    hasApplied ||= failure === undefined;
    return failure ?? { type: 'applied', files: changes.map(appliedFile) };
  } catch (error) {
    if (signal?.aborted && error === signal.reason) throw error;
    if (error instanceof PlaceMoved) return { type: 'stale', paths: [error.place] };
    return failed(error instanceof ApplyRefused ? error.message : `The changes were not made: ${messageOf(error)}`);
  } finally {
    folders.dispose();
    release?.();
  }
}

/**
 * Makes all steps or none, with a journal. Returns undefined on success, otherwise the failure. @throws ApplyRefused, or
 * the signal's reason before the first step
 */
export async function runSteps(
  steps: readonly PlannedStep[],
  folders: DiskFolders,
  { home, beforeStep }: ApplyOptions,
  signal?: AbortSignal,
): Promise<ApplyResult | undefined> {
  const id = `${randomUUID()}-${process.pid}`;
  const journal = await openJournal(home, id, steps, signal).catch((error: unknown) => {
    if (signal?.aborted && error === signal.reason) throw error;
    throw new ApplyRefused(`The changes were not made: ${describeFileError(error, journalFolder(home))}`);
  });
  if (signal?.aborted) {
    await journal.close();
    throw signal.reason;
  }
  const attempt = async (transition: Transition, index: number): Promise<Attempt> => {
    try {
      await beforeStep?.(transition.path, index);
      return { type: 'made', transition, original: makeTransition(transition, folders, steps[index]?.seen) };
    } catch (error) {
      if (error instanceof PlaceMoved || error instanceof ChangedSince)
        return { type: 'changed_meanwhile', transition };
      return { type: 'failed', transition, message: withPlaces(describeFileError(error, transition.path)) };
    }
  };
  const attempts: Attempt[] = [];
  for (const [index, transition] of journal.transitions.entries()) {
    if (index % FILES_AT_ONCE === 0) await setImmediate();
    const made = await attempt(transition, index);
    attempts.push(made);
    if (made.type !== 'made') return giveUp(attempts, folders, journal);
  }
  const moved = folders.moved();
  if (moved.length > 0) return giveUp(attempts, folders, journal, moved);
  for (const made of attempts)
    if (made.type === 'made' && made.original !== undefined) removeOriginal(made.original, folders);
  // A journal that cannot be removed is recovered at the next start.
  await journal.close().catch(() => {});
  return undefined;
}

/** Best effort: one that stays does no harm. */
function removeOriginal(original: KeptOriginal, folders: DiskFolders): void {
  try {
    removeName(original, folders);
  } catch {
    // It stays.
  }
}

type Attempt =
  | { readonly type: 'made'; readonly transition: Transition; readonly original: KeptOriginal | undefined }
  /** The path was changed after the plan was made: the step was not made, and there is nothing to undo. */
  | { readonly type: 'changed_meanwhile'; readonly transition: Transition }
  | { readonly type: 'failed'; readonly transition: Transition; readonly message: string };

/** `moved`: folders that were replaced meanwhile, so that files below them were not written at the approved places. */
async function giveUp(
  attempts: readonly Attempt[],
  folders: DiskFolders,
  journal: OpenJournal,
  moved: readonly string[] = [],
): Promise<ApplyResult> {
  const started = attempts.filter(({ type }) => type !== 'changed_meanwhile').map(({ transition }) => transition);
  const notRestored = await undo(started, folders, journal);
  const failure = attempts.find((attempt) => attempt.type === 'failed');
  if (failure !== undefined) return failed(failure.message, notRestored);
  const overtaken = attempts
    .filter(({ type }) => type === 'changed_meanwhile')
    .map(({ transition }) => transition.path);
  const changed = [...overtaken, ...moved];
  if (notRestored.length === 0) return { type: 'stale', paths: changed };
  return failed(`${changed.join(', ')} was changed by another writer in the meantime.`, notRestored);
}

/** Rolls back in reverse order, never over later changes; returns the paths that could not be rolled back. */
async function undo(started: readonly Transition[], folders: DiskFolders, journal: OpenJournal): Promise<string[]> {
  const notRestored: string[] = [];
  for (const transition of started.toReversed()) {
    if (settleTransition(reversed(transition), folders) !== 'done') notRestored.push(transition.path);
  }
  await (notRestored.length === 0 ? journal.close() : journal.keep()).catch(() => {});
  return notRestored;
}

function failed(message: string, notRestored: readonly string[] = []): ApplyResult {
  return { type: 'failed', message, notRestored };
}

function appliedFile(change: FileChange): { path: string; saved: true; reformatted: false } {
  const path = change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
  return { path, saved: true, reformatted: false };
}
