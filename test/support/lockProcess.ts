/**
 * A process that takes a lock repeatedly, for tests with several of them: arguments are TILLER_HOME, the lock, how
 * often, and the chance in percent to be killed while it holds it. Prints `breach` when it was not alone.
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

/** No other running process may hold it. */
function enter(): void {
  try {
    writeFileSync(inside, String(process.pid), { flag: 'wx' });
  } catch {
    if (isAlive(Number(readFileSync(inside, 'utf8')))) process.stdout.write('breach\n');
    writeFileSync(inside, String(process.pid));
  }
}

/** A killed process that its parent has not collected yet is not running. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

void run();
