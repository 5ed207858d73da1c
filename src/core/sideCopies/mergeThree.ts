/** The changes of a side copy in a text of the workspace that may have been changed since, change by change. Pure. */
import { diffLines, type LineChange } from '../patch/lineDiff.ts';
import { feedLines } from '../patch/proposalChoices.ts';
import type { LineSpan } from '../ports.ts';
import { append } from '../util/append.ts';

/** One change of the copy. Spans are lines as diffs count them. */
export interface CopyHunk {
  /** `conflict`: the same lines, or lines side by side, were changed in the workspace, too. */
  readonly state: 'clean' | 'conflict';
  /** Its place in the text at the start of the copy. */
  readonly base: LineSpan;
  /** The lines that it replaces in the workspace. */
  readonly home: LineSpan;
  /** Its own lines in the copy. */
  readonly result: LineSpan;
  /** The same lines in `MergedText.text`. */
  readonly merged: LineSpan;
}

export interface MergedText {
  /** The text of the workspace with every change of the copy, conflicts included: there the copy's lines are taken. */
  readonly text: string;
  /** In order, none of them touching another. Without those that the workspace has already. */
  readonly hunks: readonly CopyHunk[];
  /** Changes of the copy that the workspace has already. */
  readonly known: readonly Pick<CopyHunk, 'base' | 'result'>[];
}

/** `base`: the common base of both. No merge is guessed: adjacent changes are a conflict. */
export function mergeThree(base: string, home: string, result: string): MergedText {
  const [baseLines, homeLines, resultLines] = [base, home, result].map(feedLines) as Lines;
  const hunks: CopyHunk[] = [];
  const known: Pick<CopyHunk, 'base' | 'result'>[] = [];
  const merged: string[] = [];
  let at = 0;
  for (const region of regionsOf(diffLines(baseLines, homeLines), diffLines(baseLines, resultLines))) {
    if (region.theirs.length === 0) continue;
    const { base: span, home: inHome, result: inResult } = region.spans;
    const isBoth = region.ours.length > 0;
    if (isBoth && textOf(homeLines, inHome) === textOf(resultLines, inResult)) {
      known.push({ base: span, result: inResult });
      continue;
    }
    append(merged, homeLines.slice(at, inHome.start));
    const start = merged.length;
    append(merged, resultLines.slice(inResult.start, inResult.end));
    const state = isBoth ? 'conflict' : 'clean';
    hunks.push({ state, base: span, home: inHome, result: inResult, merged: { start, end: merged.length } });
    at = inHome.end;
  }
  return { text: [...merged, ...homeLines.slice(at)].join(''), hunks, known };
}

/** Two texts without a common origin: every difference is a conflict. */
export function differences(home: string, result: string): MergedText {
  const hunks = diffLines(feedLines(home), feedLines(result)).map(({ start, end, newStart, newEnd }): CopyHunk => {
    const [inHome, inResult] = [
      { start, end },
      { start: newStart, end: newEnd },
    ];
    return { state: 'conflict', base: { start: 0, end: 0 }, home: inHome, result: inResult, merged: inResult };
  });
  return { text: result, hunks, known: [] };
}

/**
 * Returns the new base of the copy: the old base with the changes that have come home, so that the others are offered
 * again. `taken`: indices of `merged.hunks`.
 */
export function baseAfter(base: string, result: string, merged: MergedText, taken: ReadonlySet<number>): string {
  const baseLines = feedLines(base);
  const resultLines = feedLines(result);
  const brought = [...merged.hunks.filter((_, index) => taken.has(index)), ...merged.known];
  const lines: string[] = [];
  let at = 0;
  for (const { base: span, result: inResult } of brought.toSorted((one, other) => one.base.start - other.base.start)) {
    append(lines, baseLines.slice(at, span.start));
    append(lines, resultLines.slice(inResult.start, inResult.end));
    at = span.end;
  }
  return [...lines, ...baseLines.slice(at)].join('');
}

type Lines = [base: readonly string[], home: readonly string[], result: readonly string[]];

/** Changes that touch, and the lines from the first to the last of them in each of the three texts. */
interface Region {
  readonly ours: readonly LineChange[];
  readonly theirs: readonly LineChange[];
  readonly spans: { readonly base: LineSpan; readonly home: LineSpan; readonly result: LineSpan };
}

function regionsOf(ours: readonly LineChange[], theirs: readonly LineChange[]): readonly Region[] {
  const all = [
    ...ours.map((change) => ({ change, side: 'ours' })),
    ...theirs.map((change) => ({ change, side: 'theirs' })),
  ].toSorted((one, other) => one.change.start - other.change.start || one.change.end - other.change.end);
  const groups: { end: number; members: typeof all }[] = [];
  for (const member of all) {
    const last = groups.at(-1);
    if (last !== undefined && member.change.start <= last.end) {
      last.members.push(member);
      last.end = Math.max(last.end, member.change.end);
    } else groups.push({ end: member.change.end, members: [member] });
  }
  let [homeShift, resultShift] = [0, 0];
  return groups.map(({ end, members }) => {
    const start = members[0]?.change.start ?? end;
    const of = (side: string) => members.filter((member) => member.side === side).map(({ change }) => change);
    const [left, right] = [of('ours'), of('theirs')];
    const [homeFrom, resultFrom] = [start + homeShift, start + resultShift];
    homeShift += growthOf(left);
    resultShift += growthOf(right);
    return {
      ours: left,
      theirs: right,
      spans: {
        base: { start, end },
        home: { start: homeFrom, end: end + homeShift },
        result: { start: resultFrom, end: end + resultShift },
      },
    };
  });
}

/** Returns the growth of the text in lines. */
function growthOf(changes: readonly LineChange[]): number {
  return changes.reduce((sum, { start, end, newStart, newEnd }) => sum + newEnd - newStart - (end - start), 0);
}

function textOf(lines: readonly string[], { start, end }: LineSpan): string {
  return lines.slice(start, end).join('');
}
