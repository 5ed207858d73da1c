/** Cuts text into small pieces, as models stream it, with short pauses between them. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Approximate number of characters in a piece: a word or two. */
const PIECE = 12;
/** The most pauses in a response; timers are too coarse for more. */
const MOST_WAITS = 12;

/** The text in pieces that end where words end. */
export function pieces(text: string): string[] {
  const cut: string[] = [];
  for (const word of text.match(/\S*\s+|\S+/g) ?? []) {
    const last = cut.at(-1);
    if (last === undefined || last.length >= PIECE) cut.push(word);
    else cut[cut.length - 1] = last + word;
  }
  return cut;
}

/** Called before each of `count` pieces; the pauses of one response take about `paceMs` together. */
export function createPacer(count: number, paceMs: number, signal: AbortSignal): () => Promise<void> {
  const every = Math.max(1, Math.ceil(count / MOST_WAITS));
  const waits = Math.ceil(count / every);
  let piece = 0;
  return async () => {
    signal.throwIfAborted();
    const waitsNow = paceMs > 0 && piece % every === 0;
    piece += 1;
    if (waitsNow) await sleep(paceMs / waits, undefined, { signal });
  };
}
