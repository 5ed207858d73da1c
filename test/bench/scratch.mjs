// The folders of a benchmark. All are removed when the process ends, not after each run: ext4 passes over every inode that
// was freed in the last minutes, so the runs after a removal would take longer.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const TMPFS = 0x01021994;

/** A folder in memory, where the system has one. */
export const memoryFolder = typeOf('/dev/shm') === TMPFS ? '/dev/shm' : undefined;

const folders = [];

/** A new folder. `parent`: where, such as `memoryFolder`. */
export function newScratch(parent = tmpdir()) {
  if (folders.length === 0) {
    process.once('exit', removeAll);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
  }
  const folder = mkdtempSync(path.join(parent, 'tiller-bench-'));
  folders.push(folder);
  return folder;
}

function removeAll() {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function typeOf(folder) {
  try {
    return statfsSync(folder).type;
  } catch {
    return undefined;
  }
}
