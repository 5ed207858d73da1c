/**
 * A process that holds a mount point repeatedly, for tests with several processes. Arguments: the folder of leases, the
 * mount point and the number of rounds. Prints a line if the mount point was missing or replaced while it was held.
 */
import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { MountPoints } from '../../src/node/sandbox/mountPoints.ts';

const [leases = '', mountPoint = '', rounds = '1'] = process.argv.slice(2);

async function run(): Promise<void> {
  const mountPoints = new MountPoints(leases);
  for (let round = 0; round < Number(rounds); round++) {
    const giveBack = await mountPoints.hold([mountPoint]);
    const before = identity();
    if (round % 2 === 0) await sleep(Math.random() * 2);
    if (before === undefined || identity() !== before) process.stdout.write('breach\n');
    giveBack();
    if (round % 3 === 0) await mountPoints.settled();
  }
  await mountPoints.settled();
}

/** Returns the identity of the folder on which a sandbox would have mounted; `undefined` if it is missing. */
function identity(): string | undefined {
  const found = lstatSync(mountPoint, { throwIfNoEntry: false });
  return found && `${found.ino}-${found.birthtimeMs}`;
}

void run();
