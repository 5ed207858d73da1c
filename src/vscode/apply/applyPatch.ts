/**
 * Applies changes to live buffers as a transaction: all of them or none (docs/design.md decision 4).
 *
 * `applyEdit` is not atomic, does not report why it failed, and one edit over many files makes one Ctrl+Z undo all of
 * them. Hence this order: inspect everything, write the journal, write whole files, then edit texts with one call each
 * (files that the user may be editing first), delete last, run the inverses on any failure, and save what was clean.
 * Facts, measurements and reasons: docs/reference/workspace-edits.md.
 */
import { ApplyRefused, placeChange, PlaceMoved, placesOf } from '../../core/patch/placedChange.ts';
import type { ApplyResult, AppliedFile } from '../../core/ports.ts';
import { describeFileError } from '../../core/util/fileErrors.ts';
import { Compensation } from './compensation.ts';
import { editBuffer, isHot } from './editBuffer.ts';
import { deleteFile, isDeletedByPath, renameFile, writeFile } from './fileSteps.ts';
import { journalEntries } from './journalEntries.ts';
import { appliedChange, appliedFile } from './applied.ts';
import type { ApplyContext } from './applyContext.ts';
import {
  type BufferEdit,
  type EditStep,
  StaleFiles,
  type FoundFile,
  type AppliedPatch,
  type ApplyChange,
  type ApplyDeps,
  type ApplyStep,
  type OpenApplyJournal,
  type PathWrites,
  type Pause,
  type PlannedChange,
} from './model.ts';
import { type Addressed, isStable, PathGuard } from './pathGuard.ts';
import { PlaceFiles } from './placeFiles.ts';
import { movedInEditor } from './placeInEditor.ts';
import { planApply } from './planApply.ts';
import { isSavedWhen, type SaveOutcome, saveEdit } from './saveEdits.ts';
import { UninvitedTabs } from '../workspace/documents.ts';

export type EditorApplyResult = AppliedPatch | Exclude<ApplyResult, { type: 'applied' }>;

const WRITES_AT_ONCE = 16;
/**
 * VS Code calls language extensions for a save one file after the other: of 40 files at once on a busy machine, none
 * was saved within the time of a save, and all counted as unsaved.
 */
const SAVES_AT_ONCE = 8;

/** Never rejects, except when `signal` aborts before the first write. */
export async function applyPatch(
  changes: readonly ApplyChange[],
  deps: ApplyDeps,
  signal?: AbortSignal,
): Promise<EditorApplyResult> {
  signal?.throwIfAborted();
  let release: (() => void) | undefined;
  let applied: (() => void) | undefined;
  const files = new PlaceFiles(deps.holdFolders());
  try {
    const placed = changes.map((change) => placeChange(change));
    const places = placed.flatMap((change) => placesOf(change));
    release = await deps.locks.acquire(places, signal);
    const moved = await movedInEditor(changes, deps.canonicalPaths());
    if (moved.length > 0) {
      for (const place of places) if (!files.isReachedBy(place, place)) deps.pathWrites.distrust(place);
      return { type: 'stale', paths: moved };
    }
    applied = await deps.moves.pass(placed, signal);
    const planned = await planApply(placed, files, deps);
    signal?.throwIfAborted();
    const journal = await deps.journal.open(await journalEntries(planned), signal);
    if (signal?.aborted) {
      await journal.close();
      throw signal.reason;
    }
    return await carryOut(planned, journal, deps, files);
  } catch (error) {
    if (signal?.aborted && error === signal.reason) throw error;
    return outcomeOf(error, []);
  } finally {
    applied?.();
    release?.();
    files.dispose();
  }
}

async function carryOut(
  planned: readonly PlannedChange[],
  journal: OpenApplyJournal,
  { log, watch, pathWrites }: ApplyDeps,
  files: PlaceFiles,
): Promise<EditorApplyResult> {
  const tabs = new UninvitedTabs();
  const compensation = new Compensation();
  const steps = planned.flatMap((change) => change.steps);
  const edited = steps.filter((step) => step.type === 'edit');
  const byPath = actsOfVscode(steps);
  const guard = new PathGuard(files, byPath.length === 0 ? NO_PAUSE : await pathWrites.pause());
  const context = { files, guard, compensation, watch };
  try {
    await mustBeStable(byPath, pathWrites);
    const edits = await takeSteps(steps, edited, context);
    const outcomes = new Map<EditStep, SaveOutcome>();
    for (let start = 0; start < edits.length; start += SAVES_AT_ONCE) {
      const some = edits.slice(start, start + SAVES_AT_ONCE);
      await Promise.all(some.map(async (edit) => outcomes.set(edit.step, await saveEdit(edit, context))));
    }
    mustStandAtTheirPlaces(outcomes);
    const byStep = new Map(edits.map((edit) => [edit.step, edit]));
    const results = planned.map((change) => appliedChange(change, byStep, outcomes));
    // A journal that cannot be removed is recovered at the next start.
    await journal.close().catch((error: unknown) => log.warn('The apply journal could not be removed', { error }));
    const applied: readonly AppliedFile[] = planned.map((change) => appliedFile(change, outcomes));
    return { type: 'applied', files: applied, changes: results };
  } catch (error) {
    log.warn('Applying a patch failed and is rolled back', { error });
    const failures = await compensation.run();
    const notRestored = error instanceof SavedElsewhere ? [...new Set([...failures, ...error.paths])] : failures;
    const settled = notRestored.length === 0 ? journal.close() : journal.keep();
    await settled.catch((failure: unknown) => log.warn('The apply journal could not be removed', { error: failure }));
    return outcomeOf(error, notRestored);
  } finally {
    guard.dispose();
    await tabs.close(edited.map((step) => step.file.uri)).catch(() => {});
  }
}

const NO_PAUSE: Pause = { isHeld: () => false, dispose: () => {} };

/** The files that VS Code itself saves, moves or deletes by their paths. */
function actsOfVscode(steps: readonly ApplyStep[]): readonly Addressed[] {
  const files = steps.flatMap((step): readonly FoundFile[] => {
    switch (step.type) {
      case 'write':
        return [];
      case 'edit':
        return isSavedWhen(step, step.file.isDirty) ? [step.file] : [];
      case 'rename':
        return step.from.hadTab || step.from.isDirty ? [step.from, step.to] : [];
      case 'delete':
        return isDeletedByPath(step.file) ? [step.file] : [];
    }
  });
  return files.filter(({ uri }) => uri.scheme === 'file');
}

/** @throws StaleFiles for files whose path another process has changed since the plan was made */
async function mustBeStable(files: readonly Addressed[], pathWrites: PathWrites): Promise<void> {
  const stable = await Promise.all(files.map((file) => isStable(file, pathWrites)));
  const moved = files.filter((_file, index) => stable[index] === false).map(({ path }) => path);
  if (moved.length > 0) throw new StaleFiles(moved);
}

/** VS Code has saved documents, but the files at their places do not hold the saved texts. */
class SavedElsewhere extends ApplyRefused {
  readonly paths: readonly string[];
  constructor(paths: readonly string[]) {
    super(
      `A folder on the way to ${paths.join(', ')} became a link at the moment in which VS Code saved the file; the text was ` +
        'written where that link led.',
    );
    this.paths = paths;
  }
}

/** @throws SavedElsewhere */
function mustStandAtTheirPlaces(outcomes: ReadonlyMap<EditStep, SaveOutcome>): void {
  const paths = [...outcomes].flatMap(([{ file }, { elsewhere }]) => (elsewhere ? [file.path] : []));
  if (paths.length > 0) throw new SavedElsewhere(paths);
}

/** @throws the error of the first failing step; the inverses of earlier steps are in `context.compensation`. */
async function takeSteps(
  steps: readonly ApplyStep[],
  edits: readonly EditStep[],
  context: ApplyContext,
): Promise<readonly BufferEdit[]> {
  const deletions = steps.filter((step) => step.type === 'delete');
  const isInTheWay = ({ file }: { file: { path: string } }) =>
    steps.some((step) => step.type !== 'delete' && destinationOf(step).startsWith(`${file.path}/`));
  for (const step of deletions.filter(isInTheWay)) await deleteFile(step, context);
  for (const step of steps) if (step.type === 'rename') await renameFile(step, context);
  const writes = steps.filter((step) => step.type === 'write');
  for (let start = 0; start < writes.length; start += WRITES_AT_ONCE) {
    await allSettled(writes.slice(start, start + WRITES_AT_ONCE).map((step) => writeFile(step, context)));
  }
  const applied: BufferEdit[] = [];
  for (const step of edits.filter(isHot)) applied.push(await editBuffer(step, context));
  const cold = edits.filter((step) => !isHot(step)).map((step) => editBuffer(step, context));
  applied.push(...(await allSettled(cold)));
  for (const step of deletions) if (!isInTheWay(step)) await deleteFile(step, context);
  return applied;
}

/** Like `Promise.all`, but rejects only after all have settled: the rollback must know of every completed step. */
async function allSettled<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function destinationOf(step: Exclude<ApplyStep, { type: 'delete' }>): string {
  return step.type === 'rename' ? step.to.path : step.file.path;
}

function outcomeOf(error: unknown, notRestored: readonly string[]): EditorApplyResult {
  if (error instanceof StaleFiles || error instanceof PlaceMoved) {
    const paths = error instanceof StaleFiles ? error.paths : [error.place];
    if (notRestored.length === 0) return { type: 'stale', paths };
    return failed(`${paths.join(', ')} was changed by another writer in the meantime.`, notRestored);
  }
  if (error instanceof ApplyRefused) return failed(error.message, notRestored);
  return failed(describeFileError(error, 'A file of the patch'), notRestored);
}

function failed(message: string, notRestored: readonly string[]): EditorApplyResult {
  return { type: 'failed', message, notRestored };
}
