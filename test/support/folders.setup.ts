/** Removes at the end of a run the temporary folders that its tests have left, and those of runs that were killed. */
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Matches the name of a folder: `tiller-`, the pid of the run, and the six letters of mkdtemp. */
const OF_A_RUN = /^tiller-([0-9a-z]{5})[A-Za-z0-9]{6}$/;

/**
 * Sets the prefix of the folders. It runs before the workers start, because they get the environment of this process.
 * Returns the function that removes the folders.
 */
export default function markFolders(): () => void {
  // The folders are directly in the temporary folder of the system, like those of a user: a sandbox treats them
  // differently there. The prefix is as long as 'tiller-test-', because estimates of tokens count the letters of a
  // path.
  process.env['TILLER_TEST_PREFIX'] = `tiller-${process.pid.toString(36).padStart(5, '0')}`;
  return () => {
    const left = readdirSync(tmpdir()).filter((name) => {
      const pid = OF_A_RUN.exec(name)?.[1];
      return pid !== undefined && !isOther(Number.parseInt(pid, 36));
    });
    // A process that was just killed may still write.
    const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };
    for (const name of left) rmSync(path.join(tmpdir(), name), options);
  };
}

/** Returns true if another process with this pid runs, even one that is not a test run. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
