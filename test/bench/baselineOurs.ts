// Looks at a workspace as before and after a command. Prints one line of JSON; times in milliseconds.
import { performance } from 'node:perf_hooks';
import { createBaselineStore } from '../../src/node/baseline/store.ts';

const LOOKS = 5;

const [, , work = '', home = '', worker = ''] = process.argv;
const store = createBaselineStore({ home, userHome: '/nowhere', worker });
const look = () => store.look([work], { maxBytes: 1024 ** 3 });

interface Cost {
  readonly wallMs: number;
  /** On the event loop of the main thread. */
  readonly mainMs: number;
  /** Processor time of the whole process, in milliseconds. */
  readonly cpuMs: number;
}

async function timed(act: () => Promise<unknown>): Promise<Cost> {
  const before = performance.eventLoopUtilization();
  const used = process.cpuUsage();
  const start = performance.now();
  await act();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  return { wallMs, mainMs: performance.eventLoopUtilization(before).active, cpuMs: (user + system) / 1000 };
}

const first = await timed(look);
// Files that were written within a tick of the clock are read once more.
await look();
const looks: Cost[] = [];
for (let i = 0; i < LOOKS; i++) looks.push(await timed(look));
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const wallMs = median(looks.map((one) => one.wallMs));
const cpuMs = median(looks.map((one) => one.cpuMs));
const mainMs = Math.max(...looks.map((one) => one.mainMs));
console.log(JSON.stringify({ firstMs: first.wallMs, firstMainMs: first.mainMs, wallMs, mainMs, cpuMs }));
await store.dispose();
