// `npm run test:e2e [-- FILE… -t TEXT]`: the scenarios of test/e2e/, each in a real VS Code driven by a browser. What
// follows `--` goes to vitest. Pictures and the report are in artifacts/e2e/. Exits 3 if VS Code cannot be had.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './bootstrap.mjs';

ensureInstalled();
const { findBrowser } = await import('./vscode/browser.mjs');
const { installVscode } = await import('./vscode/install.mjs');
try {
  await installVscode();
  await findBrowser();
} catch (error) {
  console.error(error.message);
  process.exit(3);
}

const artifacts = path.join(root, 'artifacts', 'e2e');
rmSync(path.join(artifacts, 'failed'), { recursive: true, force: true });
const words = [
  ...['run', '--config', 'test/e2e/vitest.config.mjs', '--reporter=verbose', '--reporter=json'],
  `--outputFile.json=${path.join(artifacts, 'report.json')}`,
];
const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...words, ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
});
child.on('close', (code) => process.exit(code ?? 1));
