// `npm run check`: every gate that needs no running product, in parallel. Prints one line per gate, then the full
// output of those that failed.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { ensureInstalled, root } from './bootstrap.mjs';

ensureInstalled();

/**
 * Returns the arguments to check the types of a project. The check is incremental: only what has changed since the last
 * check is checked. Several checkers would check the types that they share several times.
 */
const types = (project) => [
  'node_modules/typescript/bin/tsc',
  ...['-p', project, '--incremental', '--checkers', '1'],
  ...['--tsBuildInfoFile', `artifacts/cache/types-${project.replaceAll(/\W+/g, '-')}.tsbuildinfo`],
];

const GATES = [
  { name: 'types', args: types('.') },
  { name: 'types: webview', args: types('webview-ui') },
  { name: 'types: webview tests', args: types('test/webview') },
  { name: 'types: e2e', args: types('test/e2e') },
  { name: 'lint', args: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'] },
  {
    name: 'format',
    args: ['node_modules/@biomejs/biome/bin/biome', 'format', '--colors=off', '--reporter=concise', '.'],
    remedy: 'npm run format',
  },
  { name: 'dead code', args: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  { name: 'architecture', args: ['node_modules/vitest/vitest.mjs', 'run', 'test/architecture.test.ts'] },
  { name: 'package.json', args: ['scripts/checkManifest.mjs'] },
  { name: 'plain English', args: ['scripts/lint/plainEnglish.mjs'] },
];

/**
 * The environment of the compiler and the linter, programs in Go that run for seconds. Garbage collection takes a
 * quarter of their processor time and saves a fifth of their memory, so it is off until the memory reaches the limit.
 */
const WITHOUT_COLLECTION = { GOGC: 'off', GOMEMLIMIT: '3GiB' };

/** The gates share the cores: where there are only two, the threads of one gate cost a tenth more and gain nothing. */
const ONE_THREAD = availableParallelism() > 2 ? {} : { GOMAXPROCS: '1' };

/**
 * Runs a gate. Resolves when it has ended. Its output is collected, so that the outputs of parallel gates do not mix.
 */
function run(gate) {
  const started = Date.now();
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(process.execPath, gate.args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Without this, Node 20 would parse all of these certificates at each start.
      env: { ...WITHOUT_COLLECTION, ...ONE_THREAD, ...process.env, NODE_EXTRA_CA_CERTS: '' },
    });
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${gate.name} (${seconds} s)`);
      resolve({ ...gate, ok: code === 0, output: output.trim() });
    });
  });
}

const failed = (await Promise.all(GATES.map(run))).filter(({ ok }) => !ok);
for (const { name, args, output, remedy } of failed) {
  console.log(`\n── ${name}: node ${args.join(' ')}\n${output}`);
  if (remedy) console.log(`Repair it with: ${remedy}`);
}
console.log(`\n${GATES.length - failed.length} of ${GATES.length} gates hold.`);
process.exitCode = failed.length === 0 ? 0 : 1;
