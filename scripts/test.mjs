// `npm test`: all gates and tests in one command, on a clone without node_modules. `npm run test:all` is the same with
// storms, kills and fuzz tests in full, and with temporary files on the disk.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './bootstrap.mjs';

ensureInstalled();
if (!process.argv.includes('--all')) {
  const { runWithTemporaryFolderInMemory } = await import('./test/temporaryInMemory.mjs');
  const code = await runWithTemporaryFolderInMemory(process.argv.slice(1));
  if (code !== undefined) process.exit(code);
}
const { outcomesFile } = await import('./test/outcomes.mjs');
const { runGroups } = await import('./test/runGroups.mjs');
const { seedOfThisRun } = await import('./test/seed.mjs');
const { GROUPS } = await import('./test/steps.mjs');

rmSync(path.dirname(outcomesFile('any')), { recursive: true, force: true });
process.env.TILLER_BUILT = path.join(root, 'artifacts', 'test', 'dist');
if (process.argv.includes('--all')) process.env.TILLER_TEST_ALL = '1';
seedOfThisRun();
process.exitCode = await runGroups(GROUPS);
