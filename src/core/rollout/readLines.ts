import type { Storage } from '../ports.ts';

/** Large enough that a rollout is mostly one read, small enough that a search does not hold up the host. */
const CHUNK = 1024 * 1024;
const NEWLINE = 10;

export interface LineBatch {
  readonly lines: readonly string[];
  /** The byte behind the last of them. */
  readonly end: number;
}

/** Whole lines of a file from a byte on, as many at a time as one read gives. A torn last line is left out. */
export async function* readLines(storage: Storage, path: string, from = 0): AsyncGenerator<LineBatch> {
  let end = from;
  let held: Uint8Array[] = [];
  for (let position = from; ; ) {
    const chunk = await storage.readBytes(path, position, CHUNK);
    if (chunk.length === 0) return;
    position += chunk.length;
    const cut = chunk.lastIndexOf(NEWLINE) + 1;
    if (cut > 0) {
      const text = Buffer.concat([...held, chunk.subarray(0, cut)]).toString('utf8');
      end += Buffer.concat(held).length + cut;
      held = [];
      yield { lines: text.split('\n').filter((line) => line !== ''), end };
    }
    if (cut < chunk.length) held.push(chunk.subarray(cut));
  }
}
