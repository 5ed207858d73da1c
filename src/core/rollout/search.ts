import { traitsOf } from '../../protocol/itemTraits.ts';
import type { ThreadSearchHit, ThreadSummary } from '../../protocol/threads.ts';
import type { Storage } from '../ports.ts';
import { errorCode } from '../util/fileErrors.ts';
import { parseLine } from './parseLine.ts';
import { readLines } from './readLines.ts';
import { escapeRegExp } from '../util/escapeRegExp.ts';

const HITS_PER_THREAD = 5;
const CONTEXT = 60;

/**
 * Searches messages and other items for a text, in the order of `threads`; yields each hit as soon as it is found. Only
 * lines that contain the text are parsed, and at most a megabyte is in memory.
 */
export async function* searchThreads(
  storage: Storage,
  threads: readonly ThreadSummary[],
  query: string,
  signal: AbortSignal,
  hitsPerThread = HITS_PER_THREAD,
): AsyncGenerator<ThreadSearchHit> {
  const phrase = query.trim();
  if (phrase === '') return;
  const wanted = new RegExp(escapeRegExp(phrase), 'iu');
  const asWritten = new RegExp(escapeRegExp(JSON.stringify(phrase).slice(1, -1)), 'iu');
  for (const { id, path, title } of threads) {
    signal.throwIfAborted();
    let left = hitsPerThread;
    const inTitle = title === null ? undefined : hitIn(title, wanted);
    if (inTitle) {
      yield { threadId: id, itemId: null, ...inTitle };
      left--;
    }
    if (left === 0) continue;
    for await (const lines of linesOf(storage, path)) {
      signal.throwIfAborted();
      for (const line of lines) {
        if (left === 0) break;
        if (!line.includes('"item_completed"') || !asWritten.test(line)) continue;
        const hit = hitInLine(line, wanted);
        if (hit === undefined) continue;
        left--;
        yield { threadId: id, ...hit };
      }
      if (left === 0) break;
    }
  }
}

/** Yields no lines of a thread that cannot be read, so that the search continues with the others. */
async function* linesOf(storage: Storage, path: string): AsyncGenerator<readonly string[]> {
  try {
    for await (const { lines } of readLines(storage, path)) yield lines;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

function hitInLine(line: string, wanted: RegExp): Omit<ThreadSearchHit, 'threadId'> | undefined {
  const entry = parseLine(line);
  if (entry?.type !== 'event_msg' || entry.payload.msg.type !== 'item_completed') return undefined;
  const { item } = entry.payload.msg;
  for (const text of traitsOf(item).searched(item)) {
    const hit = hitIn(text, wanted);
    if (hit) return { itemId: item.id, ...hit };
  }
  return undefined;
}

function hitIn(text: string, wanted: RegExp): Pick<ThreadSearchHit, 'before' | 'match' | 'after'> | undefined {
  const found = wanted.exec(text);
  if (found === null) return undefined;
  const [match] = found;
  const end = found.index + match.length;
  const before = text.slice(Math.max(0, found.index - CONTEXT), found.index);
  const after = text.slice(end, end + CONTEXT);
  return {
    before: before.slice(before.lastIndexOf('\n') + 1),
    match,
    after: after.split('\n', 1)[0] ?? '',
  };
}
