// `npm test`: all gates and tests in one command, on a clone without node_modules. `npm run test:all` is the same with
// storms, kills and fuzz tests in full.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './bootstrap.mjs';

ensureInstalled();
const { outcomesFile } = await import('./test/outcomes.mjs');
const { runGroups } = await import('./test/runGroups.mjs');
const { seedOfThisRun } = await import('./test/seed.mjs');

const script = (name) => path.join(root, 'scripts', `${name}.mjs`);

/** Steps in the order in which they start: the longest first, short ones where one lane ends before the other. */
const GROUPS = [
  [{ name: 'build', script: script('build') }],
  [
    { name: 'test:e2e', script: script('testE2e'), suite: 'e2e' },
    { name: 'check', script: script('check') },
    { name: 'test:fast', script: script('testFast'), suite: 'fast' },
    { name: 'test:system', script: script('testSystem'), suite: 'system' },
    { name: 'test:vscode', script: script('testVscode'), suite: 'host' },
    { name: 'test:panel', script: script('testPanel'), suite: 'panel' },
    { name: 'test:vsix', script: script('testVsix') },
  ],
];

rmSync(path.dirname(outcomesFile('any')), { recursive: true, force: true });
process.env.TILLER_BUILT = path.join(root, 'artifacts', 'test', 'dist');
if (process.argv.includes('--all')) process.env.TILLER_TEST_ALL = '1';
seedOfThisRun();
process.exitCode = await runGroups(GROUPS);
