/**
 * What an agent did to a text that the person has not decided about yet: the text as it would be without it, the text as
 * it is, and the places where they differ. A value; edits.ts and decisions.ts make the next one of it.
 *
 * Always: each hunk's lines of `current` replaced by its lines of `base` give `base`.
 */
import { diffLines } from '../patch/lineDiff.ts';

/** Lines `start` to `end` of the current text stand where lines `baseStart` to `baseEnd` stood. */
export interface ReviewHunk {
  /** The same as long as the hunk is. */
  readonly id: number;
  readonly baseStart: number;
  readonly baseEnd: number;
  readonly start: number;
  readonly end: number;
  /** The person has worked on it: words of theirs go when it is undone. */
  readonly touched: boolean;
}

/** A hunk that was kept: lines `start` to `end` of the base, which stood there as `lines` before. */
export interface KeptHunk {
  /** Of the decision that kept it, perhaps with others. */
  readonly step: number;
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly touched: boolean;
}

export interface TextReview {
  /** Without line ends. A text that ends with one has an empty line at its end. */
  readonly base: readonly string[];
  readonly current: readonly string[];
  /** In order; they never overlap. */
  readonly hunks: readonly ReviewHunk[];
  /** Those that can be un-kept. */
  readonly kept: readonly KeptHunk[];
  /** The agent's edits, by what they replaced with what: Redo, and Ctrl+Z of an undone hunk, bring them again. */
  readonly agentEdits: ReadonlySet<string>;
  readonly nextId: number;
}

/** The agent has made `after` out of `before`. */
export function startReview(before: string, after: string): TextReview {
  const [base, current] = [linesOf(before), linesOf(after)];
  const hunks = diffLines(base, current).map((change, index) => ({
    id: index + 1,
    baseStart: change.start,
    baseEnd: change.end,
    start: change.newStart,
    end: change.newEnd,
    touched: false,
  }));
  const agentEdits = new Set(
    hunks.map((hunk) => editKey(base.slice(hunk.baseStart, hunk.baseEnd), current.slice(hunk.start, hunk.end))),
  );
  return { base, current, hunks, kept: [], agentEdits, nextId: hunks.length + 1 };
}

/** As an editor counts them, whatever ends them. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

export function editKey(removed: readonly string[], inserted: readonly string[]): string {
  return JSON.stringify([removed, inserted]);
}

export function spliced<Value>(list: readonly Value[], start: number, end: number, by: readonly Value[]): Value[] {
  return list.slice(0, start).concat(by, list.slice(end));
}

// ---------------------------------------------------------------- looking

/** The hunk that a cursor in this line is in; a deletion belongs to the lines on both sides of it. */
export function hunkAt({ hunks }: TextReview, line: number): ReviewHunk | undefined {
  const isIn = ({ start, end }: ReviewHunk) => start <= line && line < end;
  const isAtDeletion = ({ start, end }: ReviewHunk) => start === end && (start === line || start === line + 1);
  return hunks.find(isIn) ?? hunks.find(isAtDeletion);
}

/** Whether the lines of the hunks replaced by those of the base give the base: what was stored may be anything. */
export function isConsistent({ base, current, hunks }: Pick<TextReview, 'base' | 'current' | 'hunks'>): boolean {
  let at = 0;
  let baseAt = 0;
  for (const { baseStart, baseEnd, start, end } of hunks) {
    if (start < at || end < start || baseEnd < baseStart || start - at !== baseStart - baseAt) return false;
    for (; at < start; at++, baseAt++) if (current[at] !== base[baseAt]) return false;
    [at, baseAt] = [end, baseEnd];
  }
  if (current.length - at !== base.length - baseAt) return false;
  for (; at < current.length; at++, baseAt++) if (current[at] !== base[baseAt]) return false;
  return true;
}
