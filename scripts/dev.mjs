// `npm run dev [-- FOLDER] [-- --port N]`: builds Tiller, starts a VS Code with it on a folder (a sample by default), prints
// the address and builds again at every change. Settings and threads stay in artifacts/dev. With --prepare it only builds
// and makes the sample, for F5 in a desktop VS Code.
import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './bootstrap.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string' }, prepare: { type: 'boolean' } },
});
ensureInstalled();
const { build } = await import('./build.mjs');
const { generateSample, writeSample } = await import('./sample.mjs');
const { startVscode } = await import('./vscode/server.mjs');

const folder = path.join(root, 'artifacts', 'dev');
let workspace = positionals[0];
if (!workspace) {
  workspace = path.join(folder, 'sample');
  if (!existsSync(workspace)) await writeSample(workspace, generateSample(Date.now() % 1_000_000));
}
let server;
try {
  await build();
  if (values.prepare) process.exit(0);
  // The port decides what the browser remembers, so it stays the same.
  const port = Number(values.port ?? 8290);
  const env = { TILLER_HOME: path.join(folder, 'tiller') };
  server = await startVscode({ workspace, folder, port, env, extensions: [root], forPerson: true });
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
console.log(`\nVS Code ${server.version} with Tiller: ${server.address()}`);
console.log('Every change is built; F1 > Developer: Reload Window shows it. Ctrl+C ends it.\n');

let timer;
for (const name of ['src', 'webview-ui']) watch(path.join(root, name), { recursive: true }, later);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void server.stop().then(() => process.exit(0)));
}

/** An editor writes several times when it saves. */
function later() {
  clearTimeout(timer);
  timer = setTimeout(() => void rebuild(), 200);
}

async function rebuild() {
  const started = Date.now();
  try {
    await build();
    console.log(`Built in ${Date.now() - started} ms.`);
  } catch {
    // esbuild has said what is wrong; the next change may repair it.
  }
}
