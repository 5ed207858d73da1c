/** From changes of text to an order of steps: looks at everything, touches nothing. */
import { planFolders } from './folders.ts';
import type { PlacedChange } from './placeChange.ts';
import { planChange, type ChangePlan } from './planChange.ts';
import { LandingRefused, type PlannedStep } from './step.ts';

/**
 * Folders first, then what is written, and what disappears last (design decision 4), so that a text that moves is never
 * only in memory. @throws LandingRefused
 */
export async function planLanding(placed: readonly PlacedChange[]): Promise<ChangePlan> {
  const written = writtenPaths(placed);
  const removed = new Set(placed.flatMap(({ removes }) => removes ?? []));

  const plans = await Promise.all(placed.map((one) => planChange(one, removed)));
  const stale = plans.flatMap((plan) => (plan.type === 'stale' ? plan.paths : []));
  if (stale.length > 0) return { type: 'stale', paths: [...new Set(stale)] };

  const steps = plans.flatMap((plan) => (plan.type === 'ready' ? plan.steps : []));
  refuseTwins(steps);
  const writes = steps.filter((step) => step.after.type !== 'absent');
  // A name that is removed here and written there is simply written.
  const removals = steps.filter((step) => step.after.type === 'absent' && !written.has(step.path));
  const { folders, replaced } = await planFolders(writes, removals);
  const otherRemovals = removals.filter((removal) => !replaced.has(removal.path));
  const [respelled, last] = partition(otherRemovals, (removal) => writes.some((write) => isRespelled(removal, write)));
  return { type: 'ready', steps: [...folders, ...respelled, ...writes, ...last] };
}

function writtenPaths(placed: readonly PlacedChange[]): ReadonlySet<string> {
  const written = new Set<string>();
  for (const { writes } of placed) {
    if (writes === undefined) continue;
    if (written.has(writes)) throw new LandingRefused(`Two of the changes write to ${writes}.`);
    written.add(writes);
  }
  return written;
}

/** Hard links: what is written to one name shows under the other, so two texts for them contradict each other. */
function refuseTwins(steps: readonly PlannedStep[]): void {
  const names = new Map<string, string>();
  for (const { path, before, seen } of steps) {
    const twin = before.type === 'file' ? names.get(seen) : undefined;
    if (twin !== undefined && twin !== path) {
      throw new LandingRefused(`${twin} and ${path} are two names of one file; change it under one of them.`);
    }
    names.set(seen, path);
  }
}

/** Where a disk ignores case, the old spelling has to go before the new one can come. */
function isRespelled(removal: PlannedStep, write: PlannedStep): boolean {
  return write.before.type === 'absent' && removal.path.toLowerCase() === write.path.toLowerCase();
}

function partition<Value>(values: readonly Value[], test: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter((value) => test(value)), values.filter((value) => !test(value))];
}
