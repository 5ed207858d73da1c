import { diffLines, type LineChange } from '../patch/lineDiff.ts';
import { append } from '../util/append.ts';

/**
 * Merges two changes of one text: from `base` to `one` and from `base` to `other`. `undefined` where they touch the
 * same lines or adjacent ones: no merge is guessed.
 */
export function mergeTexts(base: string, one: string, other: string): string | undefined {
  const [lines, ours, theirs] = [base, one, other].map(linesOf) as [string[], string[], string[]];
  const left = diffLines(lines, ours);
  const right = diffLines(lines, theirs);
  if (left.some((change) => right.some((against) => touch(change, against)))) return undefined;
  const edits = [
    ...left.map((change) => ({ ...change, text: ours.slice(change.newStart, change.newEnd) })),
    ...right.map((change) => ({ ...change, text: theirs.slice(change.newStart, change.newEnd) })),
  ].toSorted((first, second) => first.start - second.start);
  const merged: string[] = [];
  let at = 0;
  for (const { start, end, text } of edits) {
    append(merged, lines.slice(at, start));
    append(merged, text);
    at = end;
  }
  return [...merged, ...lines.slice(at)].join('');
}

function touch(one: LineChange, other: LineChange): boolean {
  return one.start <= other.end && other.start <= one.end;
}

/** Returns the lines with their line feeds. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}
