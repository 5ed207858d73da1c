import { access, constants, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LandingRefused } from '../../core/patch/placedChange.ts';
import { isMissing } from '../errors.ts';
import type { PlannedStep } from './step.ts';

export interface FolderPlan {
  /** Outer folders before inner ones. */
  readonly folders: readonly PlannedStep[];
  /** Removed files whose name a folder takes. */
  readonly replaced: ReadonlySet<string>;
}

/** The folders that have to be made for new files. @throws LandingRefused where that cannot be. */
export async function planFolders(
  writes: readonly PlannedStep[],
  removals: readonly PlannedStep[],
): Promise<FolderPlan> {
  const folders = new Map<string, PlannedStep>();
  const replaced = new Set<string>();
  const existing = new Set<string>();
  const removalOf = new Map(removals.map((step) => [step.path, step]));

  const plan = async (path: string): Promise<void> => {
    if (existing.has(path) || folders.has(path)) return;
    const removal = removalOf.get(path);
    if (removal !== undefined) {
      folders.set(path, { ...removal, after: { type: 'folder' } });
      replaced.add(path);
      return;
    }
    if (await isFolder(path)) {
      existing.add(path);
      return;
    }
    await plan(dirname(path));
    folders.set(path, { path, before: { type: 'absent' }, after: { type: 'folder' }, seen: 'absent' });
  };

  for (const write of writes) if (write.before.type === 'absent') await plan(dirname(write.path));
  return { folders: [...folders.values()], replaced };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    if (!(await lstat(path)).isDirectory()) throw new LandingRefused(`${path} is not a directory.`);
    await access(path, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof LandingRefused) throw error;
    if (isMissing(error)) return false;
    throw new LandingRefused(`${path} cannot be written to: permission denied.`);
  }
}
