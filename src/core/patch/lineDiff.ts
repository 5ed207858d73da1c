/** Computes the differences of two lists of lines. */
import { diffArrays } from 'diff';

/**
 * In milliseconds: without a limit, the diff of a rewritten long file would block the event loop for seconds
 * (libraries.md §1).
 */
const DIFF_TIMEOUT_MS = 200;

/** Lines `start` to `end` of the old list became lines `newStart` to `newEnd` of the new one. */
export interface LineChange {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/**
 * Texts with more lines are split at lines that occur once in both: the time then grows linearly, not quadratically.
 */
const LONG = 2000;

/** The changes in order, with at least one common line between two of them. Not empty for different lists. */
export function diffLines(old: readonly string[], now: readonly string[]): LineChange[] {
  const whole = withoutCommonEnds(old, now, { start: 0, end: old.length, newStart: 0, newEnd: now.length });
  const { start, end, newStart, newEnd } = whole;
  if (end - start + newEnd - newStart <= LONG) return joined(changesIn(old, now, whole));
  const cuts = linesInBoth(old, now, whole);
  const ends = [...cuts, { at: end, newAt: newEnd }];
  const starts = [{ at: start - 1, newAt: newStart - 1 }, ...cuts];
  const pieces = starts.map(({ at, newAt }, index) => {
    const next = ends[index] ?? { at: end, newAt: newEnd };
    return { start: at + 1, end: next.at, newStart: newAt + 1, newEnd: next.newAt };
  });
  return joined(pieces.flatMap((piece) => changesIn(old, now, withoutCommonEnds(old, now, piece))));
}

function withoutCommonEnds(old: readonly string[], now: readonly string[], change: LineChange): LineChange {
  let { start, end, newStart, newEnd } = change;
  while (start < end && newStart < newEnd && old[start] === now[newStart]) {
    start++;
    newStart++;
  }
  while (start < end && newStart < newEnd && old[end - 1] === now[newEnd - 1]) {
    end--;
    newEnd--;
  }
  return { start, end, newStart, newEnd };
}

function changesIn(old: readonly string[], now: readonly string[], piece: LineChange): readonly LineChange[] {
  const { start, end, newStart, newEnd } = piece;
  if (start === end && newStart === newEnd) return [];
  if (start === end || newStart === newEnd) return [piece];
  const parts = diffArrays(old.slice(start, end), now.slice(newStart, newEnd), { timeout: DIFF_TIMEOUT_MS });
  if (parts === undefined) return [piece];
  let [at, newAt] = [start, newStart];
  return parts.flatMap(({ added, removed, count }) => {
    const from = { start: at, newStart: newAt };
    if (!added) at += count;
    if (!removed) newAt += count;
    return added || removed ? [{ ...from, end: at, newEnd: newAt }] : [];
  });
}

/** Joins adjacent changes. */
function joined(changes: readonly LineChange[]): LineChange[] {
  const all: LineChange[] = [];
  for (const change of changes) {
    const last = all.at(-1);
    const isNext = last?.end === change.start && last.newEnd === change.newStart;
    if (isNext) all[all.length - 1] = { ...last, end: change.end, newEnd: change.newEnd };
    else all.push(change);
  }
  return all;
}

interface Cut {
  readonly at: number;
  readonly newAt: number;
}

/** The longest sequence of lines that occur once in both lists and in the same order (the cuts of a patience diff). */
function linesInBoth(old: readonly string[], now: readonly string[], piece: LineChange): readonly Cut[] {
  const places = onlyPlaces(now, piece.newStart, piece.newEnd);
  const found = [...onlyPlaces(old, piece.start, piece.end)].flatMap(([line, at]) => {
    const newAt = places.get(line);
    return newAt === undefined ? [] : [{ at, newAt }];
  });
  // The longest ascending sequence, by patience sorting: the top of each pile, and the top of the pile to its left when
  // it was placed.
  const tops: { readonly cut: Cut; readonly left: Pile | undefined }[] = [];
  type Pile = (typeof tops)[number];
  for (const cut of found) {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.cut.newAt ?? 0) < cut.newAt) low = middle + 1;
      else high = middle;
    }
    tops[low] = { cut, left: tops[low - 1] };
  }
  const row: Cut[] = [];
  for (let pile = tops.at(-1); pile !== undefined; pile = pile.left) row.push(pile.cut);
  return row.toReversed();
}

/** Lines that occur once, with their places, in order. */
function onlyPlaces(lines: readonly string[], start: number, end: number): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const seen = new Set<string>();
  for (let at = start; at < end; at++) {
    const line = lines[at] ?? '';
    if (seen.has(line)) places.delete(line);
    else places.set(line, at);
    seen.add(line);
  }
  return places;
}
