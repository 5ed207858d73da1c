/** Recognizes the white space that a save of VS Code removes by itself. VS Code edits before it reports the save. */
import * as vscode from 'vscode';
import type { TextReview } from '../../core/changeReview/textReview.ts';
import type { TextEdit } from '../../core/util/textEdit.ts';

/**
 * Returns true if the edits remove nothing but blanks at ends of lines and line ends at the end of the text, which the
 * settings of the document have each save do. `text`: before the edits.
 */
export function isTrimmedBySave(edits: readonly TextEdit[], text: TextReview, document: vscode.TextDocument): boolean {
  if (!edits.every((edit) => isTrimmed(edit, text.current))) return false;
  const files = vscode.workspace.getConfiguration('files', document);
  const isInLine = ({ startLine, endLine }: TextEdit) => startLine === endLine;
  return edits.every((edit) => files.get(isInLine(edit) ? 'trimTrailingWhitespace' : 'trimFinalNewlines', false));
}

/** True if the edit is in one line, or reaches the end of the text. */
function isTrimmed({ startLine, startCharacter, endLine, endCharacter, text }: TextEdit, lines: readonly string[]) {
  if (text !== '' || (startLine !== endLine && endLine < lines.length - 1)) return false;
  const [first = '', last = ''] = [lines[startLine], lines[endLine]];
  const isToEnd = endCharacter >= last.length;
  const removed = lines.slice(startLine + 1, endLine + 1).join('') + first.slice(startCharacter);
  return isToEnd && removed.trim() === '';
}
