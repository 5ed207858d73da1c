import type * as vscode from 'vscode';
import type { LineRange } from '../../protocol/lineRange.ts';

/** The selected lines, or the line of the cursor. A selection that ends at the start of a line does not have that line. */
export function selectedLines({ start, end }: vscode.Selection): LineRange {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { first: start.line + 1, last: last + 1 };
}
