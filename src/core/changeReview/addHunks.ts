import { movedBy, shiftAfter, shiftKept } from './rediff.ts';
import { editKey, type ReviewHunk, spliced, type TextReview } from './textReview.ts';

/**
 * Adds the hunks of another review of the same text, such as that of another window. A hunk that meets one of `review` is left
 * out: its lines are pending already.
 */
export function addHunks(review: TextReview, other: TextReview): TextReview {
  return other.hunks.reduce((now, hunk) => (isFree(hunk, now.hunks) ? withHunk(now, hunk, other) : now), review);
}

function isFree({ start, end }: ReviewHunk, hunks: readonly ReviewHunk[]): boolean {
  return !hunks.some((hunk) => hunk.start <= end && hunk.end >= start);
}

function withHunk(review: TextReview, hunk: ReviewHunk, other: TextReview): TextReview {
  const { base, current, hunks, kept, agentEdits, nextId } = review;
  const { start, end } = hunk;
  const before = other.base.slice(hunk.baseStart, hunk.baseEnd);
  const index = hunks.filter((each) => each.end < start).length;
  const shift = shiftAfter(hunks[index - 1]);
  const [from, to] = [start + shift, end + shift];
  const growth = before.length - (end - start);
  const added = { ...hunk, id: nextId, baseStart: from, baseEnd: from + before.length };
  return {
    base: spliced(base, from, to, before),
    current,
    hunks: [...hunks.slice(0, index), added, ...hunks.slice(index).map((each) => movedBy(each, 0, growth))],
    kept: shiftKept(kept, from, to, before.length),
    agentEdits: new Set([...agentEdits, editKey(before, current.slice(start, end))]),
    nextId: nextId + 1,
  };
}
