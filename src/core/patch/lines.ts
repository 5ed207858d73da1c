/**
 * A text and where its lines begin. Lines keep their own endings, so that nothing a patch does not touch can change; they
 * are never made one by one, because making them is what a patch to a long file would mostly cost.
 */

export type LineEnding = '\n' | '\r\n' | '\r';

/** Lines that still are what they were in the text the plan started from. */
export interface KeptRun {
  /** Where the first of them stood there, and how many they are. */
  readonly origin: number;
  readonly count: number;
  /** Where it begins here, in characters. */
  readonly offset: number;
}

export interface TextLines {
  readonly text: string;
  /** The number of lines. */
  readonly count: number;
  /** Where each line begins; after the last one the end of the text. */
  readonly starts: readonly number[];
  /** The ending of every line but a last one without; `null` where they differ. Of no line at all it is a line feed. */
  readonly commonEnding: LineEnding | null;
  /** The first ending of a file is the one its new lines get (codex-behaviour.md §1.4). */
  readonly preferredEnding: LineEnding;
  /** In order. What lies between them a patch wrote. */
  readonly kept: readonly KeptRun[];
}

interface Endings {
  readonly starts: readonly number[];
  readonly first: LineEnding;
  readonly areEqual: boolean;
}

/** `kept` is asked for only when something was changed. Looked through when first needed, and once. */
export function textLines(text: string, kept?: readonly KeptRun[]): TextLines {
  let found: Endings | undefined;
  const endings = () => (found ??= findEndings(text));
  return {
    text,
    get count() {
      return endings().starts.length - 1;
    },
    get starts() {
      return endings().starts;
    },
    get commonEnding() {
      return endings().areEqual ? endings().first : null;
    },
    get preferredEnding() {
      return endings().first;
    },
    get kept() {
      return kept ?? [{ origin: 0, count: endings().starts.length - 1, offset: 0 }];
    },
  };
}

/** A lone carriage return ends a line (§1.4). */
function findEndings(text: string): Endings {
  const starts = [0];
  let first: LineEnding | undefined;
  let areEqual = true;
  let feed = text.indexOf('\n');
  let carriageReturn = text.indexOf('\r');
  for (let at = 0; at < text.length; ) {
    if (feed !== -1 && feed < at) feed = text.indexOf('\n', at);
    if (carriageReturn !== -1 && carriageReturn < at) carriageReturn = text.indexOf('\r', at);
    const isFeed = carriageReturn === -1 || (feed !== -1 && feed < carriageReturn);
    const ending = isFeed ? '\n' : feed === carriageReturn + 1 ? '\r\n' : '\r';
    const end = isFeed ? feed : carriageReturn;
    if (end === -1) at = text.length;
    else {
      first ??= ending;
      areEqual &&= ending === first;
      at = end + ending.length;
    }
    starts.push(at);
  }
  return { starts, first: first ?? '\n', areEqual };
}

/** The line at `index` without its ending. */
export function lineAt({ text, starts }: TextLines, index: number): string {
  const start = starts[index] ?? text.length;
  let end = starts[index + 1] ?? text.length;
  if (end > start && text[end - 1] === '\n') end--;
  // Before a line feed, or alone: either way it belongs to the ending.
  if (end > start && text[end - 1] === '\r') end--;
  return text.slice(start, end);
}

/** Whether the last line lacks an ending. */
export function endsOpen({ text }: Pick<TextLines, 'text'>): boolean {
  return text !== '' && !text.endsWith('\n') && !text.endsWith('\r');
}

/** The line that begins at this character, or the last one before it. */
export function lineOfOffset({ starts }: TextLines, offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Builds a text out of lines of another one and of new ones. */
export class LinesWriter {
  readonly #from: TextLines;
  readonly #pieces: string[] = [];
  readonly #kept: KeptRun[] = [];
  /** Of the runs of the other text. */
  #next = 0;
  #length = 0;
  /** A fresh reader would see other lines: then what is kept of the origin of these is given up. */
  #isReadOtherwise = false;

  constructor(from: TextLines) {
    this.#from = from;
  }

  /** The lines `start`…`end` of the other text; its last one gets the ending that it may lack (§1.4). */
  keep(start: number, end: number): void {
    const { text, starts, count, preferredEnding } = this.#from;
    const isOpen = end === count && endsOpen(this.#from);
    const whole = isOpen ? end - 1 : end;
    if (whole > start) {
      this.#note(start, whole);
      this.#push(text.slice(starts[start], starts[whole]));
    }
    if (isOpen && end > start) this.#push(text.slice(starts[end - 1]) + preferredEnding);
  }

  write(line: string): void {
    if (line.includes('\r')) this.#isReadOtherwise = true;
    this.#push(line + this.#from.preferredEnding);
  }

  finish(): TextLines {
    return textLines(this.#pieces.join(''), this.#isReadOtherwise ? [] : this.#kept);
  }

  /** A carriage return that meets a line feed becomes one ending with it. */
  #push(piece: string): void {
    if (piece.startsWith('\n') && this.#pieces.at(-1)?.endsWith('\r')) this.#isReadOtherwise = true;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /** What is kept comes in order, and so do the runs. */
  #note(start: number, end: number): void {
    const { starts, kept } = this.#from;
    for (; this.#next < kept.length; this.#next++) {
      const run = kept[this.#next];
      const first = run === undefined ? end : lineOfOffset(this.#from, run.offset);
      if (run === undefined || first >= end) return;
      const from = Math.max(start, first);
      const count = Math.min(end, first + run.count) - from;
      const offset = this.#length + (starts[from] ?? 0) - (starts[start] ?? 0);
      if (count > 0) this.#kept.push({ origin: run.origin + from - first, count, offset });
      if (first + run.count > end) return;
    }
  }
}
