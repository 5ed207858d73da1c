/** Turns changes of text into ordered steps: reads everything, changes nothing. */
import { setImmediate } from 'node:timers/promises';
import {
  type HeldFolders,
  type PlacedChange,
  PlaceMoved,
  refuseTwins,
  writtenPlaces,
} from '../../core/patch/placedChange.ts';
import { planFolders } from './folders.ts';
import { FILES_AT_ONCE } from './limits.ts';
import { planChange, type ChangePlan } from './planChange.ts';

/**
 * Folders first, then writes, removals last (docs/design.md decision 4), so that a text that is moved is never only in
 * memory. @throws ApplyRefused, PlaceMoved
 */
export async function planApply(placed: readonly PlacedChange[], held: HeldFolders): Promise<ChangePlan> {
  const written = writtenPlaces(placed);
  const removed = new Set(placed.flatMap(({ removes }) => removes ?? []));

  const plans: ChangePlan[] = [];
  for (const [index, change] of placed.entries()) {
    if (index % FILES_AT_ONCE === 0) await setImmediate();
    plans.push(planOrStale(change, removed, held));
  }
  const stale = plans.flatMap((plan) => (plan.type === 'stale' ? plan.paths : []));
  if (stale.length > 0) return { type: 'stale', paths: [...new Set(stale)] };

  const steps = plans.flatMap((plan) => (plan.type === 'ready' ? plan.steps : []));
  refuseTwins(steps, ({ before, seen }) => (before.type === 'file' ? seen : undefined));
  const writes = steps.filter((step) => step.after.type !== 'absent');
  // A name that is both removed and written is only written.
  const removals = steps.filter((step) => step.after.type === 'absent' && !written.has(step.path));
  const { folders, replaced } = planFolders(writes, removals, held);
  const otherRemovals = removals.filter((removal) => !replaced.has(removal.path));
  // On a case-insensitive disk the old spelling has to be removed before the new one can be created.
  const arriving = new Set(writes.flatMap(({ path, before }) => (before.type === 'absent' ? path.toLowerCase() : [])));
  const [respelled, last] = partition(otherRemovals, ({ path }) => arriving.has(path.toLowerCase()));
  return { type: 'ready', steps: [...folders, ...respelled, ...writes, ...last] };
}

function planOrStale(placed: PlacedChange, removed: ReadonlySet<string>, held: HeldFolders): ChangePlan {
  try {
    return planChange(placed, removed, held);
  } catch (error) {
    if (error instanceof PlaceMoved) return { type: 'stale', paths: [placed.change.path] };
    throw error;
  }
}

function partition<Value>(values: readonly Value[], test: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter((value) => test(value)), values.filter((value) => !test(value))];
}
