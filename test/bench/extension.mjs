// The extension in the real VS Code: the work of the thread of its extension host.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { root } from '../../scripts/bootstrap.mjs';
import { openBrowser } from '../../scripts/vscode/page.mjs';
import { stageExtension, startVscode } from '../../scripts/vscode/server.mjs';
import { newScratch } from './scratch.mjs';

const LIMIT_MS = 120_000;

let staged;

/** The extension and the suite, built once; the first window writes the code cache that users have after the first start. */
async function stage() {
  const folder = newScratch();
  const place = (name) => path.join(folder, name);
  for (const name of ['workspace', 'suite']) mkdirSync(place(name));
  await stageExtension(place('extension'));
  await esbuild.build({
    entryPoints: [path.join(root, 'test/bench/extensionSuite.ts')],
    outfile: path.join(place('suite'), 'index.js'),
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  });
  writeFileSync(path.join(place('suite'), 'package.json'), '{ "type": "commonjs" }\n');
  staged = { place, windows: 0 };
  staged.first = await runInWindow();
}

async function runInWindow() {
  const { place } = staged;
  const number = staged.windows++;
  const result = place(`result-${number}.json`);
  const server = await startVscode({
    workspace: place('workspace'),
    profile: 'fast',
    folder: place(`vscode-${number}`),
    env: { TILLER_BENCH_RESULT: result },
  });
  let browser;
  try {
    browser = await openBrowser({ width: 800, height: 500 });
    const { page } = browser;
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
        ['extensionDevelopmentPath', at('extension')],
        ['extensionTestsPath', at('suite/index.js')],
      ]),
    );
    const code = await ended;
    clearTimeout(timer);
    if (code !== 0) throw new Error(`The extension host ended with ${code}: ${log.slice(-3).join(' ')}`);
    return JSON.parse(readFileSync(result, 'utf8'));
  } finally {
    await browser?.close();
    await server.stop();
  }
}

/**
 * Resolves with { wallMs, firstUse, commands } of a new window, and `firstEver`: its `firstUse` in the window before there was a
 * code cache.
 */
export async function measureExtension() {
  const started = performance.now();
  if (staged === undefined) await stage();
  const { firstUse, commands } = await runInWindow();
  return { wallMs: performance.now() - started, firstUse, commands, firstEver: staged.first.firstUse };
}
