/** Colours code that is still being written. Each line is parsed only a few times, however long the code is. */
import { highlight } from './highlight.ts';
import type { Run } from './runs.ts';

/** Number of lines after which a part is finished even without an empty line. */
const MOST_LINES = 40;

export interface GrowingCode {
  /** The finished parts. Later results contain the same arrays. */
  readonly parts: readonly (readonly Run[])[];
  /** The incomplete last line, which is not coloured. */
  readonly rest: string;
}

/**
 * Colours growing code part by part. A part ends at an empty line. If a comment or a string spans several parts, its
 * colour may be wrong until the code is complete and is coloured as a whole.
 */
export class GrowingHighlight {
  readonly #language: string;
  readonly #parts: (readonly Run[])[] = [];
  /** The length of the text in the finished parts. */
  #settled = 0;
  /** The complete lines after the finished parts, with their runs. */
  #open = { text: '', runs: [] as readonly Run[] };

  constructor(language: string) {
    this.#language = language;
  }

  /** Returns the coloured code. Pass the whole code each time. */
  update(code: string): GrowingCode {
    const end = code.lastIndexOf('\n') + 1;
    const lines = code.slice(this.#settled, end);
    if (lines !== this.#open.text) this.#colour(lines);
    return { parts: [...this.#parts, this.#open.runs], rest: code.slice(end) };
  }

  #colour(lines: string): void {
    let open = lines;
    for (let cut = partEnd(open); cut > 0; cut = partEnd(open)) {
      this.#parts.push(highlight(open.slice(0, cut), this.#language));
      this.#settled += cut;
      open = open.slice(cut);
    }
    this.#open = { text: open, runs: open === '' ? [] : highlight(open, this.#language) };
  }
}

/** Returns the end of the first finished part; 0 if there is none. */
function partEnd(lines: string): number {
  const blank = /\n\s*\n(?=[^\n])/.exec(lines);
  if (blank !== null) return blank.index + blank[0].length;
  let end = 0;
  for (let count = 0; count < MOST_LINES; count++) {
    end = lines.indexOf('\n', end) + 1;
    if (end === 0) return 0;
  }
  return end === lines.length ? 0 : end;
}
