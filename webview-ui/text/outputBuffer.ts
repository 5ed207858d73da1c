/**
 * Splits a command's output into chunks of lines that the view appends and removes as a whole. A rendered chunk is
 * never rendered again, and at most `LINE_CAP` lines are kept (docs/reference/libraries.md §1, "Live command output").
 */
import { lastOverwrite } from '../../src/protocol/text/terminalText.ts';
import { appendAnsi, type AnsiStyle, PLAIN } from './ansi.ts';
import type { Run } from './runs.ts';

export interface OutputChunk {
  readonly id: number;
  readonly runs: readonly Run[];
}

export interface OutputView {
  readonly chunks: readonly OutputChunk[];
  /** The number of lines before the first chunk. */
  readonly earlierLines: number;
}

export const LINE_CAP = 2_000;
/** The id of the chunk with the incomplete last line. */
export const OPEN_LINE = -1;
const CHUNK_LINES = 100;

interface GrowingChunk extends OutputChunk {
  readonly lineCount: number;
}

/**
 * Holds the output of one command. Pass the whole text each time, as the thread's state has it: its beginning may have
 * been dropped since.
 */
export class OutputBuffer {
  #text = '';
  #chunks: GrowingChunk[] = [];
  #nextId = 0;
  #openLine = '';
  #style = PLAIN;
  #earlierLines = 0;

  update(text: string): OutputView {
    if (!text.startsWith(this.#text)) this.#startAgain();
    const fresh = this.#openLine + text.slice(this.#text.length);
    this.#text = text;
    const end = fresh.lastIndexOf('\n') + 1;
    this.#appendLines(fresh.slice(0, end));
    this.#openLine = fresh.slice(end);
    const runs: Run[] = [];
    appendAnsi(runs, lastOverwrite(this.#openLine), this.#style);
    const open = runs.length === 0 ? [] : [{ id: OPEN_LINE, runs }];
    return { chunks: [...this.#chunks, ...open], earlierLines: this.#earlierLines };
  }

  /** Call when the beginning of the text was dropped. The chunks shown so far count as earlier lines. */
  #startAgain(): void {
    this.#earlierLines += this.#chunks.reduce((sum, chunk) => sum + chunk.lineCount, 0);
    this.#chunks = [];
    this.#text = '';
    this.#openLine = '';
    this.#style = PLAIN;
  }

  #appendLines(text: string): void {
    if (text === '') return;
    const lines = text.slice(0, -1).split('\n');
    const skipped = Math.max(0, lines.length - LINE_CAP);
    this.#earlierLines += skipped;
    for (let from = skipped; from < lines.length; ) {
      const last = this.#chunks.at(-1);
      const room = last === undefined ? 0 : CHUNK_LINES - last.lineCount;
      const count = Math.min(room || CHUNK_LINES, lines.length - from);
      const added = lines.slice(from, from + count);
      if (room > 0) this.#chunks.splice(-1, 1, this.#grown(last, added));
      else this.#chunks.push(this.#grown(undefined, added));
      from += count;
    }
    while (this.#lineCount() > LINE_CAP) this.#earlierLines += this.#chunks.shift()?.lineCount ?? 0;
  }

  #grown(chunk: GrowingChunk | undefined, lines: readonly string[]): GrowingChunk {
    const runs = [...(chunk?.runs ?? [])];
    let style: AnsiStyle = this.#style;
    for (const line of lines) style = appendAnsi(runs, `${lastOverwrite(line)}\n`, style);
    this.#style = style;
    return { id: chunk?.id ?? this.#nextId++, runs, lineCount: (chunk?.lineCount ?? 0) + lines.length };
  }

  #lineCount(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.lineCount, 0);
  }
}
