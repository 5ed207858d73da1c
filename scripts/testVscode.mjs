// `npm run test:vscode [-- -g TEXT]`: test/vscode/ inside a real extension host, VS Code's own but for the
// desktop around it. Exits 3 if that VS Code cannot be had.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './bootstrap.mjs';

/** Two thousand attacks take a while. */
const LIMIT_MS = (process.env.TILLER_ATTACKS ? 120 : 5) * 60_000;
const MARK = '[suite] ';

ensureInstalled();
const { values } = parseArgs({ options: { grep: { type: 'string', short: 'g' } } });
if (values.grep) process.env.TILLER_TEST_GREP = values.grep;

const { installVscodeOrExit } = await import('./vscode/install.mjs');
const { ARTIFACTS, conclude, prepareRun } = await import('./vscode/hostSuite.mjs');
const { openBrowser, Workbench } = await import('./vscode/page.mjs');
const { startVscode } = await import('./vscode/server.mjs');

await installVscodeOrExit();
const started = Date.now();
const run = await prepareRun();
const server = await startVscode({
  workspace: run.workspace,
  profile: 'fast',
  folder: path.join(run.folder, 'vscode'),
  env: { ...run.env, TILLER_TEST_MARK: MARK },
});
const problems = [];
let browser;
try {
  browser = await openBrowser();
  const { page } = browser;
  const vscode = new Workbench(page, server);
  const ended = new Promise((resolve) => {
    void page.exposeFunction('codeAutomationExit', resolve);
    setTimeout(resolve, LIMIT_MS, 'late').unref();
  });
  // The workbench talks here too; what the suite says is marked.
  await page.exposeFunction('codeAutomationLog', (_type, words) => {
    const text = words.join(' ');
    vscode.hear(text);
    if (text.startsWith(MARK)) console.log(text.slice(MARK.length));
  });
  const address = server.address([
    ['extensionDevelopmentPath', server.remote(run.extension)],
    ['extensionTestsPath', server.remote(run.tests)],
  ]);
  await page.goto(address);
  const code = await ended;
  const result = run.result();
  if (!result) problems.push(`The suite did not come to an end (${code}).`);
  if (code !== 0) await page.screenshot({ path: path.join(ARTIFACTS, 'failed.png') });
  problems.push(...vscode.complaints);
} catch (error) {
  problems.push(error.stack);
} finally {
  await browser?.close();
  await server.stop();
}
const passed = await conclude('host', run.result(), problems, (Date.now() - started) / 1000);
await run.done(passed);
if (!passed) console.log(`What there is to look at: ${run.folder}`);
process.exit(passed ? 0 : 1);
