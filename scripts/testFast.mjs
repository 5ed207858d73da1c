// `npm run test:fast [-- FILE…]`: every test that needs no VS Code, or those named. What follows is for vitest.
import { spawnSync } from 'node:child_process';
import { ensureInstalled, root } from './bootstrap.mjs';

ensureInstalled();
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
