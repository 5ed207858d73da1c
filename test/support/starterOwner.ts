/**
 * A process that starts a command with a starter, and prints the pids of both. Arguments: TILLER_HOME, and the path of
 * the starter's program.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createExec } from '../../src/node/exec.ts';
import { Starter } from '../../src/node/process/starter.ts';

const [home = '', program = ''] = process.argv.slice(2);

async function run(): Promise<void> {
  const starter = new Starter(home, program);
  starter.prepare();
  while (starter.ready === undefined) await sleep(5);
  const { pid } = await createExec({ starter }).spawn({
    argv: ['/bin/sleep', '60'],
    cwd: '/',
    env: {},
    stdin: 'none',
    confinement: { type: 'none' },
  });
  const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  process.stdout.write(JSON.stringify([Number(parent), pid]));
}

void run();
