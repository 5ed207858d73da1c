/**
 * The undecided changes of an agent to a text: the text without them (`base`), the current text, and the hunks between
 * the two. An immutable value; edits.ts and decisions.ts compute the next one.
 *
 * Invariant: replacing each hunk's lines of `current` by its lines of `base` gives `base`.
 */
import { diffLines } from '../patch/lineDiff.ts';

/** Lines `start` to `end` of the current text replace lines `baseStart` to `baseEnd` of the base. */
export interface ReviewHunk {
  /** Does not change while the hunk exists. */
  readonly id: number;
  readonly baseStart: number;
  readonly baseEnd: number;
  readonly start: number;
  readonly end: number;
  /** True when the user has edited the hunk: undoing it would remove the user's text too. */
  readonly touched: boolean;
  /** The threads whose patches have made it, as far as they are known: several where changes meet. */
  readonly owners?: readonly string[];
}

/** A hunk that was kept: lines `start` to `end` of the base, which were `lines` before. */
export interface KeptHunk {
  /** Identifies the decision that kept it, perhaps together with others. */
  readonly step: number;
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly touched: boolean;
}

export interface TextReview {
  /** Without line endings. A text that ends with one has an empty last line. */
  readonly base: readonly string[];
  readonly current: readonly string[];
  /** In order, without overlaps. */
  readonly hunks: readonly ReviewHunk[];
  /** Hunks that can be un-kept. */
  readonly kept: readonly KeptHunk[];
  /** Keys of the agent's edits (replaced and inserted lines): Redo, and Ctrl+Z of an undone hunk, apply them again. */
  readonly agentEdits: ReadonlySet<string>;
  readonly nextId: number;
}

/** Starts the review of an edit in which the agent changed `before` to `after`. `owner`: see `ReviewHunk.owners`. */
export function startReview(before: string, after: string, owner?: string): TextReview {
  const [base, current] = [linesOf(before), linesOf(after)];
  const hunks = diffLines(base, current).map((change, index) => ({
    id: index + 1,
    baseStart: change.start,
    baseEnd: change.end,
    start: change.newStart,
    end: change.newEnd,
    touched: false,
    ...(owner === undefined ? {} : { owners: [owner] }),
  }));
  const agentEdits = new Set(
    hunks.map((hunk) => editKey(base.slice(hunk.baseStart, hunk.baseEnd), current.slice(hunk.start, hunk.end))),
  );
  return { base, current, hunks, kept: [], agentEdits, nextId: hunks.length + 1 };
}

/** The lines as an editor counts them, whatever their endings. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Identifies an edit by the lines that it removes and inserts, wherever it is. */
export function editKey(removed: readonly string[], inserted: readonly string[]): string {
  return JSON.stringify([removed, inserted]);
}

/** Returns the list with `by` in place of the elements from `start` up to `end`. */
export function spliced<Value>(list: readonly Value[], start: number, end: number, by: readonly Value[]): Value[] {
  return list.slice(0, start).concat(by, list.slice(end));
}

// ---------------------------------------------------------------- queries

/** The hunk at a line of the cursor; a deletion belongs to the lines on both sides of it. */
export function hunkAt({ hunks }: TextReview, line: number): ReviewHunk | undefined {
  const isIn = ({ start, end }: ReviewHunk) => start <= line && line < end;
  const isAtDeletion = ({ start, end }: ReviewHunk) => start === end && (start === line || start === line + 1);
  return hunks.find(isIn) ?? hunks.find(isAtDeletion);
}

/** True when the invariant holds. Needed because stored data may be damaged. */
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
