/** Cleans up after sandboxes of ended processes when Tiller starts. */
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from './disk.ts';
import { MountPoints } from './mountPoints.ts';

/** A temporary folder that no command has used for this long is stale; each use renews it. */
const STALE_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

/** Never rejects: what cannot be removed is tried again next time. */
export async function sweepSandboxes(home: string, now = Date.now()): Promise<void> {
  await sweepMountPoints(home).catch(() => {});
  const folder = path.join(home, 'tmp');
  for (const name of namesIn(folder)) {
    const temporary = path.join(folder, name);
    const usedAt = statSync(temporary, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - usedAt > STALE_AFTER_MS) removeTemporary(temporary);
  }
}

/** Returns whether something is left because a sandbox still uses it. @throws Error when nothing can be done now. */
export function sweepMountPoints(home: string): Promise<boolean> {
  return new MountPoints(mountFolder(home)).sweep();
}

/** The folder of the leases that name Tiller's empty folders in workspaces. `home`: TILLER_HOME. */
export function mountFolder(home: string): string {
  return path.join(home, 'box', 'mounts');
}

function removeTemporary(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Harmless: it is Tiller's, and no program reads it.
  }
}
