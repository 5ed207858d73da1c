/** Files brought back to contents that were recorded: all of them or none, with the journal that patches have. */
import { lstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { contentHash } from '../../core/baseline/contentHash.ts';
import { type HeldFolders, ApplyRefused, PlaceMoved } from '../../core/patch/placedChange.ts';
import type { Restoration, RestoredFolders, RestoreResult } from '../../core/ports.ts';
import { describeFileError, isMissing, messageOf } from '../../core/util/fileErrors.ts';
import type { FileState } from '../../protocol/baseline.ts';
import { applyLock, type ApplyOptions, runSteps } from './applyPatch.ts';
import { type FileImage, imageOf } from './fileImage.ts';
import { planFolders } from './folders.ts';
import { type DiskFolders, holdFolders } from './heldFolders.ts';
import { FILES_AT_ONCE } from './limits.ts';
import type { PlannedStep } from './step.ts';

/** Never rejects. */
export async function restoreFiles(
  files: readonly Restoration[],
  folders: RestoredFolders,
  options: ApplyOptions,
): Promise<RestoreResult> {
  const held = holdFolders();
  let release: (() => void) | undefined;
  try {
    release = await applyLock.acquire(files.map(({ path }) => path));
    const planned = await planSteps(files, folders, held);
    if (planned.type === 'stale') return planned;
    const failure = planned.steps.length === 0 ? undefined : await runSteps(planned.steps, held, options);
    if (failure === undefined || failure.type === 'applied') return { type: 'restored' };
    return failure.type === 'stale' ? { type: 'stale', paths: failure.paths } : failure;
  } catch (error) {
    if (error instanceof PlaceMoved) return { type: 'stale', paths: [error.place] };
    const message = error instanceof ApplyRefused ? error.message : `No file was changed: ${messageOf(error)}`;
    return { type: 'failed', message, notRestored: [] };
  } finally {
    held.dispose();
    release?.();
  }
}

const ABSENT: FileImage = { type: 'absent' };

type Planned =
  | { readonly type: 'ready'; readonly steps: readonly PlannedStep[] }
  | { readonly type: 'stale'; readonly paths: readonly string[] };

/** Plans the steps without changing anything: folders first, removals last. @throws ApplyRefused, PlaceMoved */
async function planSteps(
  files: readonly Restoration[],
  { remove, make }: RestoredFolders,
  held: DiskFolders,
): Promise<Planned> {
  const stale: string[] = [];
  const steps: PlannedStep[] = [];
  // Files that come back in the place of a folder, when it is removed.
  const replacing: PlannedStep[] = [];
  const removed = new Set(remove);
  for (const [index, { path, from, to }] of files.entries()) {
    if (index % FILES_AT_ONCE === 0) await setImmediate();
    const seen = lookAt(path, held);
    const isEmptied = seen?.image.type === 'folder' && removed.has(path) && from.type === 'absent';
    if (seen === undefined || (!isEmptied && !holds(seen.image, from))) {
      stale.push(path);
      continue;
    }
    const owner = seen.image.type === 'file' ? seen.image.owner : null;
    const after: FileImage = to.type === 'file' ? { type: 'file', bytes: to.bytes, mode: to.mode, owner } : to;
    if (isEmptied) replacing.push({ path, before: ABSENT, after, seen: 'absent' });
    else steps.push({ path, before: seen.image, after, seen: seen.stamp });
  }
  if (stale.length > 0) return { type: 'stale', paths: stale };
  const writes = steps.filter(({ after }) => after.type !== 'absent');
  const removals = steps.filter(({ after }) => after.type === 'absent');
  const { folders: newFolders, replaced } = planFolders(writes, removals, held, make);
  const last = removals.filter(({ path }) => !replaced.has(path));
  return { type: 'ready', steps: [...newFolders, ...writes, ...last, ...emptyFolders(remove, held), ...replacing] };
}

/** Inner ones first. One that is not empty stays: transition.ts. */
function emptyFolders(folders: readonly string[], held: HeldFolders): readonly PlannedStep[] {
  const found = folders.filter((folder) => {
    try {
      return lstatSync(held.at(folder), { throwIfNoEntry: false })?.isDirectory() === true;
    } catch {
      return false;
    }
  });
  return found
    .toSorted((one, other) => other.length - one.length)
    .map((path) => ({ path, before: { type: 'folder' }, after: { type: 'absent' }, seen: 'folder' }));
}

/** `undefined` where a folder on the way is a link by now. */
function lookAt(path: string, held: HeldFolders) {
  try {
    return imageOf(path, held);
  } catch (error) {
    if (error instanceof PlaceMoved) return undefined;
    // A folder on the way is gone, too.
    if (isMissing(error)) return { image: { type: 'absent' } as const, stamp: 'absent' };
    throw new ApplyRefused(describeFileError(error, path));
  }
}

function holds(image: FileImage, state: FileState): boolean {
  switch (state.type) {
    case 'absent':
      return image.type === 'absent';
    case 'file':
      return image.type === 'file' && image.mode === state.mode && contentHash(image.bytes) === state.hash;
    case 'link':
      return image.type === 'link' && image.target === state.target;
    case 'left_out':
      return false;
  }
}
