// Reads a thread of a given number of turns from the disk, as when it is opened.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadTypeScript } from '../../scripts/oracle/loadTypeScript.mjs';
import { newScratch } from './scratch.mjs';
import { threadText } from './threadText.mjs';

const homes = new Map();

/** Resolves with { wallMs }. */
export async function readThread(turns) {
  const { replayFile, createNodePorts } = await loadTypeScript('src/core/rollout/replay.ts', 'src/node/ports.ts');
  const name = 'rollout.jsonl';
  if (!homes.has(turns)) {
    const home = newScratch();
    writeFileSync(path.join(home, name), threadText({ number: turns, turns }));
    homes.set(turns, home);
  }
  const { storage } = createNodePorts({ roots: [], environment: { TILLER_HOME: homes.get(turns) } });
  const start = performance.now();
  const read = await replayFile(storage, name);
  const wallMs = performance.now() - start;
  if (read.type !== 'thread' || read.thread.dropped > 0) throw new Error('The thread was not read.');
  return { wallMs };
}
