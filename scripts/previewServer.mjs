// `npm run dev:panel [-- --port N]`: the panel in every state in a plain browser, built and reloaded at every change.
import { createReadStream, existsSync, watch } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './bootstrap.mjs';

const { values } = parseArgs({ options: { port: { type: 'string' } } });
ensureInstalled();
const esbuild = await import('esbuild');
const { buildWebview } = await import('./buildWebview.mjs');
const { THEMES } = await import('../test/webview/preview/stage.mjs');

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };
const previews = path.join(root, 'test/webview/preview');
const folder = await mkdtemp(path.join(tmpdir(), 'tiller-preview-'));
const listeners = new Set();

await mkdir(folder, { recursive: true });
await rebuild();
const port = Number(values.port ?? 8291);
const server = createServer(answer).listen(port, '127.0.0.1', () => {
  console.log(`The panel in every state: http://127.0.0.1:${port}`);
});

let timer;
for (const place of ['webview-ui', 'src/protocol', 'test/webview/preview']) {
  watch(path.join(root, place), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => void rebuild(), 100);
  });
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close();
    void rm(folder, { recursive: true, force: true }).then(() => process.exit(0));
  });
}

async function rebuild() {
  console.log('Building …');
  try {
    await buildWebview({ outdir: folder, buildId: 'preview' });
    await esbuild.build({
      entryPoints: { scenes: path.join(previews, 'states.ts') },
      outdir: folder,
      bundle: true,
      format: 'iife',
      globalName: 'states',
      logLevel: 'warning',
    });
    for (const response of listeners) response.write('data: built\n\n');
  } catch {
    // esbuild has already printed the error.
  }
}

function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/changes') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    listeners.add(response);
    request.once('close', () => listeners.delete(response));
    return;
  }
  if (pathname === '/') return page(response, frames());
  if (pathname === '/scene') return page(response, scene(searchParams.get('theme') ?? 'dark'));
  const name = path.basename(pathname);
  const file = [folder, previews].map((one) => path.join(one, name)).find((candidate) => existsSync(candidate));
  if (file === undefined) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
  createReadStream(file).pipe(response);
}

function page(response, body) {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><meta charset="utf-8"><title>Tiller: panel</title>${body}`);
}

/**
 * Returns the page that shows one scene at a time. The user can choose a theme and a width; the choice is part of the
 * URL.
 */
function frames() {
  return `<style>body{margin:0;font:13px sans-serif}nav{padding:8px;display:flex;gap:8px}iframe{border:0;height:calc(100vh - 42px)}</style>
<nav><select id="scene" aria-label="Scene"></select><select id="theme" aria-label="Theme">${Object.keys(THEMES)
    .map((name) => `<option>${name}</option>`)
    .join(
      '',
    )}</select><select id="width" aria-label="Width"><option>260</option><option selected>400</option><option>900</option></select></nav>
<iframe title="Panel"></iframe><script src="scenes.js"></script><script>
const pick = (id) => document.getElementById(id);
for (const name of Object.keys(states.SCENES)) pick('scene').append(new Option(name));
const chosen = new URLSearchParams(location.hash.slice(1));
for (const id of ['scene', 'theme', 'width']) { if (chosen.get(id)) pick(id).value = chosen.get(id); pick(id).onchange = show; }
function show() {
  const query = new URLSearchParams(['scene', 'theme', 'width'].map((id) => [id, pick(id).value]));
  location.hash = query; const frame = document.querySelector('iframe');
  frame.style.width = pick('width').value + 'px'; frame.src = '/scene?' + query;
}
show(); new EventSource('/changes').onmessage = () => location.reload();
</script>`;
}

function scene(theme) {
  const { name, classes } = THEMES[theme] ?? THEMES.dark;
  return `<html data-theme="${name}"><link rel="stylesheet" href="themes.css"><link rel="stylesheet" href="main.css">
<script src="host.js"></script><script src="scenes.js"></script><body class="${classes}"><div id="root"></div><script src="main.js"></script><script>
const scene = states.SCENES[new URLSearchParams(location.search).get('scene')];
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
(async () => {
  for (const message of scene.messages) postMessage(message, '*');
  for (let n = 0; n < 6; n++) await frame();
  for (const id of scene.clicks ?? []) { document.querySelector('[data-testid="' + id + '"]').click(); await frame(); }
})();
</script></body></html>`;
}
