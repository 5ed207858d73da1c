/** Finds the region of the file that resembles a failed quote most, for the message to the model. */
import type { Seeker } from './seek.ts';
import { lineWithEndsOf, linesWithWordsOf, similarTo, unseenCharacters } from './similarity.ts';
import { plain } from './whitespace.ts';

const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 200;
/** A line with more places than this does not help to find the region. */
const TELLING_PLACES = 100;
const COMPARED_LINES = 200;
/** The number of places that are compared in detail. */
const CANDIDATES = 20;

/** Returns at most 12 numbered lines; `undefined` when nothing in the file resembles the quote. */
export function nearestRegion(seeker: Seeker, wanted: readonly string[], from: number): string | undefined {
  const quote = wanted.slice(0, COMPARED_LINES);
  const start = startByEqualLines(seeker, quote, from) ?? startBySimilarLine(seeker.lines, quote);
  if (start === undefined) return undefined;

  const differs = quote.findIndex((line, offset) => plain(line) !== plain(seeker.lines[start + offset] ?? ''));
  const first = Math.max(0, start - 1, start + differs - SHOWN_LINES / 2);
  const end = Math.min(seeker.lines.length, first + Math.min(SHOWN_LINES, wanted.length + 2));
  const shown = seeker.lines.slice(first, end).map((line, offset) => `${first + offset + 1}: ${clip(line)}`);
  const region = `Nearest there, lines ${first + 1}-${end}:\n${shown.join('\n')}`;
  const unseen = unseenCharacters(quote[differs] ?? '', seeker.lines[start + differs] ?? '');
  if (unseen === undefined) return region;
  return `${region}\nLine ${start + differs + 1} looks like the quote, but its characters differ. Only in the file: ${unseen}.`;
}

/**
 * Each quoted line that is in the file votes for a start of the quote. Among the starts with the most votes, the one
 * whose other lines are most similar wins; ties go to the place nearest `from`.
 */
function startByEqualLines(seeker: Seeker, quote: readonly string[], from: number): number | undefined {
  const votes = new Map<number, number>();
  for (const [offset, line] of quote.entries()) {
    const places = seeker.loosest.placesOf(line);
    if (plain(line) === '' || places.length > TELLING_PLACES) continue;
    for (const at of places) votes.set(at - offset, (votes.get(at - offset) ?? 0) + 1);
  }
  const best = [...votes]
    .toSorted(([one, ones], [other, others]) => others - ones || Math.abs(one - from) - Math.abs(other - from))
    .slice(0, CANDIDATES)
    .map(([start]) => start);
  const wanted = quote.map(similarTo);
  const likeness = (start: number) =>
    wanted.reduce((sum, similar, offset) => sum + similar(seeker.lines[start + offset] ?? ''), 0);
  const start = mostAlike(best, likeness);
  return start === undefined ? undefined : Math.max(0, start);
}

/** Compares the longest quoted line with every line of the file; at least half of it must match. */
function startBySimilarLine(lines: readonly string[], quote: readonly string[]): number | undefined {
  const lengths = quote.map((line) => plain(line).length);
  const offset = lengths.reduce((longest, length, index) => (length > (lengths[longest] ?? 0) ? index : longest), 0);
  const wanted = quote[offset] ?? '';
  const similar = similarTo(wanted);
  const places = [...linesWithWordsOf(lines, wanted), ...lineWithEndsOf(lines, wanted)];
  const at = mostAlike(places, (place) => similar(lines[place] ?? ''), 0.5);
  return at === undefined ? undefined : Math.max(0, at - offset);
}

/** The first of the most similar places; `undefined` when none exceeds `above`. */
function mostAlike(places: readonly number[], likeness: (place: number) => number, above = 0): number | undefined {
  let best: number | undefined;
  let most = above;
  for (const place of places) {
    const alike = likeness(place);
    if (alike <= most) continue;
    most = alike;
    best = place;
  }
  return best;
}

function clip(line: string): string {
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
