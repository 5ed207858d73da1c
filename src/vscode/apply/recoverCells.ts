/** The cells of an open notebook in a patch whose application a crash of VS Code cut off. */
import * as vscode from 'vscode';
import { applyHunks, hunksFrom, hunksTakingBack } from '../../core/patch/hunkAlgebra.ts';
import { haveSameCells, parseNotebookText } from '../../core/patch/notebookText.ts';
import type { TextHunk } from '../../core/ports.ts';
import { decodeText } from '../../core/util/textBytes.ts';
import { nameCell, textOfNotebook } from '../workspace/notebooks.ts';
import { uriOf } from '../workspace/places.ts';
import { sameBytes } from '../workspace/textContent.ts';
import { cellsFromJournal } from './cellsInJournal.ts';
import { asDocument, changeCells } from './editCells.ts';
import type { PathGuard } from './pathGuard.ts';
import type { PlaceFiles } from './placeFiles.ts';

/** Texts of cells: `from` is the one that the recovery choice leaves, `to` the one it reaches. */
export interface CutCells {
  readonly path: string;
  readonly from: Uint8Array | null;
  readonly to: Uint8Array | null;
  /** It held unsaved edits of the user before the patch. */
  readonly staysUnsaved: boolean;
}

/** The parts of a notebook that the texts of its cells lack. */
export interface JournalledCells {
  /** Bytes that the file of the notebook has to get, if they are known. */
  readonly file: Uint8Array | null;
  /** Cells that come back (cellsInJournal.ts). */
  readonly removed: Uint8Array | null;
}

interface Way {
  readonly notebook: vscode.NotebookDocument;
  readonly hunks: readonly TextHunk[];
  /** The hunks give exactly the cells of `to`. */
  readonly isAll: boolean;
}

/** Resolves to true if the notebook does not have the cells of `to`. Never rejects. */
export async function mustChangeCells(cells: CutCells): Promise<boolean> {
  const way = await wayTo(cells).catch(() => undefined);
  return way !== undefined && way.hunks.length > 0;
}

/**
 * Brings a notebook from one text of its cells to the other, beside edits of the user at other lines. Opens it without a
 * tab, so that VS Code restores its backup. @throws the error of VS Code
 */
export async function recoverCells(
  cells: CutCells,
  { file, removed }: JournalledCells,
  { guard, files }: { readonly guard: PathGuard; readonly files: PlaceFiles },
): Promise<'done' | 'unsaved' | 'left_alone'> {
  const { path, staysUnsaved } = cells;
  const way = await wayTo(cells);
  if (way === undefined) return 'left_alone';
  const { notebook, hunks, isAll } = way;
  if (hunks.length === 0 && (staysUnsaved || !notebook.isDirty)) return 'done';
  if (isAll && file !== null) {
    if (!notebook.isDirty) {
      await files.write(path, file);
      return 'done';
    }
    if (sameBytes(await files.read(path), file)) {
      await revert(notebook);
      return 'done';
    }
  }
  const wanted = applyHunks(textOfNotebook(notebook), hunks);
  const journalled = removed === null ? undefined : cellsFromJournal(removed);
  if (!(await changeCells(notebook, wanted, path, journalled))) return 'left_alone';
  if (staysUnsaved || !isAll) return 'unsaved';
  return (await guard.save(asDocument(notebook), path)) === 'saved' ? 'done' : 'unsaved';
}

/** `undefined` where the user has changed the same lines. */
async function wayTo({ path, from, to }: CutCells): Promise<Way | undefined> {
  const [origin, target] = [from, to].map((bytes) => bytes && decodeText(bytes)?.text);
  if (typeof origin !== 'string' || typeof target !== 'string') return undefined;
  const notebook = await vscode.workspace.openNotebookDocument(uriOf(path));
  if (haveSameCells(textOfNotebook(notebook), target)) return { notebook, hunks: [], isAll: true };
  if (haveSameCells(textOfNotebook(notebook), origin)) nameCells(notebook, origin);
  const now = textOfNotebook(notebook);
  const hunks = hunksTakingBack(hunksFrom(target, origin), { before: target, after: origin, now });
  return hunks && { notebook, hunks, isAll: haveSameCells(applyHunks(now, hunks), target) };
}

/** Formats without ids of cells have got others since the crash. */
function nameCells(notebook: vscode.NotebookDocument, text: string): void {
  const parsed = parseNotebookText(text);
  if (parsed.type !== 'cells') return;
  for (const [index, { id }] of parsed.cells.entries()) if (id !== null) nameCell(notebook.cellAt(index), id);
}

/** The revert command acts on the active editor only. Afterwards the user's editor is active again. */
async function revert(notebook: vscode.NotebookDocument): Promise<void> {
  const { activeTextEditor, activeNotebookEditor } = vscode.window;
  await vscode.window.showNotebookDocument(notebook, { preserveFocus: true });
  await vscode.commands.executeCommand('workbench.action.files.revert');
  if (activeNotebookEditor !== undefined) {
    const { notebook: before, viewColumn } = activeNotebookEditor;
    if (before !== notebook) await vscode.window.showNotebookDocument(before, { viewColumn, preserveFocus: true });
  } else if (activeTextEditor !== undefined && !activeTextEditor.document.isClosed) {
    const { document, viewColumn } = activeTextEditor;
    await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true });
  }
}
