/** Hunks under review in the lines of the document that shows them: of a file, or of one cell of a notebook. */
import * as vscode from 'vscode';
import { hunkAt, type ReviewHunk } from '../../core/changeReview/textReview.ts';
import type { PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';

export interface ShownHunks {
  readonly file: PendingFile;
  /** In lines of the document; the ids are those of the file. */
  readonly hunks: readonly ReviewHunk[];
  /** The line of the file's text that is the first of the document. */
  readonly firstLine: number;
}

/**
 * Returns the pending hunks in the lines of a document, which may be a cell of a notebook. `undefined` where there is
 * no review of it.
 */
export function shownHunks(reviews: Reviews, document: vscode.TextDocument): ShownHunks | undefined {
  const cell = document.uri.scheme === 'vscode-notebook-cell' ? cellOf(document) : undefined;
  if (cell === undefined) {
    const file = reviews.at(document.uri);
    return file && { file, hunks: file.text.hunks, firstLine: 0 };
  }
  const file = reviews.at(cell.notebook.uri);
  if (!file?.isCells || file.story.type === 'deleted') return undefined;
  const firstLine = firstLineOf(cell);
  const { lineCount } = document;
  const hunks = file.text.hunks.flatMap((hunk) => {
    const [start, end] = [hunk.start - firstLine, hunk.end - firstLine];
    // Lines that were removed before the first marker are shown in the first cell.
    const isHere =
      start === end ? start >= (cell.index === 0 ? -1 : 0) && start <= lineCount : start < lineCount && end > 0;
    const within = (line: number) => Math.min(Math.max(line, 0), lineCount);
    return isHere ? [{ ...hunk, start: within(start), end: within(end) }] : [];
  });
  return { file, hunks, firstLine };
}

/** The hunk of the file at a line of the document. */
export function hunkAtLine({ file, firstLine }: ShownHunks, line: number): ReviewHunk | undefined {
  return hunkAt(file.text, line + firstLine);
}

/** The cell of a notebook's text that has this line, and the line in it. */
export function cellAtLine(
  notebook: vscode.NotebookDocument,
  line: number,
): { readonly cell: vscode.NotebookCell; readonly line: number } | undefined {
  const cell = notebook.getCells().findLast((candidate) => firstLineOf(candidate) - 1 <= line);
  return cell && { cell, line: Math.min(Math.max(line - firstLineOf(cell), 0), cell.document.lineCount - 1) };
}

function cellOf(document: vscode.TextDocument): vscode.NotebookCell | undefined {
  return vscode.workspace.notebookDocuments
    .flatMap((notebook) => notebook.getCells())
    .find((cell) => cell.document === document);
}

/** Returns the line below the marker of the cell (core/patch/notebookText.ts). */
function firstLineOf({ notebook, index }: vscode.NotebookCell): number {
  return notebook
    .getCells()
    .slice(0, index)
    .reduce((line, { document }) => line + 1 + document.lineCount, 1);
}
