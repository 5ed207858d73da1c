import { applyHunks, hunksFrom, hunksTakingBack } from '../patch/hunkAlgebra.ts';
import { becomeText } from './edits.ts';
import { linesOf, startReview, type TextReview } from './textReview.ts';

/**
 * Marks the changes of a command to a file under review. The review may have followed the reload of the document
 * already, as an edit of the user: then the change is removed from its base. Unchanged where the file holds another
 * text by now, or the user has edited the same lines.
 */
export function markWritten(review: TextReview, before: string, after: string): TextReview {
  const [old, now] = [linesOf(before), linesOf(after)];
  if (!isSame(review.current, now)) return isSame(review.current, old) ? becomeText(review, after, 'agent') : review;
  const [from, to, base] = [old, now, review.base].map((lines) => lines.join('\n')) as [string, string, string];
  const hunks = hunksTakingBack(hunksFrom(from, to), { before: from, after: to, now: base });
  if (hunks === undefined || hunks.length === 0) return review;
  const marked = startReview(applyHunks(base, hunks), to);
  return { ...marked, agentEdits: new Set([...review.agentEdits, ...marked.agentEdits]) };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}
