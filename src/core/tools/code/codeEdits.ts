/** Edits of language extensions, applied to texts. Pure. */
import type { CodeEdit, CodePosition } from '../../ports.ts';

export type EditedText =
  | { readonly type: 'edited'; readonly text: string }
  /** An edit lies outside of the text, overlaps another, or replaces something else than the symbol. */
  | { readonly type: 'unfit' };

/**
 * Applies the edits of a rename. Each has to replace a text that contains the symbol's name, or only blanks: others are for
 * an older text.
 */
export function renamedText(text: string, edits: readonly CodeEdit[], name: string): EditedText {
  const starts = lineStarts(text);
  const offsetOf = ({ line, column }: Pick<CodePosition, 'line' | 'column'>) => {
    const start = starts[line - 1];
    const end = starts[line] ?? text.length;
    return start === undefined || start + column > end ? undefined : start + column;
  };
  const placed = edits.map((edit) => ({ start: offsetOf(edit.start), end: offsetOf(edit.end), text: edit.text }));
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: inserted } of placed.toSorted((one, other) => (one.start ?? 0) - (other.start ?? 0))) {
    if (start === undefined || end === undefined || start < at || end < start) return { type: 'unfit' };
    const replaced = text.slice(start, end);
    if (replaced.trim() !== '' && !replaced.toLowerCase().includes(name.toLowerCase())) return { type: 'unfit' };
    parts.push(text.slice(at, start), inserted);
    at = end;
  }
  return { type: 'edited', text: [...parts, text.slice(at)].join('') };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ 0: end, index }) => index + end.length)];
}
