/** Cleans up after sandboxes of ended processes when Tiller starts. */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Locks } from '../../core/ports.ts';
import { namesIn } from './disk.ts';
import { GATE_NAME } from './hostBridge.ts';
import { MountPoints } from './mountPoints.ts';

/** A temporary folder or a pipe that no command has used for this long is stale; each use of the folder renews it. */
const STALE_AFTER_MS = 3 * 24 * 60 * 60 * 1000;
/** Begins the name of a folder whose removal has begun. */
const REMOVED = 'removed-';

/**
 * Temporary folders are removed only while no process holds the lock of their name: an open thread keeps its folder,
 * however long it runs no command. Never rejects: a failed removal is tried again next time.
 */
export async function sweepSandboxes(home: string, locks: Pick<Locks, 'acquire'>, now = Date.now()): Promise<void> {
  await sweepMountPoints(home).catch(() => {});
  const folder = path.join(home, 'tmp');
  for (const name of staleIn(folder, now)) await removeTemporary(folder, name, locks).catch(() => {});
  const box = path.join(home, 'box');
  const gates = staleIn(box, now).filter((name) => name.startsWith(GATE_NAME));
  for (const name of gates) await rm(path.join(box, name), { force: true }).catch(() => {});
}

function staleIn(folder: string, now: number): readonly string[] {
  return namesIn(folder).filter((name) => {
    const usedAt = statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now;
    return now - usedAt > STALE_AFTER_MS;
  });
}

/** Returns true if some are left because a sandbox still uses them. @throws Error when none can be removed now. */
export function sweepMountPoints(home: string): Promise<boolean> {
  return new MountPoints(mountFolder(home)).sweep();
}

/** The folder of the leases that name Tiller's empty folders in workspaces. `home`: TILLER_HOME. */
export function mountFolder(home: string): string {
  return path.join(home, 'box', 'mounts');
}

/** Renamed under the lock and removed after it, so that a large folder keeps no thread from being opened. */
async function removeTemporary(folder: string, name: string, locks: Pick<Locks, 'acquire'>): Promise<void> {
  let removed = path.join(folder, name);
  if (!name.startsWith(REMOVED)) {
    const attempt = await locks.acquire(name);
    if (attempt.type === 'owned') return;
    try {
      removed = path.join(folder, REMOVED + randomUUID());
      await rename(path.join(folder, name), removed);
    } finally {
      await attempt.lock.release();
    }
  }
  await rm(removed, { recursive: true, force: true });
}
