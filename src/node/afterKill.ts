/**
 * A separate program, run when a Tiller process was killed (killWatch.ts). It does at once the work of the next start:
 * ends the commands that are still running, and removes Tiller's empty folders from workspaces. Arguments: TILLER_HOME,
 * and the identity of the killed process as JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sweepProcesses } from './process/processRecord.ts';
import { isRunning, type ProcessIdentity } from './host/processIdentity.ts';
import { sweepMountPoints } from './sandbox/sweep.ts';

const POLL_MS = 20;
/** Work that takes longer is left to the next start. */
const PATIENCE_MS = 10_000;

async function run(home: string, killed: ProcessIdentity): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  // Its pipe is closed, but the process may still be ending, and its sandboxes after it.
  while (isRunning(killed) && performance.now() < deadline) await sleep(POLL_MS);
  await sweepProcesses(home);
  while ((await sweepMountPoints(home)) && performance.now() < deadline) await sleep(POLL_MS);
}

const [home = '', killed = ''] = process.argv.slice(2);
void run(home, JSON.parse(killed));
