// `npm run test:e2e [-- FILE… -t TEXT]`: the scenarios of test/e2e/, each in a real VS Code driven by a browser.
// Arguments after `--` go to vitest. Screenshots are in artifacts/e2e/, of a run with arguments or of `npm run test:all`: each
// takes a tenth of a second. Exits with 3 if VS Code is not available.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './bootstrap.mjs';

/** Other load on the machine can make a window fail, so each file gets two more attempts in new processes. */
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

if (process.argv.length === 2 && !process.env.TILLER_TEST_ALL) process.env.TILLER_SCREENSHOTS ??= '0';
rmSync(path.join(root, 'artifacts', 'e2e', 'failed'), { recursive: true, force: true });
const words = ['--config', 'test/e2e/vitest.config.mjs', '--reporter=verbose', ...process.argv.slice(2)];
process.exit(await runVitest('e2e', words, { attempts: ATTEMPTS }));
