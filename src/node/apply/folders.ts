import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { type HeldFolders, ApplyRefused, PlaceMoved } from '../../core/patch/placedChange.ts';
import { describeFileError, fileErrorKind, isMissing } from '../../core/util/fileErrors.ts';
import type { KeptFolder } from '../../core/ports.ts';
import type { PlannedStep } from './step.ts';

export interface FolderPlan {
  /** Outer folders before inner ones. */
  readonly folders: readonly PlannedStep[];
  /** Removed files that a folder of the same name replaces. */
  readonly replaced: ReadonlySet<string>;
}

/**
 * Plans the folders that new files need, and those of `also` whose place is free. @throws ApplyRefused where one cannot
 * be created for a file, PlaceMoved
 */
export function planFolders(
  writes: readonly PlannedStep[],
  removals: readonly PlannedStep[],
  held: HeldFolders,
  also: readonly KeptFolder[] = [],
): FolderPlan {
  const folders = new Map<string, PlannedStep>();
  const replaced = new Set<string>();
  const existing = new Set<string>();
  const removalOf = new Map(removals.map((step) => [step.path, step]));

  const modes = new Map(also.map(({ path, mode }) => [path, mode]));
  const folderAt = (path: string) => ({ type: 'folder' as const, mode: modes.get(path) });

  const plan = (path: string): void => {
    if (existing.has(path) || folders.has(path)) return;
    const removal = removalOf.get(path);
    if (removal !== undefined) {
      folders.set(path, { ...removal, after: folderAt(path) });
      replaced.add(path);
      return;
    }
    if (isFolder(path, held)) {
      existing.add(path);
      return;
    }
    plan(dirname(path));
    folders.set(path, { path, before: { type: 'absent' }, after: folderAt(path), seen: 'absent' });
  };

  for (const write of writes) if (write.before.type === 'absent') plan(dirname(write.path));
  for (const { path } of also) if (isFree(path, removalOf, held)) plan(path);
  return { folders: [...folders.values()], replaced };
}

/** Returns true if a folder can be at this path. False below a file, too. */
function isFree(path: string, removals: ReadonlyMap<string, unknown>, held: HeldFolders): boolean {
  if (removals.has(path)) return true;
  try {
    const stats = lstatSync(held.at(path), { throwIfNoEntry: false });
    return stats === undefined ? isFree(dirname(path), removals, held) : stats.isDirectory();
  } catch (error) {
    return isMissing(error) && isFree(dirname(path), removals, held);
  }
}

function isFolder(path: string, held: HeldFolders): boolean {
  try {
    const stats = lstatSync(held.at(path));
    if (stats.isSymbolicLink()) throw new PlaceMoved(path);
    if (!stats.isDirectory()) throw new ApplyRefused(`${path} is not a directory.`);
    accessSync(held.at(path), constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof ApplyRefused || error instanceof PlaceMoved) throw error;
    if (isMissing(error)) return false;
    const isDenied = fileErrorKind(error) === 'denied';
    throw new ApplyRefused(
      isDenied ? `${path} cannot be written to: permission denied.` : describeFileError(error, path),
    );
  }
}
