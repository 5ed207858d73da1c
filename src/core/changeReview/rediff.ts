/** Recomputes the hunks of one region and moves the others. */
import { diffLines } from '../patch/lineDiff.ts';
import type { KeptHunk, ReviewHunk, TextReview } from './textReview.ts';

/** Lines of the current text, and the corresponding lines of the base. */
export interface Region {
  readonly start: number;
  readonly end: number;
  readonly baseStart: number;
  readonly baseEnd: number;
}

export interface Replaced {
  readonly first: number;
  readonly last: number;
  readonly touched: boolean;
  /** The thread that has made the edit. */
  readonly owner?: string | undefined;
}

/**
 * Replaces the hunks `first` to `last`, which lie in the region, by those that the texts have there now. They belong to
 * the owners of the replaced ones, and to `owner`.
 */
export function rediff(
  review: TextReview,
  { start, end, baseStart, baseEnd }: Region,
  { first, last, touched, owner }: Replaced,
): TextReview {
  const { base, current, hunks } = review;
  const old = hunks.slice(first, last);
  const owners = new Set([...old.flatMap((hunk) => hunk.owners ?? []), ...(owner === undefined ? [] : [owner])]);
  const found = diffLines(base.slice(baseStart, baseEnd), current.slice(start, end));
  const made = found.map((change, index) => ({
    id: old[index]?.id ?? review.nextId + index,
    baseStart: baseStart + change.start,
    baseEnd: baseStart + change.end,
    start: start + change.newStart,
    end: start + change.newEnd,
    touched,
    ...(owners.size === 0 ? {} : { owners: [...owners] }),
  }));
  return {
    ...review,
    hunks: [...hunks.slice(0, first), ...made, ...hunks.slice(last)],
    nextId: review.nextId + made.length,
  };
}

/** The difference from a line number of the current text after this hunk to its line number in the base. */
export function shiftAfter(hunk: ReviewHunk | undefined): number {
  return hunk === undefined ? 0 : hunk.baseEnd - hunk.end;
}

/** Moves a hunk by lines: `by` in the current text, `baseBy` in the base. */
export function movedBy(hunk: ReviewHunk, by: number, baseBy: number): ReviewHunk {
  return {
    ...hunk,
    start: hunk.start + by,
    end: hunk.end + by,
    baseStart: hunk.baseStart + baseBy,
    baseEnd: hunk.baseEnd + baseBy,
  };
}

/**
 * Moves kept hunks when lines `start` to `end` of the base become `count` lines. Drops those whose lines were edited:
 * they cannot be un-kept any more.
 */
export function shiftKept(kept: readonly KeptHunk[], start: number, end: number, count: number): readonly KeptHunk[] {
  const growth = count - (end - start);
  return kept.flatMap((hunk) => {
    if (hunk.end <= start) return [hunk];
    if (hunk.start >= end) return [{ ...hunk, start: hunk.start + growth, end: hunk.end + growth }];
    return [];
  });
}
