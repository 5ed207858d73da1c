/** What boxes of processes that are gone have left, put in order when Tiller starts. */
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from './disk.ts';
import { MountPoints } from './mountPoints.ts';

/** A temporary folder that no command has used for so long is stale; each use renews it. */
const STALE_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

/** Never throws: what cannot be removed is tried again next time. */
export function sweepBoxes(home: string, now = Date.now()): void {
  tolerantly(() => new MountPoints(path.join(home, 'box', 'mounts')).sweep());
  const folder = path.join(home, 'tmp');
  for (const name of namesIn(folder)) {
    const temporary = path.join(folder, name);
    const usedAt = statSync(temporary, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - usedAt > STALE_AFTER_MS) tolerantly(() => rmSync(temporary, { recursive: true, force: true }));
  }
}

function tolerantly(work: () => void): void {
  try {
    work();
  } catch {
    // It is ours and out of everybody's sight.
  }
}
