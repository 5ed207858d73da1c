/** Helps a model whose quote failed: the region of the file that resembles it most, as the file has it. */
import type { Seeker } from './seek.ts';
import { plain } from './whitespace.ts';

const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 200;
/** A line that stands in more places than this says nothing about where. */
const TELLING_PLACES = 100;
const COMPARED_LINES = 200;

/** Numbered lines, at most 12; `undefined` when nothing in the file resembles the quote. */
export function nearestRegion(seeker: Seeker, wanted: readonly string[], from: number): string | undefined {
  const quote = wanted.slice(0, COMPARED_LINES);
  const start = startByEqualLines(seeker, quote, from) ?? startBySimilarLine(seeker.lines, quote);
  if (start === undefined) return undefined;

  const differs = quote.findIndex((line, offset) => plain(line) !== plain(seeker.lines[start + offset] ?? ''));
  const first = Math.max(0, start - 1, start + differs - SHOWN_LINES / 2);
  const end = Math.min(seeker.lines.length, first + Math.min(SHOWN_LINES, wanted.length + 2));
  const shown = seeker.lines.slice(first, end).map((line, offset) => `${first + offset + 1}: ${clip(line)}`);
  return `Nearest there, lines ${first + 1}-${end}:\n${shown.join('\n')}`;
}

/** Every quoted line that is in the file votes for where the quote would begin; ties go to the place nearest `from`. */
function startByEqualLines(seeker: Seeker, quote: readonly string[], from: number): number | undefined {
  const votes = new Map<number, number>();
  for (const [offset, line] of quote.entries()) {
    const places = seeker.loosest.placesOf(line);
    if (plain(line) === '' || places.length > TELLING_PLACES) continue;
    for (const at of places) votes.set(at - offset, (votes.get(at - offset) ?? 0) + 1);
  }
  let best: number | undefined;
  for (const [start, count] of votes) {
    const lead = count - (best === undefined ? 0 : (votes.get(best) ?? 0));
    const nearer = best === undefined || Math.abs(start - from) < Math.abs(best - from);
    if (lead > 0 || (lead === 0 && nearer)) best = start;
  }
  return best === undefined ? undefined : Math.max(0, best);
}

/** The longest quoted line against every line of the file, by what they share at both ends: at least half. */
function startBySimilarLine(lines: readonly string[], quote: readonly string[]): number | undefined {
  const candidates = quote.map((line) => plain(line).slice(0, SHOWN_CHARACTERS));
  const offset = candidates.reduce((best, line, at) => (line.length > (candidates[best] ?? '').length ? at : best), 0);
  const wanted = candidates[offset] ?? '';
  let best: number | undefined;
  let bestShare = 0.5;
  for (const [at, line] of lines.entries()) {
    const share = sharedEnds(wanted, plain(line.slice(0, 2 * SHOWN_CHARACTERS)));
    if (share <= bestShare) continue;
    bestShare = share;
    best = Math.max(0, at - offset);
  }
  return best;
}

/** 0 for nothing in common at either end, 1 for equal. */
function sharedEnds(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  const longer = Math.max(one.length, other.length);
  if (longer === 0) return 0;
  let head = 0;
  while (head < shorter && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < shorter - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  return (head + tail) / longer;
}

function clip(line: string): string {
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
