/**
 * Frees memory after a file of tests. Files share a process, which V8 lets grow to 700 MB of mostly garbage, and a fork
 * copies the page tables of its process: 23 ms for each GB, in thousands of commands.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll } from 'vitest';

const LARGE_BYTES = 220_000_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

afterAll(() => {
  if (process.memoryUsage.rss() < LARGE_BYTES) return;
  collect();
  // The second one gives pages back to the system.
  collect();
});
