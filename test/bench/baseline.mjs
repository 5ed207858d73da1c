// A look at a workspace of a size in which nothing has changed, as it is made before and after each command that may write.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { runOurs } from './ours.mjs';
import { fill } from './run.mjs';

/** Resolves with { wallMs, mainMs, cpuMs } of one look and { firstMs, firstMainMs } of the first one, which reads all. */
export function lookAtFiles(files) {
  const entryPoints = { ours: 'test/bench/baselineOurs.ts', worker: 'src/node/baseline/worker.ts' };
  return runOurs(entryPoints, (folder) => {
    const work = path.join(folder, 'work');
    mkdirSync(work);
    fill(work, files);
    return [work, path.join(folder, 'home'), path.join(folder, 'worker.mjs')];
  });
}
