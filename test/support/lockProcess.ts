/**
 * A process that takes a lock repeatedly, for tests with several processes. Arguments: TILLER_HOME, the name of the
 * lock, the number of rounds, and the chance in percent that the process is killed while it holds the lock. Prints
 * `breach` if another process held it at the same time.
 */
import { rmSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLocks } from '../../src/node/storage/locks.ts';

const [home = '', name = '', rounds = '1', deaths = '0'] = process.argv.slice(2);
const inside = join(home, 'inside');
const locks = createLocks(home, 'test');

async function run(): Promise<void> {
  for (let held = 0; held < Number(rounds); ) {
    const attempt = await locks.acquire(name);
    if (attempt.type === 'owned') {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      continue;
    }
    held++;
    enter();
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
    if (Math.random() * 100 < Number(deaths)) process.kill(process.pid, 'SIGKILL');
    rmSync(inside);
    await attempt.lock.release();
  }
}

/** Checks that no other running process holds the lock. */
function enter(): void {
  try {
    writeFileSync(inside, String(process.pid), { flag: 'wx' });
  } catch {
    if (isAlive(Number(readFileSync(inside, 'utf8')))) process.stdout.write('breach\n');
    writeFileSync(inside, String(process.pid));
  }
}

/** Returns true if the process runs. A killed process whose parent has not collected it yet does not. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

void run();
