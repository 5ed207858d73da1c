/** Hunks as values: read off two texts, applied, turned round, and carried over to a text that somebody changed elsewhere. */
import type { TextHunk } from '../ports.ts';
import { diffLines } from './lineDiff.ts';

/** Lines with their endings; a lone carriage return ends one. Joined they are the text again. */
export function textLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

/** Applied to `before` they give `after` exactly. Never empty for different texts. */
export function hunksFrom(before: string, after: string): TextHunk[] {
  const now = textLines(after);
  return diffLines(textLines(before), now).map(({ start, end, newStart, newEnd }) => ({
    start,
    end,
    text: now.slice(newStart, newEnd).join(''),
  }));
}

export function applyHunks(text: string, hunks: readonly TextHunk[]): string {
  const lines = textLines(text);
  let result = '';
  let at = 0;
  for (const hunk of hunks) {
    result += lines.slice(at, hunk.start).join('') + hunk.text;
    at = hunk.end;
  }
  return result + lines.slice(at).join('');
}

/** What leads back from `applyHunks(before, hunks)` to `before`. */
export function invertHunks(before: string, hunks: readonly TextHunk[]): TextHunk[] {
  const lines = textLines(before);
  let shift = 0;
  return hunks.map((hunk) => {
    const start = hunk.start + shift;
    const end = start + textLines(hunk.text).length;
    shift += end - start - (hunk.end - hunk.start);
    return { start, end, text: lines.slice(hunk.start, hunk.end).join('') };
  });
}

/**
 * The same hunks for `now`, which somebody made out of `base` meanwhile. `undefined` when both changed the same lines, or
 * inserted at the same place: then nobody can say which order is meant.
 */
export function rebaseHunks(hunks: readonly TextHunk[], base: string, now: string): TextHunk[] | undefined {
  if (base === now) return [...hunks];
  const theirs = hunksFrom(base, now);
  const lines = textLines(now);
  const rebased: TextHunk[] = [];
  for (const hunk of hunks) {
    let shift = 0;
    for (const their of theirs) {
      const bothInsertHere = their.start === their.end && hunk.start === hunk.end && their.start === hunk.start;
      if (bothInsertHere) return undefined;
      if (their.start >= hunk.end) continue;
      if (their.end > hunk.start) return undefined;
      shift += textLines(their.text).length - (their.end - their.start);
    }
    const moved = { start: hunk.start + shift, end: hunk.end + shift, text: hunk.text };
    if (!standsOnWholeLines(moved, lines)) return undefined;
    rebased.push(moved);
  }
  return rebased;
}

/**
 * What leads back from `now` to a text without the hunks that made `after` out of `before`: what somebody did since
 * stays, and a hunk they have undone already is done. `undefined` when they worked on the lines of a hunk.
 */
export function hunksTakingBack(
  hunks: readonly TextHunk[],
  { before, after, now }: { readonly before: string; readonly after: string; readonly now: string },
): TextHunk[] | undefined {
  const inverse = invertHunks(before, hunks);
  const all = rebaseHunks(inverse, after, now);
  if (all !== undefined) return all;
  const changedSince = hunksFrom(before, now);
  const remaining: TextHunk[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const left = rebaseHunks(inverse.slice(index, index + 1), after, now);
    if (left !== undefined) remaining.push(...left);
    else if (changedSince.some((their) => touches(their, hunk))) return undefined;
  }
  return remaining;
}

/** Overlapping, or side by side with an insertion: what is inserted there may be either's. */
function touches(their: TextHunk, hunk: TextHunk): boolean {
  const isInsertion = hunk.start === hunk.end;
  return isInsertion
    ? their.start <= hunk.end && their.end >= hunk.start
    : their.start < hunk.end && their.end > hunk.start;
}

/** The final newline came or went: what was a line of its own would be glued to its neighbour. */
function standsOnWholeLines({ start, end, text }: TextHunk, lines: readonly string[]): boolean {
  const before = lines[start - 1];
  const isGluedBefore = text !== '' && before !== undefined && !endsLine(before);
  const isGluedAfter = text !== '' && !endsLine(text) && end < lines.length;
  return !isGluedBefore && !isGluedAfter;
}

function endsLine(text: string): boolean {
  return text.endsWith('\n') || text.endsWith('\r');
}
