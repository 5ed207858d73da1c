import { diffLines, type LineChange } from '../patch/lineDiff.ts';
import { append } from '../util/append.ts';

/**
 * Merges two changes of one text: from `base` to `one` and from `base` to `other`. `undefined` where they touch the
 * same lines or adjacent ones: no merge is guessed.
 */
export function mergeTexts(base: string, one: string, other: string): string | undefined {
  const [lines, ours, theirs] = [base, one, other].map(linesOf) as [string[], string[], string[]];
  const edits = [...editsOf(lines, ours), ...editsOf(lines, theirs)].toSorted(
    (first, second) => first.start - second.start,
  );
  // Edits of one side are apart, so two that touch are neighbours.
  if (edits.some((edit, index) => touch(edits[index - 1], edit))) return undefined;
  const merged: string[] = [];
  let at = 0;
  for (const { start, end, text } of edits) {
    append(merged, lines.slice(at, start));
    append(merged, text);
    at = end;
  }
  return [...merged, ...lines.slice(at)].join('');
}

/** Lines `start` to `end` (excluded) of the base become `text`; `result`: the lines that have it. */
interface Edit extends Pick<LineChange, 'start' | 'end'> {
  readonly text: readonly string[];
  readonly result: readonly string[];
}

function editsOf(base: readonly string[], result: readonly string[]): readonly Edit[] {
  return diffLines(base, result).map(({ start, end, newStart, newEnd }) => ({
    start,
    end,
    text: result.slice(newStart, newEnd),
    result,
  }));
}

/** Returns true if `next`, which does not start earlier, is of the other side and at the same or adjacent lines. */
function touch(edit: Edit | undefined, next: Edit): boolean {
  return edit !== undefined && edit.result !== next.result && next.start <= edit.end;
}

/** Returns the lines with their line feeds. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}
