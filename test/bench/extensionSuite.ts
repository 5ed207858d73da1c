/** What VS Code runs in its extension host for extension.mjs. Writes one JSON file; times in milliseconds. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { commandsOf } from './commands.ts';

/** After the first use nothing of it is left to do. */
const SETTLED_MS = 3_000;
/** A turn of the event loop that only watches takes less. */
const IDLE_MS = 0.1;
const CACHE_LIMIT_MS = 30_000;

/** Rejects when the extension is not there or the code cache is not written. */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension('tiller-dev.tiller');
  if (extension === undefined) throw new Error('VS Code does not know tiller-dev.tiller.');
  await extension.activate();
  await sleep(SETTLED_MS);
  const watch = watchThread();
  await vscode.commands.executeCommand('tiller.chat.focus');
  await sleep(SETTLED_MS);
  const firstUse = watch.end();
  const dist = path.join(extension.extensionPath, 'dist');
  const folder = await mkdtemp(path.join(tmpdir(), 'tiller-bench-host-'));
  try {
    const commands = await commandsOf(folder, path.join(dist, 'starter.js'), 250);
    await untilCached(dist);
    writeFileSync(process.env['TILLER_BENCH_RESULT'] ?? '', JSON.stringify({ firstUse, commands }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The host writes the code cache some seconds after the first use; later starts read it. */
async function untilCached(dist: string): Promise<void> {
  const isThere = () => existsSync(dist) && readdirSync(dist).some((name) => /^compose\.js\..*\.cache$/.test(name));
  for (let waited = 0; !isThere(); waited += 100) {
    if (waited > CACHE_LIMIT_MS) throw new Error('No code cache was written.');
    await sleep(100);
  }
}

/**
 * Watches this thread: the time of all its turns of the event loop that do something, and of the longest. Real time: the
 * system counts the processor time of a thread in ticks, which are too coarse.
 */
function watchThread() {
  let isWatching = true;
  let before = performance.now();
  let allMs = 0;
  let longestMs = 0;
  const tick = () => {
    const now = performance.now();
    const slice = now - before;
    before = now;
    if (slice > IDLE_MS) allMs += slice;
    longestMs = Math.max(longestMs, slice);
    if (isWatching) setImmediate(tick);
  };
  setImmediate(tick);
  return {
    end() {
      isWatching = false;
      return { allMs, longestMs };
    },
  };
}
