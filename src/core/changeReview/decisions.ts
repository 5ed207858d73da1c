/** The user's decisions on hunks. To undo hunks is an edit of the text; this file only computes that edit. */
import type { TextHunk } from '../ports.ts';
import { movedBy, rediff, shiftAfter, shiftKept } from './rediff.ts';
import { linesOf, type ReviewHunk, spliced, type TextReview } from './textReview.ts';

/** Keeps hunks: their lines become part of the base. `step` identifies the decision for `unkeepHunks`. */
export function keepHunks(review: TextReview, ids: ReadonlySet<number>, step: number): TextReview {
  return review.hunks.filter(({ id }) => ids.has(id)).reduce((now, { id }) => keepHunk(now, id, step), review);
}

function keepHunk(review: TextReview, id: number, step: number): TextReview {
  const { base, current, hunks, kept } = review;
  const index = hunks.findIndex((hunk) => hunk.id === id);
  const hunk = hunks[index];
  if (hunk === undefined) return review;
  const { baseStart, baseEnd, touched } = hunk;
  const lines = current.slice(hunk.start, hunk.end);
  const growth = lines.length - (baseEnd - baseStart);
  const others = shiftKept(kept, baseStart, baseEnd, lines.length);
  const old = base.slice(baseStart, baseEnd);
  return {
    ...review,
    base: spliced(base, baseStart, baseEnd, lines),
    hunks: [...hunks.slice(0, index), ...hunks.slice(index + 1).map((later) => movedBy(later, 0, growth))],
    kept: [...others, { step, start: baseStart, end: baseStart + lines.length, lines: old, touched }],
  };
}

/** Makes the hunks that were kept in that step pending again, unless their lines have been edited since. */
export function unkeepHunks(review: TextReview, step: number): TextReview {
  const chosen = review.kept.filter((kept) => kept.step === step).toSorted((one, other) => other.start - one.start);
  return chosen.reduce((now, { start, end, lines, touched }) => {
    const { base, hunks } = now;
    const growth = lines.length - (end - start);
    const first = hunks.filter((hunk) => hunk.baseEnd < start).length;
    const last = hunks.filter((hunk) => hunk.baseStart <= end).length;
    const [head, tail] = [hunks.slice(first, last)[0], hunks.slice(first, last).at(-1)];
    const baseStart = Math.min(start, head?.baseStart ?? start);
    const baseEnd = Math.max(end, tail?.baseEnd ?? end);
    const region = {
      baseStart,
      baseEnd: baseEnd + growth,
      start: head?.baseStart === baseStart ? head.start : start - shiftAfter(hunks[first - 1]),
      end: tail?.baseEnd === baseEnd ? tail.end : end - shiftAfter(tail ?? hunks[first - 1]),
    };
    const moved = hunks.slice(last).map((hunk) => movedBy(hunk, 0, growth));
    const next = {
      ...now,
      base: spliced(base, start, end, lines),
      hunks: [...hunks.slice(0, last), ...moved],
      kept: shiftKept(
        now.kept.filter((kept) => kept.step !== step),
        start,
        end,
        lines.length,
      ),
    };
    const wasTouched = touched || hunks.slice(first, last).some((hunk) => hunk.touched);
    return rediff(next, region, { first, last, touched: wasTouched });
  }, review);
}

/**
 * Returns the edits that undo these hunks in `text`, with the line endings that it has. `undefined` when `text` is not
 * the text of the review, because then the places of the hunks are unknown. `hunks`: in order.
 */
export function hunksWithout(
  review: TextReview,
  hunks: readonly ReviewHunk[],
  text: string,
): readonly TextHunk[] | undefined {
  const lines = endedLines(text);
  const isSame = lines.length === review.current.length && lines.every((line, at) => line.text === review.current[at]);
  if (!isSame) return undefined;
  const chosen = joined(hunks);
  const ending = commonEnding(chosen, lines);
  return chosen.map((hunk) => hunkWithout(review, hunk, lines, ending));
}

/** The line ending of all lines outside of these hunks; `undefined` where they differ, or there are none. */
function commonEnding(hunks: readonly ReviewHunk[], lines: readonly EndedLine[]): string | undefined {
  const endings = new Set<string>();
  let at = 0;
  for (const { start, end } of [...hunks, { start: lines.length, end: lines.length }]) {
    for (; at < start; at++) endings.add(lines[at]?.ending ?? '');
    at = end;
  }
  endings.delete('');
  const [only] = endings;
  return endings.size === 1 ? only : undefined;
}

/** Joins adjacent hunks, which are in order: two separate edits of the same last line would conflict. */
function joined(hunks: readonly ReviewHunk[]): readonly ReviewHunk[] {
  const all: ReviewHunk[] = [];
  for (const hunk of hunks) {
    const last = all.at(-1);
    if (last?.end !== hunk.start) all.push(hunk);
    else all[all.length - 1] = { ...last, end: hunk.end, baseEnd: hunk.baseEnd };
  }
  return all;
}

function hunkWithout(
  { base }: TextReview,
  hunk: ReviewHunk,
  lines: readonly EndedLine[],
  common: string | undefined,
): TextHunk {
  const { start, end, baseStart, baseEnd } = hunk;
  const usual = common ?? lines.find(({ ending }) => ending !== '')?.ending ?? '\n';
  // An agent may have written other endings than those of the file.
  const endings = common === undefined ? lines.slice(start, end).map(({ ending }) => ending) : [];
  const restored = base.slice(baseStart, baseEnd);
  if (end < lines.length)
    return { start, end, text: restored.map((line, at) => line + (endings[at] || usual)).join('') };
  // At the end of the text: its last line has no ending, and the line before it only has one if a line follows.
  const before = lines[start - 1];
  const isGlued = before !== undefined && (start === end || restored.length === 0);
  const whole = isGlued ? [before.text, ...restored] : restored;
  const text = whole.map((line, at) => line + (at === whole.length - 1 ? '' : endings[at] || usual)).join('');
  return { start: isGlued ? start - 1 : start, end, text };
}

interface EndedLine {
  readonly text: string;
  readonly ending: string;
}

function endedLines(text: string): readonly EndedLine[] {
  const endings = text.match(/\r\n|\r|\n/g) ?? [];
  return linesOf(text).map((line, index) => ({ text: line, ending: endings[index] ?? '' }));
}
