// Runs commands in the sandbox, in turn with and without an allowed host. Prints one line of JSON; times in milliseconds.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { HostLimits } from '../../src/core/ports.ts';
import { confine } from '../../src/core/sandbox/confinement.ts';
import { createExec } from '../../src/node/exec.ts';
import { sandboxSupport } from '../../src/node/sandbox/support.ts';
import { sandboxPolicySchema } from '../../src/protocol/policy.ts';

const COMMANDS = 20;

const [, , home = '', folder = ''] = process.argv;
const cwd = path.join(folder, 'workspace');
for (const place of [home, cwd]) mkdirSync(place, { recursive: true });
const support = sandboxSupport();
if (support.type === 'fails') throw new Error(support.cause);
const { box } = support;
const exec = createExec({ home });

async function wallMs(hosts: HostLimits | undefined): Promise<number> {
  const confinement = confine(box, sandboxPolicySchema.parse({ type: 'workspace-write' }), {
    cwd,
    platform: 'linux',
    temporaryFolder: path.join(home, 'tmp'),
    unreadable: [home],
    unreadableGlobs: [],
    hosts,
  });
  const before = performance.now();
  const child = await exec.spawn({ argv: ['/bin/true'], cwd, env: {}, stdin: 'none', confinement });
  child.onOutput(() => {});
  const { code, hosts: report } = await child.exited;
  if (code !== 0 || report?.problem !== undefined) throw new Error(report?.problem ?? `It ended with ${code}.`);
  return performance.now() - before;
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
const times = { without: [] as number[], reaching: [] as number[] };
// The first of each kind tries out what works on this machine.
for (let i = 0; i <= COMMANDS; i++) {
  const without = await wallMs(undefined);
  const reaching = await wallMs({ allowed: ['registry.npmjs.org'], denied: [], once: [] });
  if (i > 0) {
    times.without.push(without);
    times.reaching.push(reaching);
  }
}
console.log(JSON.stringify({ wallMs: median(times.reaching), without: median(times.without) }));
