import type { Storage } from '../ports.ts';

/** Large enough that a rollout is mostly one read, small enough that what is done to the lines of one holds nobody up. */
const CHUNK = 512 * 1024;
const TAIL = 256;
const NEWLINE = 10;

export interface LineBatch {
  readonly lines: readonly string[];
  /** The byte behind the last of them. */
  readonly end: number;
  /** The last bytes before that. */
  readonly tail: Uint8Array;
}

interface Reading {
  /** The byte to begin at. */
  readonly from?: number;
  /** A last line that nobody has ended comes, too. */
  readonly torn?: boolean;
}

/** Whole lines of a file, as many at a time as one read gives. */
export async function* readLines(
  storage: Storage,
  path: string,
  { from = 0, torn = false }: Reading = {},
): AsyncGenerator<LineBatch> {
  let end = from;
  let held: Uint8Array[] = [];
  for (let position = from; ; ) {
    const chunk = await storage.readBytes(path, position, CHUNK);
    const isOver = chunk.length === 0;
    position += chunk.length;
    const cut = chunk.lastIndexOf(NEWLINE) + 1;
    if (cut > 0 || (isOver && torn && held.length > 0)) {
      const bytes = Buffer.concat([...held, chunk.subarray(0, cut)]);
      end += bytes.length;
      held = [];
      const lines = bytes.toString('utf8').split('\n');
      yield { lines: lines.filter((line) => line !== ''), end, tail: Uint8Array.from(bytes.subarray(-TAIL)) };
    }
    if (isOver) return;
    if (cut < chunk.length) held.push(chunk.subarray(cut));
  }
}
