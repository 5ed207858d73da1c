// The extension in the real VS Code: the work of the thread of its extension host.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { root } from '../../scripts/bootstrap.mjs';
import { openBrowser } from '../../scripts/vscode/page.mjs';
import { stageExtension, startVscode } from '../../scripts/vscode/server.mjs';
import { serveSteps } from './extensionSteps.mjs';
import { newScratch } from './scratch.mjs';

const LIMIT_MS = 120_000;

/** An extension whose view is as empty as possible: the rest of its first use is VS Code's own work. */
const EMPTY = {
  'package.json': JSON.stringify({
    ...{ name: 'empty', publisher: 'bench', version: '0.0.0', engines: { vscode: '^1.105.0' }, main: './main.js' },
    activationEvents: [],
    contributes: {
      viewsContainers: { activitybar: [{ id: 'empty', title: 'Empty', icon: 'icon.svg' }] },
      views: { empty: [{ id: 'empty.view', name: 'Empty', type: 'webview' }] },
    },
  }),
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
  'main.js': `const vscode = require('vscode');
exports.activate = ({ subscriptions }) => subscriptions.push(vscode.window.registerWebviewViewProvider('empty.view', {
  resolveWebviewView: ({ webview }) => void (webview.html = '<!doctype html><p>Empty</p>'),
}));
`,
};

/** Extension and command of a window, for extensionSuite.ts. */
const TILLER = { folder: 'extension', view: 'tiller-dev.tiller tiller.chat.focus' };
const NOTHING = { folder: 'empty', view: 'bench.empty empty.view.focus' };

let staged;

/** The extension and the suite, built once; the first window writes the code cache that users have after the first start. */
async function stage() {
  const folder = newScratch();
  const place = (name) => path.join(folder, name);
  for (const name of ['workspace', 'suite', 'empty']) mkdirSync(place(name));
  await stageExtension(place('extension'));
  for (const [name, text] of Object.entries(EMPTY)) writeFileSync(path.join(place('empty'), name), text);
  const bundle = (name, outfile, options) =>
    esbuild.build({
      entryPoints: [path.join(root, 'test/bench', name)],
      outfile: place(outfile),
      bundle: true,
      platform: 'node',
      mainFields: ['module', 'main'],
      logLevel: 'warning',
      ...options,
    });
  await bundle('extensionSuite.ts', 'suite/index.js', { format: 'cjs', external: ['vscode'] });
  await bundle('extensionWindow.ts', 'extensionWindow.mjs', { format: 'esm' });
  writeFileSync(path.join(place('suite'), 'package.json'), '{ "type": "commonjs" }\n');
  const works = await import(pathToFileURL(place('extensionWindow.mjs')).href);
  staged = { place, works, windows: 0 };
  staged.first = await runInWindow(TILLER, { isWhole: true });
}

async function runInWindow({ folder, view }, { isWhole = false } = {}) {
  const { place, works } = staged;
  const number = staged.windows++;
  const result = place(`result-${number}.json`);
  const browser = await openBrowser();
  let steps;
  let server;
  try {
    const { page } = browser;
    server = await startVscode({
      workspace: place('workspace'),
      profile: 'fast',
      folder: place(`vscode-${number}`),
      env: {
        TILLER_BENCH_RESULT: result,
        TILLER_BENCH_VIEW: view,
        TILLER_BENCH_WHOLE: isWhole ? '1' : '',
        TILLER_BENCH_STEPS: (steps = await serveSteps(page, works)).url,
      },
    });
    steps.open(server);
    let timer;
    const ended = new Promise((resolve) => {
      void page.exposeFunction('codeAutomationExit', resolve);
      timer = setTimeout(resolve, LIMIT_MS, 'late');
    });
    const log = [];
    await page.exposeFunction('codeAutomationLog', (_type, words) => log.push(words.join(' ')));
    const at = (name) => server.remote(place(name));
    await page.goto(
      server.address([
        ['extensionDevelopmentPath', at(folder)],
        ['extensionTestsPath', at('suite/index.js')],
      ]),
    );
    const code = await ended;
    clearTimeout(timer);
    if (code !== 0) throw new Error(`The extension host ended with ${code}: ${log.slice(-3).join(' ')}`);
    return JSON.parse(readFileSync(result, 'utf8'));
  } finally {
    await browser.close();
    await steps?.close();
    await server?.stop();
  }
}

/**
 * Resolves with { wallMs, firstUse, edits, deltas, patch, commands } of a new window, `empty`: the `firstUse` of an extension that does
 * nothing, and `firstEver`: the `firstUse` in the window before there was a code cache.
 */
export async function measureExtension() {
  const started = performance.now();
  if (staged === undefined) await stage();
  const measured = await runInWindow(TILLER, { isWhole: true });
  const empty = (await runInWindow(NOTHING)).firstUse;
  return { wallMs: performance.now() - started, ...measured, empty, firstEver: staged.first.firstUse };
}
