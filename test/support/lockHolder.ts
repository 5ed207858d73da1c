/** A process that takes the named lock, prints that it holds it, and keeps it until it is killed. */
import { takeLock } from '../../src/node/host/processLock.ts';

async function run(): Promise<void> {
  await takeLock(process.argv[2] ?? '');
  process.stdout.write('held\n');
  setInterval(() => {}, 60_000);
}

void run();
