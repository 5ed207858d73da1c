/**
 * Operations on hunks: compute them from two texts, apply, invert, and rebase them onto a text that was changed
 * elsewhere.
 */
import type { TextHunk } from '../ports.ts';
import { diffLines } from './lineDiff.ts';
import { append } from '../util/append.ts';

/** Lines with their endings; a lone carriage return is an ending. Joined, they give the text. */
export function textLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

/** The hunks that turn `before` into `after` exactly. Not empty for different texts. */
export function hunksFrom(before: string, after: string): TextHunk[] {
  const now = textLines(after);
  return diffLines(textLines(before), now).map(({ start, end, newStart, newEnd }) => ({
    start,
    end,
    text: now.slice(newStart, newEnd).join(''),
  }));
}

/** Returns the text with the hunks applied. They must be in order, must not overlap and must lie within its lines. */
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

/** The hunks that turn `applyHunks(before, hunks)` into `before`. */
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
 * Rebases hunks from `base` onto `now`, which was edited meanwhile. `undefined` when both changed the same lines or
 * inserted at the same place, where the order would be ambiguous.
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
    if (!keepsWholeLines(moved, lines)) return undefined;
    rebased.push(moved);
  }
  return rebased;
}

/**
 * The edits that undo, in `now`, the hunks that turned `before` into `after`. Edits made since are kept, and a hunk
 * that was undone already needs no edit. `undefined` when the lines of a hunk were edited.
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
    if (left !== undefined) append(remaining, left);
    else if (changedSince.some((their) => touches(their, hunk))) return undefined;
  }
  return remaining;
}

/**
 * True when the ranges overlap, or one is an insertion at the edge of the other: inserted text may belong to either.
 */
function touches(their: TextHunk, hunk: TextHunk): boolean {
  const isInsertion = hunk.start === hunk.end;
  return isInsertion
    ? their.start <= hunk.end && their.end >= hunk.start
    : their.start < hunk.end && their.end > hunk.start;
}

/** False when the final newline was added or removed, so that a line would be joined to its neighbour. */
function keepsWholeLines({ start, end, text }: TextHunk, lines: readonly string[]): boolean {
  const before = lines[start - 1];
  const isGluedBefore = text !== '' && before !== undefined && !endsLine(before);
  const isGluedAfter = text !== '' && !endsLine(text) && end < lines.length;
  return !isGluedBefore && !isGluedAfter;
}

function endsLine(text: string): boolean {
  return text.endsWith('\n') || text.endsWith('\r');
}
