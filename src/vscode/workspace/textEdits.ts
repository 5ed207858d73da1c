import type * as vscode from 'vscode';
import type { TextEdit } from '../../core/util/textEdit.ts';

/** The edits of one change of a document, for core; they were made at the same time. */
export function textEditsOf(changes: readonly vscode.TextDocumentContentChangeEvent[]): readonly TextEdit[] {
  return changes.map(({ range: { start, end }, text }) => ({
    startLine: start.line,
    startCharacter: start.character,
    endLine: end.line,
    endCharacter: end.character,
    text,
  }));
}
