// Commands that a process as large as an extension host starts.
import path from 'node:path';
import { runOurs } from './ours.mjs';

/** Resolves with { rssMiB, direct, started }: the median milliseconds of its thread for a command. */
export function startCommands(mebibytes) {
  const entryPoints = { ours: 'test/bench/spawnOurs.ts', starter: 'src/node/starterProgram.ts' };
  return runOurs(entryPoints, (folder) => [
    path.join(folder, 'home'),
    path.join(folder, 'starter.mjs'),
    String(mebibytes),
  ]);
}
