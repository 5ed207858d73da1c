/** Fuzzy matching of names and paths, for the lists of the composer. */

export interface FuzzyMatch {
  /** The score of the match: higher is better. Scores of the same query are comparable. */
  readonly score: number;
  /** Indices of the matched characters in the text, ascending. */
  readonly positions: readonly number[];
}

/** The kinds of match, the best one last. A better kind always has the higher score. */
const KIND = { scattered: 0, inName: 1, inPath: 2, namePart: 3, nameWord: 4, nameStart: 5, name: 6 } as const;
const KIND_STEP = 1_000;

/**
 * Matches if the text contains the characters of the query in this order, ignoring case; otherwise returns `undefined`.
 * A match in the last part of a path scores highest, adjacent characters score higher than scattered ones, and a short
 * text scores higher than a long one.
 */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  if (query === '') return { score: -text.length, positions: [] };
  const wanted = lower(query);
  const whole = lower(text);
  const name = nameStart(text);
  const found = pieceIn(wanted, whole, name) ?? scatteredIn(wanted, whole, text, name);
  if (found === undefined) return undefined;
  const { kind, positions, bonus } = found;
  return { score: kind * KIND_STEP + bonus - Math.min(text.length, KIND_STEP / 2), positions };
}

interface Found {
  readonly kind: number;
  /** The score within the kind: less than half of `KIND_STEP`. */
  readonly bonus: number;
  readonly positions: readonly number[];
}

/** Returns the start of the last part of a path. A folder ends with a slash, which belongs to its name. */
function nameStart(text: string): number {
  return text.lastIndexOf('/', text.length - 2) + 1;
}

function pieceIn(wanted: string, whole: string, name: number): Found | undefined {
  const inName = whole.indexOf(wanted, name);
  if (inName !== -1) {
    const end = inName + wanted.length;
    const isWhole = end === whole.length || whole[end] === '.' || whole.slice(end) === '/';
    const kind =
      inName === name
        ? isWhole
          ? KIND.name
          : KIND.nameStart
        : isBoundary(whole, inName)
          ? KIND.nameWord
          : KIND.namePart;
    return { kind, bonus: 0, positions: range(inName, wanted.length) };
  }
  const inPath = whole.lastIndexOf(wanted);
  if (inPath === -1) return undefined;
  return { kind: KIND.inPath, bonus: isBoundary(whole, inPath) ? 100 : 0, positions: range(inPath, wanted.length) };
}

function scatteredIn(wanted: string, whole: string, text: string, name: number): Found | undefined {
  const inName = subsequence(wanted, whole, text, name);
  if (inName !== undefined) return { kind: KIND.inName, ...inName };
  const anywhere = subsequence(wanted, whole, text, 0);
  return anywhere === undefined ? undefined : { kind: KIND.scattered, ...anywhere };
}

/**
 * Returns the first occurrence of each character after the one before it; prefers the start of a word if the rest can
 * still be matched from there.
 */
function subsequence(
  wanted: string,
  whole: string,
  text: string,
  from: number,
): Pick<Found, 'bonus' | 'positions'> | undefined {
  if (!isSubsequence(wanted, whole, from)) return undefined;
  const positions: number[] = [];
  let bonus = 0;
  let at = from;
  for (let index = 0; index < wanted.length; index++) {
    const character = wanted[index] ?? '';
    const next = whole.indexOf(character, at);
    const word = next === at && index > 0 ? next : wordStart(character, whole, text, next);
    const rest = wanted.slice(index + 1);
    const position = word !== undefined && isSubsequence(rest, whole, word + 1) ? word : next;
    if (position === at && index > 0) bonus += 8;
    if (position === 0 || isBoundary(whole, position) || isHump(text, position)) bonus += 12;
    positions.push(position);
    at = position + 1;
  }
  const spread = at - (positions[0] ?? 0) - wanted.length;
  return { bonus: Math.max(-200, Math.min(bonus, 300) - Math.min(spread, 100)), positions };
}

function isSubsequence(wanted: string, whole: string, from: number): boolean {
  let at = from;
  for (const character of wanted) {
    const next = whole.indexOf(character, at);
    if (next === -1) return false;
    at = next + character.length;
  }
  return true;
}

/** Returns the first place from `from` on where the character starts a word. */
function wordStart(character: string, whole: string, text: string, from: number): number | undefined {
  for (let at = from; at !== -1; at = whole.indexOf(character, at + 1)) {
    if (at === 0 || isBoundary(whole, at) || isHump(text, at)) return at;
  }
  return undefined;
}

function isBoundary(whole: string, at: number): boolean {
  return at === 0 || '/._- :'.includes(whole[at - 1] ?? '');
}

/** Returns true for an upper-case letter after a lower-case one. */
function isHump(text: string, at: number): boolean {
  return /[A-Z]/.test(text[at] ?? '') && /[a-z\d]/.test(text[at - 1] ?? '');
}

function range(start: number, length: number): readonly number[] {
  return Array.from({ length }, (_, index) => start + index);
}

/** Converts to lower case and keeps the index of each character: a few have a lower-case form of two characters. */
function lower(text: string): string {
  const lowered = text.toLowerCase();
  if (lowered.length === text.length) return lowered;
  return text.replaceAll(/[^]/g, (character) => {
    const small = character.toLowerCase();
    return small.length === 1 ? small : character;
  });
}
