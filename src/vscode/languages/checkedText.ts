/** The text of a file that language servers check: its document, or the cells of the open notebook that holds it. */
import type * as vscode from 'vscode';
import type { Problem } from '../../core/ports.ts';
import { documentOfFile, openDocument } from '../workspace/documents.ts';
import { notebookAt, notebookOfFile } from '../workspace/notebooks.ts';
import { problemsOf } from '../workspace/problemsOf.ts';

export interface CheckedText {
  /** The URI of the file. */
  readonly uri: vscode.Uri;
  /** None where the file is not open. */
  readonly parts: readonly CheckedPart[];
}

export interface CheckedPart {
  readonly document: vscode.TextDocument;
  /** Lines of the text of the notebook before the cell (core/patch/notebookText.ts); 0 in other files. */
  readonly offset: number;
}

/** `place`: the resolved place of the file. */
export async function findText(uri: vscode.Uri, place: string): Promise<CheckedText> {
  const notebook = await notebookOfFile(uri, place);
  if (notebook !== undefined) return { uri: notebook.uri, parts: cellsIn(notebook) };
  return wholeText(await documentOfFile(uri, place), uri);
}

/** The text of a file that a tab shows. */
export function shownText(uri: vscode.Uri): CheckedText {
  const notebook = notebookAt(uri);
  return notebook === undefined ? wholeText(openDocument(uri), uri) : { uri, parts: cellsIn(notebook) };
}

/** Errors and warnings by the lines of the file's text. */
export function problemsIn({ uri, parts }: CheckedText): readonly Problem[] {
  const open = parts.filter(({ document }) => !document.isClosed);
  if (open.length === 0) return problemsOf(uri, undefined);
  return open.flatMap(({ document, offset }) =>
    problemsOf(document.uri, document).map((problem) => ({ ...problem, line: problem.line + offset })),
  );
}

function wholeText(document: vscode.TextDocument | undefined, uri: vscode.Uri): CheckedText {
  return { uri: document?.uri ?? uri, parts: document === undefined ? [] : [{ document, offset: 0 }] };
}

function cellsIn(notebook: vscode.NotebookDocument): readonly CheckedPart[] {
  let lines = 0;
  return notebook.getCells().map(({ document }) => {
    // The line that marks the cell.
    const offset = lines + 1;
    lines = offset + document.lineCount;
    return { document, offset };
  });
}
