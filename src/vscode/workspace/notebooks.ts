/** Open notebooks as texts of their cells (core/patch/notebookText.ts). */
import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { notebookText, type NotebookCell } from '../../core/patch/notebookText.ts';
import { documentAt, hasUnsavedText, tabsOf } from './documents.ts';

/**
 * The notebook that holds this file: a tab shows it, or it has unsaved edits. `undefined` where the file has unsaved edits in
 * a text editor.
 */
export function notebookAt(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  const address = uri.toString();
  const notebook = vscode.workspace.notebookDocuments.find((document) => document.uri.toString() === address);
  return notebook !== undefined && isShown(notebook) && !hasUnsavedText(documentAt(uri)) ? notebook : undefined;
}

/** The notebook, also when it was opened by another name of the file. `place`: the resolved place of the file. */
export async function notebookOfFile(uri: vscode.Uri, place?: string): Promise<vscode.NotebookDocument | undefined> {
  const named = notebookAt(uri);
  if (named !== undefined || uri.scheme !== 'file') return named;
  const others = vscode.workspace.notebookDocuments.filter(
    (document) => document.uri.scheme === 'file' && isShown(document),
  );
  if (others.length === 0 || hasUnsavedText(documentAt(uri))) return undefined;
  const realPath = (path: string) => realpath(path).catch(() => path);
  const wanted = place ?? (await realPath(uri.fsPath));
  const places = await Promise.all(others.map((document) => realPath(document.uri.fsPath)));
  return others.find((_one, index) => places[index] === wanted);
}

function isShown(notebook: vscode.NotebookDocument): boolean {
  if (notebook.isClosed) return false;
  return notebook.isDirty || tabsOf(notebook.uri).some(({ input }) => !(input instanceof vscode.TabInputText));
}

/** Notebooks of files that have unsaved edits. */
export function dirtyNotebooks(): readonly vscode.NotebookDocument[] {
  const open = vscode.workspace.notebookDocuments.filter(({ uri, isClosed }) => !isClosed && uri.scheme === 'file');
  return open.filter(({ isDirty }) => isDirty);
}

/** Returns the text that a patch sees. */
export function textOfNotebook(notebook: vscode.NotebookDocument): string {
  return notebookText(cellsOf(notebook));
}

/** Returns the cells with ids that are unique in the notebook; a copy of a cell gets a new one. */
export function cellsOf(notebook: vscode.NotebookDocument): readonly NotebookCell[] {
  const taken = new Set<string>();
  return notebook.getCells().map((cell) => {
    let id = idOf(cell);
    // Copies of a cell may have its id.
    if (taken.has(id)) nameCell(cell, (id = newCellId()));
    taken.add(id);
    return { id, language: languageOf(cell), text: cell.document.getText().replace(/\r\n?/g, '\n') };
  });
}

/** For as long as the notebook is open: the format before 4.5 has no ids. */
const ids = new WeakMap<vscode.NotebookCell, string>();

/** Gives a cell the id by which a patch names it. */
export function nameCell(cell: vscode.NotebookCell, id: string): void {
  ids.set(cell, id);
}

/** Random, so that a text read before a reload never names another cell by the same id. */
export function newCellId(): string {
  return randomBytes(4).toString('hex');
}

function idOf(cell: vscode.NotebookCell): string {
  const known = ids.get(cell);
  if (known !== undefined) return known;
  const { id } = cell.metadata as { readonly id?: unknown };
  const own = typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : newCellId();
  ids.set(cell, own);
  return own;
}

function languageOf({ kind, document }: vscode.NotebookCell): string {
  return kind === vscode.NotebookCellKind.Markup ? 'markdown' : document.languageId;
}

/** The kind of a cell by the language in its marker. */
export function kindOf(language: string): vscode.NotebookCellKind {
  return language === 'markdown' ? vscode.NotebookCellKind.Markup : vscode.NotebookCellKind.Code;
}
