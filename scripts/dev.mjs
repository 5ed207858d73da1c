// `npm run dev [-- FOLDER] [-- --port N] [-- --no-reload]`: builds Tiller, starts a VS Code with it on a folder (a
// sample by default), prints the URL, rebuilds at every change and reloads the window. Settings and threads stay in
// artifacts/dev. For F5 in a desktop VS Code: --prepare only builds and creates the sample, --watch also rebuilds.
import { existsSync, mkdirSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './bootstrap.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string' },
    prepare: { type: 'boolean' },
    watch: { type: 'boolean' },
    'no-reload': { type: 'boolean' },
  },
});
ensureInstalled();
const { build } = await import('./build.mjs');
const { generateSample, writeSample } = await import('./sample.mjs');
const { startVscode } = await import('./vscode/server.mjs');

const folder = path.join(root, 'artifacts', 'dev');
mkdirSync(folder, { recursive: true });
let workspace = positionals[0];
if (!workspace) {
  workspace = path.join(folder, 'sample');
  if (!existsSync(workspace)) await writeSample(workspace, generateSample(Date.now() % 1_000_000));
}
let server;
try {
  console.log('Building …');
  await build({ sourcemap: 'linked' });
  if (values.prepare) process.exit(0);
  if (!values.watch) server = await startServer();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
console.log('Built.');
if (server) {
  console.log(`\nVS Code ${server.version} with Tiller: ${server.address()}`);
  console.log(`Every change is built${values['no-reload'] ? '' : ' and reloads the window'}. Ctrl+C ends it.\n`);
}

let timer;
for (const name of ['src', 'webview-ui']) watch(path.join(root, name), { recursive: true }, later);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void (server?.stop() ?? Promise.resolve()).then(() => process.exit(0)));
}

/** Starts VS Code on a fixed port, because the browser stores data per port. */
function startServer() {
  const env = { TILLER_HOME: path.join(folder, 'tiller') };
  const reloader = values['no-reload'] ? [] : [path.join(import.meta.dirname, 'vscode/reloader')];
  const port = Number(values.port ?? 8290);
  return startVscode({ workspace, folder, port, env, extensions: [root, ...reloader], forUser: true });
}

/** Rebuilds, debounced: an editor may write several times when it saves. */
function later() {
  clearTimeout(timer);
  timer = setTimeout(() => void rebuild(), 200);
}

async function rebuild() {
  const started = Date.now();
  console.log('Building …');
  try {
    await build({ sourcemap: 'linked' });
    console.log(`Built in ${Date.now() - started} ms.`);
    writeFileSync(path.join(folder, 'built'), String(started));
  } catch {
    // esbuild has already printed the error.
    console.log('Built with errors.');
  }
}
