// `npm run test:electron`: the suite of `npm run test:vscode`, unchanged, in the desktop VS Code.
// VSCODE_EXE names an installed one; otherwise @vscode/test-electron downloads the release VSCODE_VERSION (stable).
// Exits with 3 and the reason where there is no such VS Code.
// Linux without a display: xvfb-run -a npm run test:electron.
import path from 'node:path';
import { ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
const { downloadAndUnzipVSCode, runTests } = await import('@vscode/test-electron');
const { cacheFolder } = await import('./vscode/cache.mjs');
const { prepareRun } = await import('./vscode/hostSuite.mjs');

const vscodeExecutablePath = process.env.VSCODE_EXE ?? (await download());
const started = Date.now();
const run = await prepareRun('electron');
try {
  const state = [
    '--user-data-dir',
    path.join(run.folder, 'data'),
    '--extensions-dir',
    path.join(run.folder, 'extensions'),
  ];
  await runTests({
    vscodeExecutablePath,
    extensionDevelopmentPath: [run.extension, ...run.others],
    extensionTestsPath: run.tests,
    extensionTestsEnv: run.env(),
    launchArgs: [run.workspace, ...state, '--disable-workspace-trust', '--skip-welcome', '--skip-release-notes'],
  });
} catch (error) {
  // A failed test ends VS Code with an error, too; the report has the details.
  if (run.summary().failed === 0) run.problem(`VS Code ended badly: ${error.message ?? error}`);
}
process.exit((await run.conclude((Date.now() - started) / 1000)) ? 0 : 1);

async function download() {
  const version = process.env.VSCODE_VERSION ?? 'stable';
  try {
    return await downloadAndUnzipVSCode({ version, cachePath: cacheFolder('electron') });
  } catch (error) {
    const reason = String(error?.message ?? error).split('\n')[0];
    console.error(`The desktop VS Code cannot be downloaded: ${reason}`);
    console.error('Set VSCODE_EXE to an installed one, or use npm run test:vscode.');
    process.exit(3);
  }
}
