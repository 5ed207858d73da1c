/**
 * A seeker with the same results as `createSeeker` for a text that is not split into lines yet. Nearly every patch
 * quotes exactly and in order, so a search for the quote as one string is enough. When that fails, or has scanned about
 * as much as the text, the search continues line by line.
 */
import { endsOpen, lineAt, lineOfOffset, type TextLines } from './lines.ts';
import { createSeeker, type Seeker } from './seek.ts';

export function createTextSeeker(lines: TextLines): Seeker {
  let walked = 0;
  let careful: Seeker | undefined;
  const seeker = () =>
    (careful ??= createSeeker(Array.from({ length: lines.count }, (_, index) => lineAt(lines, index))));

  function findWhole(pattern: readonly string[], from: number): number | undefined {
    const { text, starts, commonEnding: ending } = lines;
    if (ending === null || walked > text.length) return undefined;
    // A quoted line with a carriage return would match several lines of a file whose lines end with one.
    if (pattern.some((line) => line.includes(ending))) return undefined;
    const start = starts[from] ?? text.length;
    const quote = pattern.join(ending);
    const at = findAtLineStart(text, quote + ending, start, ending);
    walked += (at ?? text.length) - start;
    if (at !== undefined) return lineOfOffset(lines, at);
    const last = lines.count - pattern.length;
    return endsOpen(lines) && last >= from && text.slice(starts[last]) === quote ? last : undefined;
  }

  return {
    get lines() {
      return seeker().lines;
    },
    find(pattern, from, atEnd) {
      const found = pattern.length === 0 || atEnd ? undefined : findWhole(pattern, from);
      return found ?? seeker().find(pattern, from, atEnd);
    },
    get loosest() {
      return seeker().loosest;
    },
  };
}

function findAtLineStart(text: string, quote: string, start: number, ending: string): number | undefined {
  if (text.startsWith(quote, start)) return start;
  const before = text.indexOf(ending + quote, start);
  return before === -1 ? undefined : before + ending.length;
}
