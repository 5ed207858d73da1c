// Prints the events of a thread while it runs, read from its rollout, and keeps a copy of the rollout.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inPlainWords } from './plainWords.mjs';

const INTERVAL_MS = 200;

/**
 * Follows the rollout. @param {string} home  a TILLER_HOME with one thread in it @param {string} transcript  the path
 * of the copy
 */
export function followRollout(home, transcript) {
  let printed = 0;
  const look = () => {
    const text = readThread(home);
    const lines = text.split('\n').slice(0, -1);
    for (const line of lines.slice(printed)) {
      const { type, payload } = JSON.parse(line);
      if (type === 'event_msg') for (const words of inPlainWords(payload.msg)) console.log(words);
    }
    printed = lines.length;
    return text;
  };
  const timer = setInterval(look, INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      writeFileSync(transcript, look());
    },
  };
}

function readThread(home) {
  const threads = path.join(home, 'threads');
  if (!existsSync(threads)) return '';
  const [file] = readdirSync(threads, { recursive: true }).filter((name) => String(name).endsWith('.jsonl'));
  return file ? readFileSync(path.join(threads, String(file)), 'utf8') : '';
}
