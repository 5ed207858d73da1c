import type { Storage } from '../ports.ts';

/**
 * In bytes: large enough to read most rollouts at once, small enough that processing the lines of one chunk does not
 * block.
 */
const CHUNK = 512 * 1024;
const TAIL = 256;
const NEWLINE = 10;

export interface LineBatch {
  readonly lines: readonly string[];
  /** The offset after the last line. */
  readonly end: number;
  /** The last bytes before `end`. */
  readonly tail: Uint8Array;
}

interface Reading {
  /** The offset to start at. */
  readonly from?: number;
  /** True to also return an incomplete last line. */
  readonly torn?: boolean;
}

/** Yields the complete lines of a file, in one batch for each read. */
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
