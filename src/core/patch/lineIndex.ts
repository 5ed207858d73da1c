/**
 * An index of the lines of a file. The first searches scan linearly, which is enough for chunks in order. After
 * scanning about as many lines as the file has, every line gets a number, equal lines the same one: from then on a
 * search starts at the rarest line of its pattern, and a line that does not occur costs nothing. So many chunks in a
 * long file take linear time.
 */

export interface LineIndex {
  /** The first place of the pattern at `from` or later. The pattern has at least one line. */
  find(pattern: readonly string[], from: number): number | undefined;
  matchesAt(pattern: readonly string[], at: number): boolean;
  /** All places of a line, ascending. */
  placesOf(line: string): Uint32Array;
}

/** `fold` maps lines that count as equal to the same text; it is applied to both sides. */
export function indexLines(lines: readonly string[], fold: (line: string) => string): LineIndex {
  const folded = lines.map(fold);
  let walked = 0;
  let numbered: NumberedLines | undefined;
  const numbers = () => (numbered ??= numberLines(folded));

  function walk(pattern: readonly string[], from: number): number | undefined {
    const last = folded.length - pattern.length;
    let at = from;
    while (at <= last && (folded[at] !== pattern[0] || !matchesIn(folded, pattern, at))) at++;
    walked += at - from;
    return at <= last ? at : undefined;
  }

  return {
    find(pattern, from) {
      const wanted = pattern.map(fold);
      return walked <= folded.length ? walk(wanted, from) : findNumbered(numbers(), wanted, from);
    },
    matchesAt: (pattern, at) => matchesIn(folded, pattern.map(fold), at),
    placesOf: (line) => placesOf(numbers(), fold(line)),
  };
}

function matchesIn<Line>(lines: ArrayLike<Line>, pattern: readonly Line[], at: number): boolean {
  return pattern.every((line, offset) => lines[at + offset] === line);
}

interface NumberedLines {
  readonly numberOf: ReadonlyMap<string, number>;
  readonly numbers: Uint32Array;
  /** The places of number n are between `starts[n]` and `starts[n + 1]`. */
  readonly places: Uint32Array;
  readonly starts: Uint32Array;
}

function numberLines(lines: readonly string[]): NumberedLines {
  const numberOf = new Map<string, number>();
  const counts: number[] = [];
  const numbers = Uint32Array.from(lines, (line) => {
    const number = numberOf.get(line) ?? counts.length;
    if (number === counts.length) numberOf.set(line, number);
    counts[number] = (counts[number] ?? 0) + 1;
    return number;
  });
  const starts = new Uint32Array(counts.length + 1);
  for (const [number, count] of counts.entries()) starts[number + 1] = (starts[number] ?? 0) + count;
  const next = starts.slice();
  const places = new Uint32Array(numbers.length);
  for (const [place, number] of numbers.entries()) {
    const slot = next[number] ?? 0;
    places[slot] = place;
    next[number] = slot + 1;
  }
  return { numberOf, numbers, places, starts };
}

function placesOf({ numberOf, places, starts }: NumberedLines, line: string): Uint32Array {
  const number = numberOf.get(line);
  return number === undefined ? new Uint32Array() : places.subarray(starts[number], starts[number + 1]);
}

function findNumbered(lines: NumberedLines, pattern: readonly string[], from: number): number | undefined {
  const wanted = pattern.map((line) => lines.numberOf.get(line) ?? -1);
  if (wanted.includes(-1)) return undefined;
  const places = pattern.map((line) => placesOf(lines, line));
  const rarest = places.reduce((best, { length }, at) => (length < (places[best]?.length ?? 0) ? at : best), 0);
  const candidates = places[rarest] ?? new Uint32Array();
  for (let next = firstAtLeast(candidates, from + rarest); next < candidates.length; next++) {
    const at = (candidates[next] ?? 0) - rarest;
    if (matchesIn(lines.numbers, wanted, at)) return at;
  }
  return undefined;
}

function firstAtLeast(ascending: Uint32Array, minimum: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < minimum) low = middle + 1;
    else high = middle;
  }
  return low;
}
