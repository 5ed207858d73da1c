// A look at a workspace of a size in which nothing has changed, as it is made before and after each command that may write.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { root } from '../../scripts/bootstrap.mjs';
import { fill } from './run.mjs';

/** Resolves with { wallMs, mainMs, cpuMs } of one look and { firstMs, firstMainMs } of the first one, which reads all. */
export async function lookAtFiles(files) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'tiller-bench-'));
  try {
    const work = path.join(scratch, 'work');
    mkdirSync(work);
    fill(work, files);
    await esbuild.build({
      entryPoints: {
        ours: path.join(root, 'test/bench/baselineOurs.ts'),
        worker: path.join(root, 'src/node/baseline/worker.ts'),
      },
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      outExtension: { '.js': '.mjs' },
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      outdir: scratch,
      logLevel: 'warning',
    });
    const args = [path.join(scratch, 'ours.mjs'), work, path.join(scratch, 'home'), path.join(scratch, 'worker.mjs')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the looks ended with ${status}: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}
