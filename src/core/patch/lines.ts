/**
 * A text with the offsets of its lines. Lines keep their own endings, so that text that a patch does not touch cannot
 * change. Lines are not copied to separate strings, because that would dominate the cost of a patch to a long file.
 */

export type LineEnding = '\n' | '\r\n' | '\r';

/** A run of lines that are unchanged from the text that the plan started from. */
export interface KeptRun {
  /** The line number of the first one in the original text, and the number of lines. */
  readonly origin: number;
  readonly count: number;
  /** The offset of the run in this text, in characters. */
  readonly offset: number;
}

export interface TextLines {
  readonly text: string;
  readonly count: number;
  /** The offset of each line, and of the end of the text as the last entry. */
  readonly starts: ArrayLike<number>;
  /**
   * The ending of all lines (the last line may lack one); `null` where they differ. A line feed for a text without
   * lines.
   */
  readonly commonEnding: LineEnding | null;
  /** The ending for new lines: the first one in the file (codex-behaviour.md §1.4). */
  readonly preferredEnding: LineEnding;
  /** In order. The text between them was written by a patch. */
  readonly kept: readonly KeptRun[];
}

interface Endings {
  readonly starts: ArrayLike<number>;
  readonly first: LineEnding;
  readonly areEqual: boolean;
}

/** `kept` is needed only for a changed text. The endings are found once, on first use. */
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

/** The offset of each line, and of the end of the text as the last entry. */
export function lineStarts(text: string): ArrayLike<number> {
  return findEndings(text).starts;
}

/** A lone carriage return is a line ending (§1.4). */
function findEndings(text: string): Endings {
  return text.includes('\r') ? findMixedEndings(text) : findLineFeeds(text);
}

/**
 * Uses a typed array, which takes memory only where it is written: a growing array is copied several times, also by the
 * garbage collector.
 */
function findLineFeeds(text: string): Endings {
  let starts = new Uint32Array((text.length >>> 3) + 8);
  let count = 1;
  for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', feed + 1)) {
    // Room for the end of the text, too.
    if (count + 1 === starts.length) starts = withMoreRoom(starts);
    starts[count++] = feed + 1;
  }
  if (text !== '' && !text.endsWith('\n')) starts[count++] = text.length;
  return { starts: starts.subarray(0, count), first: '\n', areEqual: true };
}

function withMoreRoom(starts: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(starts.length * 2);
  larger.set(starts);
  return larger;
}

function findMixedEndings(text: string): Endings {
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
  // Part of the ending, whether a line feed follows or not.
  if (end > start && text[end - 1] === '\r') end--;
  return text.slice(start, end);
}

/** Returns true if the lines from `index` equal these, ignoring endings. Copies nothing; false if the endings differ. */
export function areLinesAt(
  { text, starts, commonEnding }: TextLines,
  index: number,
  wanted: readonly string[],
): boolean {
  if (commonEnding === null || index + wanted.length >= starts.length) return false;
  const isOpen = endsOpen({ text });
  return wanted.every((line, offset) => {
    const start = starts[index + offset] ?? 0;
    const next = starts[index + offset + 1] ?? 0;
    const ending = isOpen && next === text.length ? 0 : commonEnding.length;
    return next - start === line.length + ending && text.startsWith(line, start);
  });
}

/** True when the last line has no ending. */
export function endsOpen({ text }: Pick<TextLines, 'text'>): boolean {
  return text !== '' && !text.endsWith('\n') && !text.endsWith('\r');
}

/** The line that begins at this offset, or the last one before it. */
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

/** Builds a text from lines of another one and new lines. */
export class LinesWriter {
  readonly #from: TextLines;
  readonly #pieces: string[] = [];
  readonly #kept: KeptRun[] = [];
  /** The index of the next run of the other text, and its first line there once it is known. */
  #next = 0;
  #nextFirst: number | undefined;
  #length = 0;
  /** True when the pieces would be split into other lines when read again; then the runs are given up. */
  #isReadOtherwise = false;

  constructor(from: TextLines) {
    this.#from = from;
  }

  /** Copies the lines `start`…`end` of the other text; its last line gets the ending that it may lack (§1.4). */
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

  /** A carriage return before a line feed becomes part of the same ending. */
  #push(piece: string): void {
    if (piece.startsWith('\n') && this.#pieces.at(-1)?.endsWith('\r')) this.#isReadOtherwise = true;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /** Records the runs within the copied lines; copies and runs are both in order. */
  #note(start: number, end: number): void {
    const { starts, kept } = this.#from;
    for (; this.#next < kept.length; this.#next++, this.#nextFirst = undefined) {
      const run = kept[this.#next];
      const first = run === undefined ? end : (this.#nextFirst ??= lineOfOffset(this.#from, run.offset));
      if (run === undefined || first >= end) return;
      const from = Math.max(start, first);
      const count = Math.min(end, first + run.count) - from;
      const offset = this.#length + (starts[from] ?? 0) - (starts[start] ?? 0);
      if (count > 0) this.#kept.push({ origin: run.origin + from - first, count, offset });
      if (first + run.count > end) return;
    }
  }
}
