// `npm run record -- [--into FOLDER] [NAME…]`: records threads by running them (test/support/threadRecipes.ts), all or those
// that are named, into test/fixtures/threads.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './bootstrap.mjs';

const { values, positionals } = parseArgs({
  options: { into: { type: 'string', default: 'test/fixtures/threads' } },
  allowPositionals: true,
});
ensureInstalled();
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'test/scenarios/recordThreads.test.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TILLER_RECORD: values.into, TILLER_RECORD_NAMES: positionals.join(',') },
  },
);
process.exitCode = status ?? 1;
