/** Moves an edit to an equivalent place: among equal lines several places give the same text. */
import type { TextReview } from './textReview.ts';

/** Replaces lines `start` to `end` by `lines`. */
export interface LineEdit {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Moves the edit next to a hunk if an equivalent place is there, because an undo is meant for that hunk; otherwise
 * returns it unchanged.
 */
export function slidToHunk(review: TextReview, edit: LineEdit): LineEdit {
  const isBesideHunk = ({ start, end }: LineEdit) =>
    review.hunks.some((hunk) => hunk.start <= end && hunk.end >= start);
  if (isBesideHunk(edit)) return edit;
  for (const step of [1, -1] as const) {
    for (let slid = slidBy(step, review.current, edit); slid !== undefined; slid = slidBy(step, review.current, slid)) {
      if (isBesideHunk(slid)) return slid;
    }
  }
  return edit;
}

/** Moves the edit by one line with the same result; `undefined` where the lines differ. */
function slidBy(step: 1 | -1, current: readonly string[], { start, end, lines }: LineEdit): LineEdit | undefined {
  const isInsertion = start === end;
  if (!isInsertion && lines.length > 0) return undefined;
  const moved = isInsertion ? lines : current.slice(start, end);
  const passed = current[step === 1 ? end : start - 1];
  const replaced = step === 1 ? moved[0] : moved.at(-1);
  if (passed === undefined || passed !== replaced) return undefined;
  const turned = step === 1 ? [...lines.slice(1), passed] : [passed, ...lines.slice(0, -1)];
  return { start: start + step, end: end + step, lines: isInsertion ? turned : [] };
}
