import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { type HeldFolders, ApplyRefused, PlaceMoved } from '../../core/patch/placedChange.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import type { PlannedStep } from './step.ts';

export interface FolderPlan {
  /** Outer folders before inner ones. */
  readonly folders: readonly PlannedStep[];
  /** Removed files that a folder of the same name replaces. */
  readonly replaced: ReadonlySet<string>;
}

/** The folders to create for new files. @throws ApplyRefused where one cannot be created, PlaceMoved */
export function planFolders(
  writes: readonly PlannedStep[],
  removals: readonly PlannedStep[],
  held: HeldFolders,
): FolderPlan {
  const folders = new Map<string, PlannedStep>();
  const replaced = new Set<string>();
  const existing = new Set<string>();
  const removalOf = new Map(removals.map((step) => [step.path, step]));

  const plan = (path: string): void => {
    if (existing.has(path) || folders.has(path)) return;
    const removal = removalOf.get(path);
    if (removal !== undefined) {
      folders.set(path, { ...removal, after: { type: 'folder' } });
      replaced.add(path);
      return;
    }
    if (isFolder(path, held)) {
      existing.add(path);
      return;
    }
    plan(dirname(path));
    folders.set(path, { path, before: { type: 'absent' }, after: { type: 'folder' }, seen: 'absent' });
  };

  for (const write of writes) if (write.before.type === 'absent') plan(dirname(write.path));
  return { folders: [...folders.values()], replaced };
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
    throw new ApplyRefused(`${path} cannot be written to: permission denied.`);
  }
}
