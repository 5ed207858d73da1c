// `npm run test:e2e [-- FILE… -t TEXT]`: the scenarios of test/e2e/, each in a real VS Code driven by a browser. What
// follows `--` goes to vitest. Pictures are in artifacts/e2e/. Exits 3 if VS Code cannot be had.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './bootstrap.mjs';

/** A window that another program held up gets two more chances, each in new processes from the first test of its file on. */
const ATTEMPTS = 3;

ensureInstalled();
const { findBrowser } = await import('./vscode/browser.mjs');
const { installVscode } = await import('./vscode/install.mjs');
const { runVitest } = await import('./test/runVitest.mjs');
try {
  await installVscode();
  await findBrowser();
} catch (error) {
  console.error(error.message);
  process.exit(3);
}

rmSync(path.join(root, 'artifacts', 'e2e', 'failed'), { recursive: true, force: true });
const words = ['--config', 'test/e2e/vitest.config.mjs', '--reporter=verbose', ...process.argv.slice(2)];
process.exit(await runVitest('e2e', words, { attempts: ATTEMPTS }));
