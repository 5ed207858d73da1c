// Modules of the product in a process of their own, built for one measurement.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { root } from '../../scripts/bootstrap.mjs';
import { newScratch } from './scratch.mjs';

/**
 * Builds `entryPoints`, paths in the repository by name, and runs the one named `ours` with `args(folder)`, where
 * `folder` is a new folder with the built files. Resolves with what it prints as JSON.
 */
export async function runOurs(entryPoints, args) {
  const folder = newScratch();
  await esbuild.build({
    entryPoints: Object.fromEntries(Object.entries(entryPoints).map(([name, file]) => [name, path.join(root, file)])),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
    },
    outdir: folder,
    logLevel: 'warning',
  });
  const argv = [path.join(folder, 'ours.mjs'), ...args(folder)];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${entryPoints.ours} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
