/** At the end of a run: removes the temporary folders that its tests have left. */
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Before the workers start, which get the environment of this process. Returns the removal. */
export default function markFolders(): () => void {
  // Beside each other in the folder of the system, as a user's are: a sandbox treats what is in there differently. As long
  // as 'tiller-test-', because estimates of tokens count the letters of a path.
  const prefix = `tiller-${process.pid.toString(36).padStart(5, '0')}`;
  process.env['TILLER_TEST_PREFIX'] = prefix;
  return () => {
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix));
    // A process of a test that was just killed may still write.
    const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };
    for (const name of left) rmSync(path.join(tmpdir(), name), options);
  };
}
