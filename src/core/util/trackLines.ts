/** Moves the lines of a document along with its edits. */
import type { LineRange } from '../../protocol/lineRange.ts';

/** One edit, with lines from 0 as VS Code counts them. */
export interface LineEdit {
  readonly startLine: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

/** The same lines (counted from 1) after the edit; an edit inside makes them more or fewer, but at least one. */
export function trackLines({ first, last }: LineRange, edit: LineEdit): LineRange {
  const [start, end] = [edit.startLine + 1, edit.endLine + 1];
  const delta = edit.text.split(/\r\n|\r|\n/).length - 1 - (end - start);
  if (start > last) return { first, last };
  const isAbove = end < first || (end === first && edit.endCharacter === 0 && start < first);
  const isInsertedBefore = start === first && end === first && edit.endCharacter === 0 && /[\r\n]$/.test(edit.text);
  if (isAbove || isInsertedBefore) return { first: first + delta, last: last + delta };
  const from = Math.min(first, start);
  return { first: from, last: Math.max(from, last + delta) };
}
