/** Quotes lines of a text, and finds them again after the text has changed. */
import type { LineRange } from '../lineRange.ts';

/** The maximum number of lines that a quote keeps, and of characters of each line. */
const LIMITS = { lines: 20, characters: 300 } as const;

/** Returns the first of these lines, each cut to its beginning; `undefined` if the text does not have all of them. */
export function quoteOf(text: string, { first, last }: LineRange): string | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  if (last > lines.length) return undefined;
  return cut(lines.slice(first - 1, last));
}

function cut(lines: readonly string[]): string {
  return lines
    .slice(0, LIMITS.lines)
    .map((line) => line.slice(0, LIMITS.characters))
    .join('\n');
}

/**
 * Returns the lines at which the quote is now: the nearest place with the same lines, even with another indentation.
 * Returns `undefined` if there is none, or if the quote contains no word.
 */
export function findQuote(text: string, quote: string, { first, last }: LineRange): LineRange | undefined {
  const lines = text.split(/\r\n|\r|\n/).map(comparable);
  const wanted = quote.split('\n').map(comparable);
  if (wanted.every((line) => line === '')) return undefined;
  const starts = lines
    .map((_, at) => at)
    .filter((at) => wanted.every((line, index) => lines[at + index] === line))
    .toSorted((one, other) => Math.abs(one - (first - 1)) - Math.abs(other - (first - 1)));
  const [start] = starts;
  if (start === undefined) return undefined;
  return { first: start + 1, last: Math.min(start + 1 + last - first, lines.length) };
}

function comparable(line: string): string {
  return line.slice(0, LIMITS.characters).trim();
}
