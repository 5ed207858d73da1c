// Opens the list of a thousand threads, as in a new window: the index is on disk, nothing in memory.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadTypeScript } from '../../scripts/oracle/loadTypeScript.mjs';
import { newScratch } from './scratch.mjs';
import { threadDay, threadId, threadText } from './threadText.mjs';

const THREADS = 1000;
const TURNS = 20;

let home;

/** Milliseconds of one opening. */
export async function openThreadList() {
  const { ThreadCatalog, createNodePorts } = await loadTypeScript('src/core/rollout/catalog.ts', 'src/node/ports.ts');
  const opened = () =>
    new ThreadCatalog(createNodePorts({ roots: [], environment: { TILLER_HOME: home } }), async () => {});
  if (home === undefined) {
    home = newScratch();
    for (let number = 0; number < THREADS; number++) writeThread(number);
    await opened().list(['/work']);
  }
  const catalog = opened();
  const start = performance.now();
  const threads = await catalog.list(['/work']);
  const wallMs = performance.now() - start;
  if (threads.length !== THREADS) throw new Error(`${threads.length} threads were listed`);
  return { wallMs };
}

function writeThread(number) {
  const day = threadDay(number);
  const folder = path.join(home, 'threads', '2026', '11', day);
  mkdirSync(folder, { recursive: true });
  const name = `rollout-2026-11-${day}T00-00-00-${threadId(number)}.jsonl`;
  writeFileSync(path.join(folder, name), threadText({ number, turns: TURNS }));
}
