/** Applies edits to a text under review and updates its hunks. */
import { diffLines } from '../patch/lineDiff.ts';
import { movedBy, rediff, shiftAfter, shiftKept } from './rediff.ts';
import type { TextEdit } from '../util/textEdit.ts';
import { type LineEdit, slidToHunk } from './slide.ts';
import { editKey, type KeptHunk, linesOf, type ReviewHunk, spliced, type TextReview } from './textReview.ts';

/**
 * The author of an edit. `agent`: its lines need a decision. `decision`: applies a decision of the user. `history`:
 * undo and redo of any edit. `user`: the user's own typing. `agreed`: edits that the user has allowed, by a formatter
 * or an approved patch.
 */
export type Author = 'agent' | 'decision' | 'history' | 'user' | 'agreed';

/**
 * Applies edits that were made at the same time: the range of each is the one before all of them. Of two with the same
 * range the one that ends up behind the other comes first, as VS Code reports them. `owner`: the thread of an `agent`.
 */
export function applyEdits(review: TextReview, edits: readonly TextEdit[], author: Author, owner?: string): TextReview {
  const lastFirst = edits.toSorted((one, other) => compare(other, one, 'start') || compare(other, one, 'end'));
  return settled(lastFirst.reduce((now, edit) => applyEdit(now, wholeLines(now, edit), author, owner), review));
}

/** Replaces the whole text. `owner`: as in `applyEdits`. */
export function becomeText(review: TextReview, text: string, author: Author, owner?: string): TextReview {
  return settled(applyEdit(review, { start: 0, end: review.current.length, lines: linesOf(text) }, author, owner));
}

function compare(one: TextEdit, other: TextEdit, side: 'start' | 'end'): number {
  return one[`${side}Line`] - other[`${side}Line`] || one[`${side}Character`] - other[`${side}Character`];
}

/** Removes all hunks when base and text are equal, even if hunks remain whose effects cancel out. */
function settled(review: TextReview): TextReview {
  const { base, current, hunks } = review;
  const isSame = hunks.length > 0 && base.length === current.length && base.every((line, at) => line === current[at]);
  return isSame ? { ...review, hunks: [] } : review;
}

function wholeLines({ current }: TextReview, edit: TextEdit): LineEdit {
  const lines = linesOf(edit.text);
  // Inserted whole lines keep their place, even if the same result has them one line further.
  const isWhole = edit.startCharacter === 0 && edit.endCharacter === 0 && lines.at(-1) === '';
  if (isWhole) return { start: edit.startLine, end: edit.endLine, lines: lines.slice(0, -1) };
  lines[0] = (current[edit.startLine] ?? '').slice(0, edit.startCharacter) + (lines[0] ?? '');
  lines[lines.length - 1] += (current[edit.endLine] ?? '').slice(edit.endCharacter);
  return { start: edit.startLine, end: edit.endLine + 1, lines };
}

function applyEdit(review: TextReview, edit: LineEdit, author: Author, owner?: string): TextReview {
  const trimmed = withoutCommonEnds(review.current, edit);
  const { start, end, lines } = trimmed;
  if (start === end && lines.length === 0) return review;
  const removed = review.current.slice(start, end);
  const effect = effectOf(review, removed, lines, author, owner);
  const key = agentEditIn(removed, lines, author);
  const remembered = key === undefined ? review : { ...review, agentEdits: new Set([...review.agentEdits, key]) };
  // A reload or a formatter reports one edit from the first difference to the last. Undoing hunks reports each edit.
  const isOneOfMany = effect === UNDOES || removed.length === 0 || lines.length === 0;
  const parts = isOneOfMany ? [] : diffLines(removed, lines);
  if (parts.length < 2)
    return replaceLines(remembered, effect === UNDOES ? slidToHunk(review, trimmed) : trimmed, effect);
  return parts
    .toReversed()
    .reduce(
      (now, part) =>
        replaceLines(
          now,
          { start: start + part.start, end: start + part.end, lines: lines.slice(part.newStart, part.newEnd) },
          effect,
        ),
      remembered,
    );
}

/** The key of the agent's edit that Redo, or Ctrl+Z of a decision, would apply again. */
function agentEditIn(removed: readonly string[], inserted: readonly string[], author: Author): string | undefined {
  if (author === 'agent') return editKey(removed, inserted);
  return author === 'decision' ? editKey(inserted, removed) : undefined;
}

/** The effect of an edit on hunks that it overlaps, and outside of hunks. */
interface EditEffect {
  /** True when an edit outside of hunks makes a new hunk; otherwise it changes the base as well. */
  readonly makesHunks: boolean;
  /** True when an edit next to a hunk becomes part of it. */
  readonly joinsBeside: boolean;
  readonly touches: boolean;
  /** The thread that the hunks belong to, too. */
  readonly owner?: string | undefined;
}

const AGENT: EditEffect = { makesHunks: true, joinsBeside: true, touches: false };
const UNDOES: EditEffect = { makesHunks: false, joinsBeside: true, touches: false };

function effectOf(
  { agentEdits }: TextReview,
  removed: readonly string[],
  inserted: readonly string[],
  author: Author,
  owner: string | undefined,
): EditEffect {
  switch (author) {
    case 'agent':
      return { ...AGENT, owner };
    case 'decision':
      return UNDOES;
    case 'history':
      if (agentEdits.has(editKey(removed, inserted))) return AGENT;
      if (agentEdits.has(editKey(inserted, removed))) return UNDOES;
      return { makesHunks: false, joinsBeside: false, touches: true };
    case 'user':
    case 'agreed':
      return { makesHunks: false, joinsBeside: false, touches: author === 'user' };
  }
}

function replaceLines(review: TextReview, { start, end, lines }: LineEdit, effect: EditEffect): TextReview {
  const { base, current, hunks } = review;
  const meets = (hunk: ReviewHunk) => (effect.joinsBeside ? isBeside(hunk, start, end) : isWithin(hunk, start, end));
  const first = countUntil(hunks, (hunk) => meets(hunk) || hunk.end > start);
  const last = first + countUntil(hunks.slice(first), (hunk) => !meets(hunk));
  const met = hunks.slice(first, last);
  const shift = shiftAfter(hunks[first - 1]);
  const growth = lines.length - (end - start);
  const next = { ...review, current: spliced(current, start, end, lines) };

  if (met.length === 0 && !effect.makesHunks) {
    const [from, to] = [start + shift, end + shift];
    const moved = hunks.slice(last).map((hunk) => movedBy(hunk, growth, growth));
    const edited = {
      ...next,
      base: spliced(base, from, to, lines),
      hunks: [...hunks.slice(0, first), ...moved],
      kept: shiftKept(withoutPutBack(review, { start: from, end: to, lines }), from, to, lines.length),
    };
    return growth > 0 ? withoutReverted(edited, current, { start, end, lines }) : edited;
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
  const touched = effect.touches || met.some((hunk) => hunk.touched);
  const moved = hunks.slice(last).map((hunk) => movedBy(hunk, growth, 0));
  return rediff({ ...next, hunks: [...hunks.slice(0, last), ...moved] }, region, {
    first,
    last,
    touched,
    owner: effect.owner,
  });
}

/**
 * Removes deletions whose lines the edit has put back: `edit` as in `current` before it, from which `review` comes. An
 * undo would insert them a second time.
 */
function withoutReverted(review: TextReview, current: readonly string[], edit: LineEdit): TextReview {
  const growth = edit.lines.length - (edit.end - edit.start);
  const index = review.hunks.findIndex((hunk, at) => {
    if (hunk.start !== hunk.end) return false;
    const place = hunk.start > edit.start ? hunk.start - growth : hunk.start;
    const [before, after] = [review.hunks[at - 1], review.hunks[at + 1]];
    const isFree =
      (before === undefined || before.end <= edit.start) && (after === undefined || after.start >= edit.start);
    return isFree && putsBack(review.base.slice(hunk.baseStart, hunk.baseEnd), place, current, edit);
  });
  const hunk = review.hunks[index];
  if (hunk === undefined) return review;
  const { baseStart, baseEnd } = hunk;
  const later = review.hunks.slice(index + 1).map((other) => movedBy(other, 0, baseStart - baseEnd));
  return {
    ...review,
    base: spliced(review.base, baseStart, baseEnd, []),
    hunks: [...review.hunks.slice(0, index), ...later],
    kept: shiftKept(review.kept, baseStart, baseEnd, 0),
  };
}

/**
 * Returns the kept hunks without those deletions whose lines this edit of the base has put back: making them pending
 * again would insert the lines a second time.
 */
function withoutPutBack({ base, kept }: TextReview, edit: LineEdit): readonly KeptHunk[] {
  return kept.filter((hunk) => hunk.start !== hunk.end || !putsBack(hunk.lines, hunk.start, base, edit));
}

/** Returns true if the edit of `text` inserts, perhaps among others, the lines that were removed at `place`. */
function putsBack(removed: readonly string[], place: number, text: readonly string[], edit: LineEdit): boolean {
  const { start, end, lines } = edit;
  if (removed.length > lines.length) return false;
  const isAt = (line: (at: number) => string | undefined, from: number) =>
    removed.every((was, at) => was === line(from + at));
  if (start < end) {
    if (place === start) return isAt((at) => lines[at], 0);
    return place === end && isAt((at) => lines[at], lines.length - removed.length);
  }
  const inserted = insertedAt(place, text, edit);
  return inserted !== undefined && (isAt(inserted, 0) || isAt(inserted, lines.length - removed.length));
}

/**
 * Returns, by their number, the lines that an insertion at `place` would need to have the result of this one;
 * `undefined` where there are none. Of several equal lines it is unknown which one was inserted.
 */
function insertedAt(
  place: number,
  text: readonly string[],
  { start, lines }: Pick<LineEdit, 'start' | 'lines'>,
): ((index: number) => string | undefined) | undefined {
  const result = (line: number) => {
    if (line < start) return text[line];
    return line < start + lines.length ? lines[line - start] : text[line - lines.length];
  };
  for (let line = Math.min(place, start); line < Math.max(place, start); line++) {
    if (result(line < place ? line : line + lines.length) !== text[line]) return undefined;
  }
  return (index) => result(place + index);
}

/** The number of hunks before the first one that satisfies the condition. */
function countUntil(hunks: readonly ReviewHunk[], isReached: (hunk: ReviewHunk) => boolean): number {
  const index = hunks.findIndex(isReached);
  return index === -1 ? hunks.length : index;
}

function isBeside(hunk: ReviewHunk, start: number, end: number): boolean {
  return hunk.start <= end && hunk.end >= start;
}

/** True when the ranges overlap; an insertion at the edge of a hunk does not. */
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
