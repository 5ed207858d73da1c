/**
 * Measures the similarity of lines, for messages to a model that misquoted one: from 0 (none) to 1 (equal except for
 * blanks and punctuation).
 */
import { plain } from './whitespace.ts';

const COMPARED_CHARACTERS = 400;

/** Returns a function that says how similar a line is to the wanted one, from 0 to 1. */
export function similarTo(wanted: string): (line: string) => number {
  const wantedLine = cut(wanted);
  const words = wordsOf(wantedLine);
  return (line) => Math.max(sharedEnds(wantedLine, cut(line)), sharedWords(words, cut(line)));
}

const LOOKED_FOR_WORDS = 8;
const WORD_LINES = 200;

/** The lines that contain the most of its longer words, or all but one. Fast, because a file may be long. */
export function linesWithWordsOf(lines: readonly string[], wanted: string): readonly number[] {
  const words = [...wordsOf(cut(wanted))]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, LOOKED_FOR_WORDS);
  const counts = lines.map((line) => words.reduce((count, word) => count + (line.includes(word) ? 1 : 0), 0));
  const most = counts.reduce((one, other) => Math.max(one, other), 0);
  const places = [...counts.keys()].filter((at) => counts[at] === most || (most > 2 && counts[at] === most - 1));
  return places.toSorted((one, other) => (counts[other] ?? 0) - (counts[one] ?? 0)).slice(0, WORD_LINES);
}

/** The line whose beginning and end match most; none in an empty file. */
export function lineWithEndsOf(lines: readonly string[], wanted: string): readonly number[] {
  const wantedLine = cut(wanted);
  const shares = lines.map((line) => sharedEnds(wantedLine, cut(line)));
  const most = shares.reduce((best, share) => Math.max(best, share), 0);
  return shares.length === 0 ? [] : [shares.indexOf(most)];
}

function cut(line: string): string {
  return plain(line.slice(0, COMPARED_CHARACTERS));
}

/** Returns the code points of the characters that only `found` has, for two different lines that look the same. */
export function unseenCharacters(wanted: string, found: string): string | undefined {
  if (plain(wanted) === plain(found) || looks(wanted) !== looks(found)) return undefined;
  const known = new Set(wanted);
  const others = [...new Set(found)].filter((character) => !known.has(character));
  return others.map(codePoint).join(', ') || 'none';
}

/** Normalizes composed and decomposed letters, ligatures and full-width forms, and drops characters of no width. */
function looks(line: string): string {
  return plain(line.normalize('NFKC').replace(/\p{Cf}/gu, ''));
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function sharedEnds(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  const longer = Math.max(one.length, other.length);
  if (longer === 0) return 1;
  let head = 0;
  while (head < shorter && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < shorter - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  return (head + tail) / longer;
}

/** Compares by words, because rewritten, joined or cut quotes still contain the words of their line. */
function sharedWords(words: ReadonlySet<string>, other: string): number {
  if (words.size === 0) return 0;
  const others = wordsOf(other);
  let shared = 0;
  for (const word of others) if (words.has(word)) shared++;
  return (2 * shared) / (words.size + others.size);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}_]+/gu));
}
