/** What happens to a text under review, and what it makes of the hunks. */
import { diffLines } from '../patch/lineDiff.ts';
import { movedBy, rediff, shiftAfter, shiftKept } from './rediff.ts';
import { type LineEdit, slidToHunk } from './slide.ts';
import { editKey, linesOf, type ReviewHunk, spliced, type TextReview } from './textReview.ts';

/**
 * `agent`: its lines are to be decided about. `decision`: the person's word about them, carried out. `history`: undo and
 * redo, of whoever's edit it was. `person` writes their own; `agreed` is what they let others write: a formatter, a patch
 * that they have said yes to.
 */
export type Author = 'agent' | 'decision' | 'history' | 'person' | 'agreed';

/** As VS Code tells it: the place before the edit, from line and character to line and character. */
export interface TextEdit {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

/**
 * Several are those of one moment: each names its place as it was before all of them. Of two that name the same place
 * the one that ends up behind the other comes first, as VS Code tells them.
 */
export function applyEdits(review: TextReview, edits: readonly TextEdit[], author: Author): TextReview {
  const lastFirst = edits.toSorted((one, other) => compare(other, one, 'start') || compare(other, one, 'end'));
  return settled(lastFirst.reduce((now, edit) => applyEdit(now, wholeLines(now, edit), author), review));
}

/** The text is found to be another one. */
export function becomeText(review: TextReview, text: string, author: Author): TextReview {
  return settled(applyEdit(review, { start: 0, end: review.current.length, lines: linesOf(text) }, author));
}

function compare(one: TextEdit, other: TextEdit, side: 'start' | 'end'): number {
  return one[`${side}Line`] - other[`${side}Line`] || one[`${side}Character`] - other[`${side}Character`];
}

/** Nothing is left to be decided where the texts are the same, though hunks may say so by halves that cancel out. */
function settled(review: TextReview): TextReview {
  const { base, current, hunks } = review;
  const isSame = hunks.length > 0 && base.length === current.length && base.every((line, at) => line === current[at]);
  return isSame ? { ...review, hunks: [] } : review;
}

function wholeLines({ current }: TextReview, edit: TextEdit): LineEdit {
  const lines = linesOf(edit.text);
  // Lines put in between stay where they were put, though they could as well stand one line further.
  const isWhole = edit.startCharacter === 0 && edit.endCharacter === 0 && lines.at(-1) === '';
  if (isWhole) return { start: edit.startLine, end: edit.endLine, lines: lines.slice(0, -1) };
  lines[0] = (current[edit.startLine] ?? '').slice(0, edit.startCharacter) + (lines[0] ?? '');
  lines[lines.length - 1] += (current[edit.endLine] ?? '').slice(edit.endCharacter);
  return { start: edit.startLine, end: edit.endLine + 1, lines };
}

function applyEdit(review: TextReview, edit: LineEdit, author: Author): TextReview {
  const trimmed = withoutCommonEnds(review.current, edit);
  const { start, end, lines } = trimmed;
  if (start === end && lines.length === 0) return review;
  const removed = review.current.slice(start, end);
  const way = wayOf(review, removed, lines, author);
  const key = agentEditIn(removed, lines, author);
  const remembered = key === undefined ? review : { ...review, agentEdits: new Set([...review.agentEdits, key]) };
  // A reload or a formatter tells one edit from the first to the last difference. What takes hunks back tells each.
  const isOneOfMany = way === TAKES_BACK || removed.length === 0 || lines.length === 0;
  const parts = isOneOfMany ? [] : diffLines(removed, lines);
  if (parts.length < 2)
    return replaceLines(remembered, way === TAKES_BACK ? slidToHunk(review, trimmed) : trimmed, way);
  return parts
    .toReversed()
    .reduce(
      (now, part) =>
        replaceLines(
          now,
          { start: start + part.start, end: start + part.end, lines: lines.slice(part.newStart, part.newEnd) },
          way,
        ),
      remembered,
    );
}

/** What Redo, or Ctrl+Z of a decision, would bring again. */
function agentEditIn(removed: readonly string[], inserted: readonly string[], author: Author): string | undefined {
  if (author === 'agent') return editKey(removed, inserted);
  return author === 'decision' ? editKey(inserted, removed) : undefined;
}

/** What an edit does to the hunks it meets and where it meets none. */
interface Way {
  /** Outside of hunks it makes one; else it is of the base, too. */
  readonly makesHunks: boolean;
  /** An edit beside a hunk belongs to it, too. */
  readonly joinsBeside: boolean;
  readonly touches: boolean;
}

const AGENT: Way = { makesHunks: true, joinsBeside: true, touches: false };
const TAKES_BACK: Way = { makesHunks: false, joinsBeside: true, touches: false };

function wayOf(
  { agentEdits }: TextReview,
  removed: readonly string[],
  inserted: readonly string[],
  author: Author,
): Way {
  switch (author) {
    case 'agent':
      return AGENT;
    case 'decision':
      return TAKES_BACK;
    case 'history':
      if (agentEdits.has(editKey(removed, inserted))) return AGENT;
      if (agentEdits.has(editKey(inserted, removed))) return TAKES_BACK;
      return { makesHunks: false, joinsBeside: false, touches: true };
    case 'person':
    case 'agreed':
      return { makesHunks: false, joinsBeside: false, touches: author === 'person' };
  }
}

function replaceLines(review: TextReview, { start, end, lines }: LineEdit, way: Way): TextReview {
  const { base, current, hunks, kept } = review;
  const meets = (hunk: ReviewHunk) => (way.joinsBeside ? isBeside(hunk, start, end) : isWithin(hunk, start, end));
  const first = countUntil(hunks, (hunk) => meets(hunk) || hunk.end > start);
  const last = first + countUntil(hunks.slice(first), (hunk) => !meets(hunk));
  const met = hunks.slice(first, last);
  const shift = shiftAfter(hunks[first - 1]);
  const growth = lines.length - (end - start);
  const next = { ...review, current: spliced(current, start, end, lines) };

  if (met.length === 0 && !way.makesHunks) {
    const [from, to] = [start + shift, end + shift];
    const moved = hunks.slice(last).map((hunk) => movedBy(hunk, growth, growth));
    return {
      ...next,
      base: spliced(base, from, to, lines),
      hunks: [...hunks.slice(0, first), ...moved],
      kept: shiftKept(kept, from, to, lines.length),
    };
  }
  const [head, tail] = [met[0], met.at(-1)];
  const startsWithHunk = head !== undefined && head.start <= start;
  const endsWithHunk = tail !== undefined && tail.end >= end;
  const region = {
    start: startsWithHunk ? head.start : start,
    end: (endsWithHunk ? tail.end : end) + growth,
    baseStart: startsWithHunk ? head.baseStart : start + shift,
    baseEnd: endsWithHunk ? tail.baseEnd : end + shiftAfter(tail ?? hunks[first - 1]),
  };
  const touched = way.touches || met.some((hunk) => hunk.touched);
  const moved = hunks.slice(last).map((hunk) => movedBy(hunk, growth, 0));
  return rediff({ ...next, hunks: [...hunks.slice(0, last), ...moved] }, region, { first, last, touched });
}

/** How many stand before the first one of which it is true. */
function countUntil(hunks: readonly ReviewHunk[], isReached: (hunk: ReviewHunk) => boolean): number {
  const index = hunks.findIndex(isReached);
  return index === -1 ? hunks.length : index;
}

function isBeside(hunk: ReviewHunk, start: number, end: number): boolean {
  return hunk.start <= end && hunk.end >= start;
}

/** A line that is put in at the edge of a hunk is not of it. */
function isWithin(hunk: ReviewHunk, start: number, end: number): boolean {
  return hunk.start < end && hunk.end > start;
}

function withoutCommonEnds(current: readonly string[], { start, end, lines }: LineEdit): LineEdit {
  const shorter = Math.min(end - start, lines.length);
  let head = 0;
  while (head < shorter && current[start + head] === lines[head]) head++;
  let tail = 0;
  while (tail < shorter - head && current[end - 1 - tail] === lines[lines.length - 1 - tail]) tail++;
  return { start: start + head, end: end - tail, lines: lines.slice(head, lines.length - tail) };
}
