// The stage for the panel outside VS Code: the built panel, a page, a browser, and the scenes of states.ts.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { chromium } from 'playwright-core';
import { buildWebview } from '../../../scripts/buildWebview.mjs';
import { findBrowser, UNOPTIMIZED } from '../../../scripts/vscode/browser.mjs';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
  '.svg': 'image/svg+xml',
};

/** The files of a stage do not change: the browser keeps them, and after a few loads the compiled code of the panel. */
const CACHED = { 'cache-control': 'max-age=3600', 'last-modified': new Date(0).toUTCString() };

export const THEMES = {
  dark: { name: 'Dark Modern', classes: 'vscode-dark' },
  light: { name: 'Light Modern', classes: 'vscode-light' },
  'hc-dark': { name: 'Dark High Contrast', classes: 'vscode-high-contrast vscode-dark' },
  'hc-light': { name: 'Light High Contrast', classes: 'vscode-high-contrast vscode-high-contrast-light' },
};

/**
 * Everything is released by `close()`. With `forUser: false` the browser does not optimize, and caches the panel: the speed
 * of a page must not be measured in it.
 */
export async function setStage({ forUser = true } = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'tiller-panel-'));
  await buildWebview({ outdir: folder, buildId: 'preview' });
  const outfile = path.join(folder, 'states.mjs');
  const entryPoints = [path.join(import.meta.dirname, 'states.ts')];
  await esbuild.build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
  const { SCENES, threadOf } = await import(pathToFileURL(outfile).href);
  const server = await serve([folder, import.meta.dirname], forUser ? {} : CACHED);
  const { executablePath, env } = await findBrowser();
  const browser = await chromium.launch({
    executablePath,
    env: { ...(env ?? process.env), TMPDIR: folder },
    args: [
      '--no-sandbox',
      '--font-render-hinting=none',
      '--force-color-profile=srgb',
      ...(forUser ? [] : [UNOPTIMIZED]),
    ],
  });
  let page;
  /** The number of scenes that were shown. */
  let shown = 0;
  return {
    scenes: SCENES,
    threadOf,
    browser,
    /**
     * A page that shows one scene, of the panel or of the page that it names, and no other page with it: the scene before is gone. Complaints of the page and its security
     * policy are collected in `page.complaints`.
     */
    async show(scene, { theme = 'dark', width = 400, height = 920 } = {}) {
      // A new document in the same page costs a tenth of a new page.
      if (page === undefined || page.isClosed()) page = await openPage(browser);
      page.complaints = [];
      await page.setViewportSize({ width, height });
      const address = `http://127.0.0.1:${server.address().port}`;
      await page.goto(`${address}/${scene.page ?? 'index'}.html?scene=${++shown}`);
      await changeTheme(page, theme);
      await send(page, scene.messages);
      for (const testid of scene.clicks ?? []) await page.getByTestId(testid).first().click();
      if (scene.later !== undefined) await send(page, scene.later);
      if (scene.typed !== undefined) {
        await page.getByTestId('composer-input').focus();
        await page.keyboard.type(scene.typed);
      }
      if (scene.rows !== undefined) await answerMentions(page, scene.rows);
      await page.evaluate(() => document.fonts.ready);
      return page;
    },
    async close() {
      await browser.close();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openPage(browser) {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()));
  return page;
}

/** @param {keyof typeof THEMES} theme */
export async function changeTheme(page, theme) {
  await page.evaluate(({ name, classes }) => {
    document.documentElement.dataset.theme = name;
    document.body.className = classes;
  }, THEMES[theme]);
}

/** The scene under other settings. */
export function under(scene, settings) {
  const messages = scene.messages.map((message) =>
    message.type === 'snapshot' ? { ...message, settings: { ...message.settings, ...settings } } : message,
  );
  return { ...scene, messages };
}

/** Posts messages to the panel as the host would, and waits until it has rendered them. */
export async function send(page, messages) {
  await page.evaluate(async (messages) => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)));
    for (const message of messages) window.postMessage(message, '*');
    for (let frame = 0; frame < 6; frame++) await nextFrame();
  }, messages);
}

/** Answers the newest query of the list at an `@`. */
export async function answerMentions(page, rows) {
  await page.waitForFunction(() => globalThis.posted.some(({ type }) => type === 'find_mentions'));
  const id = await page.evaluate(() => globalThis.posted.findLast(({ type }) => type === 'find_mentions').id);
  await send(page, [{ type: 'mentions_found', build: 'preview', id, rows, isLast: true }]);
}

/** The messages of the panel to the host since the last call. */
export function takePosted(page) {
  return page.evaluate(() => globalThis.posted.splice(0));
}

/** @param {string[]} folders @param {Record<string, string>} headers  of every file */
async function serve(folders, headers) {
  const server = createServer((request, response) => {
    const name = path.basename(new URL(request.url ?? '/', 'http://localhost').pathname);
    const page = /^(rules|audit)\.html$/.exec(name)?.[1];
    if (page !== undefined) {
      const text = readFileSync(path.join(import.meta.dirname, 'index.html'), 'utf8');
      response.writeHead(200, { 'content-type': TYPES['.html'] }).end(text.replaceAll('main.', `${page}.`));
      return;
    }
    const file = folders.map((folder) => path.join(folder, name)).find((candidate) => existsSync(candidate));
    if (file === undefined) {
      // A browser requests an icon by itself.
      response.writeHead(name === 'favicon.ico' ? 204 : 404).end();
      return;
    }
    response.writeHead(200, { ...headers, 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  return server;
}

export async function emptyFolder(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}
