/** At the end of a run: removes the temporary folders that its tests have left, and those of runs that were killed. */
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** `tiller-`, the pid of the run, and the six letters of mkdtemp. */
const OF_A_RUN = /^tiller-([0-9a-z]{5})[A-Za-z0-9]{6}$/;

/** Before the workers start, which get the environment of this process. Returns the removal. */
export default function markFolders(): () => void {
  // Beside each other in the folder of the system, as a user's are: a sandbox treats what is in there differently. As long
  // as 'tiller-test-', because estimates of tokens count the letters of a path.
  process.env['TILLER_TEST_PREFIX'] = `tiller-${process.pid.toString(36).padStart(5, '0')}`;
  return () => {
    const left = readdirSync(tmpdir()).filter((name) => {
      const pid = OF_A_RUN.exec(name)?.[1];
      return pid !== undefined && !isOther(Number.parseInt(pid, 36));
    });
    // A process of a test that was just killed may still write.
    const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };
    for (const name of left) rmSync(path.join(tmpdir(), name), options);
  };
}

/** Returns true if another process with this pid runs; also one that is not a run of tests. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
