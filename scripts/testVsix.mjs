// `npm run test:vsix [-- FILE.vsix]`: packs Tiller unless a VSIX is named, installs it into a new VS Code and runs the
// demo task there. Exits with 3 if that VS Code is not available.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
const { makeVsix } = await import('./package.mjs');
const { generateSample, writeSample } = await import('./sample.mjs');
const { testPasses } = await import('./start/sampleProject.mjs');
const { approveAll } = await import('./vscode/approveAll.mjs');
const { installVscodeOrExit } = await import('./vscode/install.mjs');
const { openBrowser, Workbench } = await import('./vscode/page.mjs');
const { installVsix, startVscode } = await import('./vscode/server.mjs');

await installVscodeOrExit();
const started = Date.now();
const vsix = process.argv[2] ? path.resolve(process.argv[2]) : await makeVsix();
const folder = await mkdtemp(path.join(tmpdir(), 'tiller-vsix-'));
const workspace = path.join(folder, 'workspace');
await writeSample(workspace, generateSample(1));
console.log((await installVsix(vsix, folder)).split('\n').at(-1));

const settings = { 'tiller.provider': 'demo', 'tiller.model': 'demo' };
const server = await startVscode({ workspace, folder, settings, env: { TILLER_HOME: path.join(folder, 'tiller') } });
const browser = await openBrowser({ forUser: false });
const vscode = new Workbench(browser.page, server);
try {
  await vscode.open();
  const chat = await vscode.openChat();
  await chat.getByTestId('start-demo').click();
  const completed = await approveAll(chat, { limitMs: 120_000 });
  await vscode.screenshot('vsix');
  if (!completed || !testPasses(workspace))
    throw new Error('Installed from the VSIX, Tiller did not repair the sample.');
  if (vscode.complaints.length > 0) throw new Error(vscode.complaints.join('\n'));
  console.log(`Installed from the VSIX, Tiller repairs the sample (${((Date.now() - started) / 1000).toFixed(1)} s).`);
} catch (error) {
  await vscode.leaveTraces('failed/vsix');
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
