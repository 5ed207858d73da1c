/** Commands that a process as large as an extension host starts, in Node and in VS Code. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exec } from '../../src/core/ports.ts';
import { createExec } from '../../src/node/exec.ts';
import { Starter } from '../../src/node/process/starter.ts';

const COMMANDS = 40;
const PAUSE_MS = 5;
const MIB = 1024 ** 2;

const request = {
  argv: ['/bin/echo', 'one'],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
  stdin: 'none',
  confinement: { type: 'none' },
} as const;

/** Filled, so that every page of it is in the page tables that a fork copies. */
const ballast: Buffer[] = [];

/** The median time on the event loop for one command, from its start to its end. */
async function busyMs(exec: Exec): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < COMMANDS; i++) {
    await sleep(PAUSE_MS);
    const before = performance.eventLoopUtilization();
    const child = await exec.spawn(request);
    child.onOutput(() => {});
    await child.exited;
    times.push(performance.eventLoopUtilization(before).active);
  }
  return times.toSorted((a, b) => a - b)[COMMANDS / 2] ?? 0;
}

/** Milliseconds of the thread for a command, started by this process and by the starter, whose script is `script`. */
export async function commandsOf(home: string, script: string, mebibytes: number) {
  while (process.memoryUsage().rss < mebibytes * MIB) ballast.push(Buffer.alloc(MIB, 1));
  const direct = await busyMs(createExec({ home }));
  const starter = new Starter(home, script);
  starter.prepare();
  while (starter.ready === undefined) await sleep(PAUSE_MS);
  const started = await busyMs(createExec({ home, starter }));
  starter.dispose();
  return { wallMs: started, rssMiB: process.memoryUsage().rss / MIB, direct, started };
}
