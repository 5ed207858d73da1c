// `npm run test:vscode [-- -g TEXT]`: test/vscode/ inside a real extension host, in the VS Code from npm, which differs
// from the desktop only in its shell. Exits with 3 if that VS Code is not available.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './bootstrap.mjs';

/** Storms and attacks are longer in `npm run test:all`, and by hand. */
const LIMIT_MS =
  process.env.TILLER_TEST_ALL || process.env.TILLER_SOAK || process.env.TILLER_ATTACKS ? 120 * 60_000 : 10 * 60_000;
/**
 * Other load on the machine can make a test fail, so it gets two more attempts, each in a new window, unless disabled.
 */
const ATTEMPTS = 3;
const MARK = '[suite] ';

ensureInstalled();
const { values } = parseArgs({ options: { grep: { type: 'string', short: 'g' } } });
if (values.grep) process.env.TILLER_TEST_GREP = values.grep;

const { installVscodeOrExit } = await import('./vscode/install.mjs');
const { ARTIFACTS, prepareRun } = await import('./vscode/hostSuite.mjs');
const { openBrowser, Workbench } = await import('./vscode/page.mjs');
const { startVscode } = await import('./vscode/server.mjs');

await installVscodeOrExit();
const started = Date.now();
const run = await prepareRun('host');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    run.problem(`The suite was stopped by ${signal}.`);
    void conclude();
  });
}
let titles = [];
for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
  await runOnce(attempt, titles);
  const { failures } = run.summary();
  titles = failures.some(({ isBeside }) => isBeside) ? [] : failures.map(({ name }) => name);
  if (failures.length === 0 || failures.some(({ isFinal }) => isFinal)) break;
  if (attempt < ATTEMPTS) console.log(`\nOnce more, in a new window: ${titles.join('; ') || 'all of them'}`);
}
await conclude();

/** Runs the whole suite, or the tests with these titles, in a window on a server of its own. */
async function runOnce(attempt, titles) {
  const server = await startVscode({
    workspace: run.workspace,
    profile: 'fast',
    extensions: run.others,
    folder: path.join(run.folder, `vscode-${attempt}`),
    env: { ...run.env(attempt, titles), TILLER_TEST_MARK: MARK },
  });
  let browser;
  try {
    // Every frame is drawn by the processor: the fewer pixels, the less time.
    browser = await openBrowser({ width: 800, height: 500, forUser: false, optimizes: true });
    const { page } = browser;
    const vscode = new Workbench(page, server);
    const ended = new Promise((resolve) => {
      void page.exposeFunction('codeAutomationExit', resolve);
      setTimeout(resolve, LIMIT_MS, 'late').unref();
    });
    // The workbench logs here, too; lines of the suite are marked.
    await page.exposeFunction('codeAutomationLog', (_type, words) => {
      const text = words.join(' ');
      vscode.recordConsole(text);
      if (text.startsWith(MARK)) console.log(text.slice(MARK.length));
    });
    const address = server.address([
      ['extensionDevelopmentPath', server.remote(run.extension)],
      ['extensionTestsPath', server.remote(run.tests)],
    ]);
    await page.goto(address);
    const code = await ended;
    if (code === 'late') run.problem('The suite did not come to an end in time.');
    else if (code !== 0 && run.summary().failed === 0) run.problem(`The suite ended badly (${code}).`);
    if (code !== 0) await page.screenshot({ path: path.join(ARTIFACTS, 'failed.png') });
    for (const complaint of vscode.complaints) run.problem(complaint);
  } catch (error) {
    run.problem(error.stack);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

async function conclude() {
  process.exit((await run.conclude((Date.now() - started) / 1000)) ? 0 : 1);
}
