// The suite that runs inside the extension host: its bundle, its workspace, its report.
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { root } from '../bootstrap.mjs';
import { generateSample, writeSample } from '../sample.mjs';
import { stageExtension } from './server.mjs';

export const ARTIFACTS = path.join(root, 'artifacts', 'vscode');
const SEED = 1;

/** Bundles every file of test/vscode by itself; `index.js` is what VS Code is told to run. */
export async function bundleSuite(outdir = path.join(ARTIFACTS, 'suite')) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const names = readdirSync(path.join(root, 'test/vscode')).filter((name) => name.endsWith('.ts'));
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: names.map((name) => `test/vscode/${name}`),
    outdir,
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    format: 'cjs',
    target: 'node20',
    external: ['vscode', 'mocha'],
    sourcemap: 'linked',
    define: { TILLER_VERSION: JSON.stringify(version), TILLER_BUILD: JSON.stringify(version) },
    logLevel: 'warning',
  });
  // The repository is a folder of CommonJS for Node; say so where a parent folder might say otherwise.
  await writeFile(path.join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  return path.join(outdir, 'index.js');
}

/**
 * Everything one run needs, in a folder of its own inside the repository, where the suite finds mocha.
 * `done(passed)` leaves only what helps to understand a failure.
 */
export async function prepareRun() {
  await mkdir(ARTIFACTS, { recursive: true });
  const folder = await mkdtemp(path.join(ARTIFACTS, 'run-'));
  const workspace = path.join(folder, 'workspace');
  const [tests, extension] = await Promise.all([
    bundleSuite(path.join(folder, 'suite')),
    stageExtension(path.join(folder, 'extension')),
    writeSample(workspace, generateSample(SEED)),
  ]);
  const report = path.join(folder, 'report.json');
  return {
    folder,
    workspace,
    tests,
    extension,
    report,
    env: {
      TILLER_TEST_REPORT: report,
      TILLER_TEST_GREP: process.env.TILLER_TEST_GREP ?? '',
      // Of everything the tests choose at random (test/support/runSeed.ts).
      TILLER_SEED: process.env.TILLER_SEED ?? String(randomInt(2 ** 31)),
    },
    /** What the tests said, or undefined if they never came to an end. */
    result: () => (existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined),
    done: (passed) => (passed ? rm(folder, { recursive: true, force: true }) : Promise.resolve()),
  };
}

/**
 * Writes the report that scripts/test.mjs reads and says the counts. Problems are what went wrong beside the tests.
 * Resolves with whether all is well.
 */
export async function conclude(name, result, problems, seconds) {
  const tests = result?.tests ?? [];
  const count = (state) => tests.filter((test) => test.state === state).length;
  const skipped = tests.filter(({ state }) => state === 'skipped').map(({ title }) => title);
  const report = { passed: count('passed'), failed: count('failed') + problems.length, skipped, tests, problems };
  const file = path.join(ARTIFACTS, `${name}.json`);
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  for (const problem of problems) console.error(problem);
  const words = [`${report.passed} passed`, `${report.failed} failed`];
  if (skipped.length > 0) words.push(`${skipped.length} skipped`);
  console.log(`${words.join(', ')} (${seconds.toFixed(1)} s; ${path.relative(root, file)})`);
  return report.failed === 0 && report.passed > 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleSuite();
