/** Edits of a text, and the lines that follow them. */
import type { LineRange } from '../../protocol/lineRange.ts';

/** An edit as VS Code reports it: the range before the edit, as lines and characters from 0. */
export interface TextEdit {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

/**
 * Returns the lines after edits that were made at the same time. `isTouched`: one of the edits was in them. Where all
 * of them are removed, the line at their place is returned.
 */
export function movedLines(
  lines: LineRange,
  edits: readonly TextEdit[],
): { readonly lines: LineRange; readonly isTouched: boolean } {
  let [first, last] = [lines.first - 1, lines.last - 1];
  let isTouched = false;
  // The last one first: the lines of the others stay where they are.
  for (const edit of edits.toSorted((one, other) => other.startLine - one.startLine)) {
    const { startLine, startCharacter, endLine, endCharacter, text } = edit;
    const breaks = text.split('\n').length - 1;
    const growth = breaks - (endLine - startLine);
    // Whole lines before the first one: it ends where that begins.
    const endsBefore = endLine < first || (endLine === first && endCharacter === 0 && isWhole(edit));
    if (startLine > last) continue;
    if (endsBefore) {
      first += growth;
      last += growth;
      continue;
    }
    isTouched = true;
    const newLast = endLine > last ? startLine + breaks : last + growth;
    // Without a line break in it, what is left of its last line is on the line where it starts.
    const isOnNextLine = startCharacter > 0 && breaks > 0;
    if (startLine < first) first = Math.min(first, startLine + (isOnNextLine ? 1 : 0));
    last = Math.max(first, newLast);
  }
  return { lines: { first: Math.max(0, first) + 1, last: Math.max(0, first, last) + 1 }, isTouched };
}

function isWhole({ startCharacter, text, startLine, endLine }: TextEdit): boolean {
  return startCharacter === 0 && (text === '' ? endLine > startLine : text.endsWith('\n'));
}
