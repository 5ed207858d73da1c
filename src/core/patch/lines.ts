/** A text as lines that keep their own endings, so that nothing a patch does not touch can change. */

export type LineEnding = '' | '\n' | '\r\n' | '\r';

export interface FileLine {
  readonly text: string;
  /** Empty only for a last line that has none. */
  readonly ending: LineEnding;
  /** Where it stood in the text the plan started from; `null` for a line that a patch wrote. */
  readonly origin: number | null;
}

/** `origins` says what the lines remember of their place. A lone carriage return ends a line (codex-behaviour.md §1.4). */
export function splitLines(text: string, origins: 'numbered' | 'none'): FileLine[] {
  const lines: FileLine[] = [];
  let start = 0;
  let feed = text.indexOf('\n');
  let carriageReturn = text.indexOf('\r');
  while (start < text.length) {
    if (feed !== -1 && feed < start) feed = text.indexOf('\n', start);
    if (carriageReturn !== -1 && carriageReturn < start) carriageReturn = text.indexOf('\r', start);
    const { end, ending } = nextEnding(text, feed, carriageReturn);
    lines.push({ text: text.slice(start, end), ending, origin: origins === 'numbered' ? lines.length : null });
    start = end + ending.length;
  }
  return lines;
}

function nextEnding(text: string, feed: number, carriageReturn: number): { end: number; ending: LineEnding } {
  if (carriageReturn !== -1 && (feed === -1 || carriageReturn < feed)) {
    return { end: carriageReturn, ending: feed === carriageReturn + 1 ? '\r\n' : '\r' };
  }
  return feed === -1 ? { end: text.length, ending: '' } : { end: feed, ending: '\n' };
}

export function joinLines(lines: readonly FileLine[]): string {
  return lines.map((line) => line.text + line.ending).join('');
}

/** The first ending of a file is the one its new lines get (§1.4). */
export function preferredEnding(lines: readonly FileLine[]): LineEnding {
  return lines.find((line) => line.ending !== '')?.ending ?? '\n';
}

/**
 * The same text in the lines a fresh reader would see. They differ only when a patch wrote a carriage return, or
 * joined a line that ends in one with an empty line; then what the lines knew of their origin is given up.
 */
export function asReadAgain(lines: readonly FileLine[]): readonly FileLine[] {
  const stable = lines.every((line, index) => {
    const next = lines[index + 1];
    const joins = line.ending === '\r' && next?.text === '' && next.ending === '\n';
    return !joins && (line.origin !== null || !line.text.includes('\r'));
  });
  return stable ? lines : splitLines(joinLines(lines), 'none');
}
