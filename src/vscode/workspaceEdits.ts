/**
 * Changes landed in live buffers as a transaction: all of them or none (design decision 4).
 *
 * `applyEdit` is not atomic, never says why it failed, and one edit over many files makes one Ctrl+Z undo all of them;
 * hence this order: look at everything, write the journal, whole files, then texts one call each, those under the
 * person's hands first, deletions last, the inverse of it all on any failure, and a save of what was clean. Facts,
 * measurements and reasons: workspace-edits.md.
 */
import { LandingRefused, placesOf } from '../core/patch/placedChange.ts';
import type { ApplyResult, LandedFile } from '../core/ports.ts';
import { describeFileError } from '../core/util/fileErrors.ts';
import { Compensation } from './landing/compensation.ts';
import { editBuffer, isHot } from './landing/editBuffer.ts';
import { deleteFile, renameFile, writeFile } from './landing/fileSteps.ts';
import { journalEntries } from './landing/journalEntries.ts';
import { landedChange, landedFile } from './landing/landed.ts';
import {
  type BufferEdit,
  type EditStep,
  FilesMoved,
  type Landed,
  type LandingChange,
  type LandingHands,
  type LandingStep,
  type LandingWatch,
  type OpenLandingJournal,
  type PlannedChange,
} from './landing/model.ts';
import { placeInEditor } from './landing/placeInEditor.ts';
import { planLanding } from './landing/planLanding.ts';
import { type SaveOutcome, saveEdit } from './landing/saveEdits.ts';
import { UninvitedTabs } from './workspace/documents.ts';

export type LandingResult = Landed | Exclude<ApplyResult, { type: 'applied' }>;

const WRITES_AT_ONCE = 16;

/** Never rejects, except when `signal` aborts before the first write. */
export async function land(
  changes: readonly LandingChange[],
  hands: LandingHands,
  signal?: AbortSignal,
): Promise<LandingResult> {
  signal?.throwIfAborted();
  let release: (() => void) | undefined;
  let landed: (() => void) | undefined;
  try {
    const paths = hands.canonicalPaths();
    const placed = await Promise.all(changes.map((change) => placeInEditor(change, paths)));
    release = await hands.locks.acquire(
      placed.flatMap((one) => placesOf(one)),
      signal,
    );
    landed = await hands.moves.pass(placed, signal);
    const planned = await planLanding(placed);
    signal?.throwIfAborted();
    const journal = await hands.journal.open(await journalEntries(planned));
    if (signal?.aborted) {
      await journal.close();
      throw signal.reason;
    }
    return await carryOut(planned, journal, hands);
  } catch (error) {
    if (signal?.aborted && error === signal.reason) throw error;
    return outcomeOf(error, []);
  } finally {
    landed?.();
    release?.();
  }
}

async function carryOut(
  planned: readonly PlannedChange[],
  journal: OpenLandingJournal,
  { log, watch }: LandingHands,
): Promise<LandingResult> {
  const tabs = new UninvitedTabs();
  const compensation = new Compensation();
  const steps = planned.flatMap((change) => change.steps);
  const edited = steps.filter((step) => step.type === 'edit');
  try {
    const edits = await takeSteps(steps, edited, compensation, watch);
    const outcomes = new Map<EditStep, SaveOutcome>();
    await Promise.all(edits.map(async (edit) => outcomes.set(edit.step, await saveEdit(edit))));
    const byStep = new Map(edits.map((edit) => [edit.step, edit]));
    const results = planned.map((change) => landedChange(change, byStep, outcomes));
    // A journal that cannot be removed is settled at the next start.
    await journal.close().catch((error: unknown) => log.warn('The journal of a landing stays behind', { error }));
    const files: readonly LandedFile[] = planned.map((change) => landedFile(change, outcomes));
    return { type: 'applied', files, changes: results };
  } catch (error) {
    log.warn('A landing is put back', { error });
    const notRestored = await compensation.run();
    const settled = notRestored.length === 0 ? journal.close() : journal.keep();
    await settled.catch((failure: unknown) => log.warn('The journal of a landing stays behind', { error: failure }));
    return outcomeOf(error, notRestored);
  } finally {
    await tabs.close(edited.map((step) => step.file.uri)).catch(() => {});
  }
}

/** @throws what the first failing step says; the steps before it are on the compensation. */
async function takeSteps(
  steps: readonly LandingStep[],
  edits: readonly EditStep[],
  compensation: Compensation,
  watch: LandingWatch | undefined,
): Promise<readonly BufferEdit[]> {
  const deletions = steps.filter((step) => step.type === 'delete');
  const isInTheWay = ({ file }: { file: { path: string } }) =>
    steps.some((step) => step.type !== 'delete' && destinationOf(step).startsWith(`${file.path}/`));
  for (const step of deletions.filter(isInTheWay)) await deleteFile(step, compensation);
  for (const step of steps) if (step.type === 'rename') await renameFile(step, compensation, watch);
  const writes = steps.filter((step) => step.type === 'write');
  for (let start = 0; start < writes.length; start += WRITES_AT_ONCE) {
    await allSettled(writes.slice(start, start + WRITES_AT_ONCE).map((step) => writeFile(step, compensation, watch)));
  }
  const landed: BufferEdit[] = [];
  for (const step of edits.filter(isHot)) landed.push(await editBuffer(step, compensation, watch));
  const cold = edits.filter((step) => !isHot(step)).map((step) => editBuffer(step, compensation, watch));
  landed.push(...(await allSettled(cold)));
  for (const step of deletions) if (!isInTheWay(step)) await deleteFile(step, compensation);
  return landed;
}

/** Rejects like `Promise.all`, but only when nothing is under way any more: what is to be put back must be there. */
async function allSettled<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function destinationOf(step: Exclude<LandingStep, { type: 'delete' }>): string {
  return step.type === 'rename' ? step.to.path : step.file.path;
}

function outcomeOf(error: unknown, notRestored: readonly string[]): LandingResult {
  if (error instanceof FilesMoved) {
    if (notRestored.length === 0) return { type: 'stale', paths: error.paths };
    return failed(`${error.paths.join(', ')} was changed by somebody else in the meantime.`, notRestored);
  }
  if (error instanceof LandingRefused) return failed(error.message, notRestored);
  return failed(describeFileError(error, 'The landing'), notRestored);
}

function failed(message: string, notRestored: readonly string[]): LandingResult {
  return { type: 'failed', message, notRestored };
}
