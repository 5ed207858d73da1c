// Commands in the sandbox that may reach a host, beside commands that may reach none.
import path from 'node:path';
import { runOurs } from './ours.mjs';

/** Resolves with { wallMs, without }: the median milliseconds of a command with an allowed host, and of one without. */
export function startWithHosts() {
  return runOurs({ ours: 'test/bench/hostsOurs.ts' }, (folder) => [path.join(folder, 'home'), folder]);
}
