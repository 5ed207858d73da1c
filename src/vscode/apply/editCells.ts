/** Changes the cells of an open notebook: texts in their documents, so that outputs stay; whole cells by NotebookEdit. */
import * as vscode from 'vscode';
import { applyHunks, hunksFrom, hunksTakingBack, rebaseHunks } from '../../core/patch/hunkAlgebra.ts';
import {
  type CellEdits,
  cellEdits,
  haveSameCells,
  type PatchedCell,
  parseNotebookText,
} from '../../core/patch/notebookText.ts';
import { ApplyRefused } from '../../core/patch/placedChange.ts';
import { cellsOf, kindOf, nameCell, newCellId, notebookAt, textOfNotebook } from '../workspace/notebooks.ts';
import type { ApplyContext } from './applyContext.ts';
import { type BufferEdit, type EditedDocument, type EditStep, StaleFiles } from './model.ts';
import { HOT_TRIES, textEdits } from './replaceHunks.ts';

/** @throws StaleFiles when the user changed the same lines, ApplyRefused when the text has no cells or VS Code drops the edit */
export async function editCells(
  step: EditStep,
  notebook: vscode.NotebookDocument,
  context: ApplyContext,
): Promise<BufferEdit> {
  const { path } = step.file;
  for (let attempt = 1; ; attempt++) {
    if (notebook.isClosed) throw new StaleFiles([path]);
    const before = textOfNotebook(notebook);
    const hunks = rebaseHunks(step.hunks, step.before, before);
    if (hunks === undefined) throw new StaleFiles([path]);
    const wasDirty = notebook.isDirty;
    const wanted = applyHunks(before, hunks);
    const done = context.watch?.edits({ uri: notebook.uri, path }, { before, after: wanted });
    const isTaken = await changeCells(notebook, wanted, path).finally(() => done?.());
    if (isTaken) {
      const after = textOfNotebook(notebook);
      const document = asDocument(notebook);
      const edit = {
        step,
        document,
        before,
        after,
        hunks: hunksFrom(before, after),
        wasDirty,
        version: notebook.version,
      };
      context.compensation.add(path, () => rollbackCells(edit, notebook, context));
      if (!haveSameCells(after, wanted)) {
        throw new ApplyRefused(`The cells of ${path} cannot be changed: VS Code did not take the edit.`);
      }
      return edit;
    }
    if (attempt === HOT_TRIES) throw new StaleFiles([path]);
    await new Promise((resolve) => setTimeout(resolve, 25 + 10 * (attempt % 5)));
  }
}

/** @throws ApplyRefused when it is not a text of cells */
export function mustHaveCells(text: string, path: string): readonly PatchedCell[] {
  const parsed = parseNotebookText(text);
  if (parsed.type === 'cells') return parsed.cells;
  throw new ApplyRefused(`${path} is open as a notebook, and ${parsed.message}.`);
}

/** False when the user has changed the lines of the edit since. */
async function rollbackCells(
  { before, after, hunks, wasDirty, document, step }: BufferEdit,
  notebook: vscode.NotebookDocument,
  { guard, watch }: ApplyContext,
): Promise<boolean> {
  const { path } = step.file;
  for (let attempt = 0; attempt < HOT_TRIES; attempt++) {
    const now = textOfNotebook(notebook);
    const remaining = hunksTakingBack(hunks, { before, after, now });
    if (remaining === undefined) return false;
    const wanted = applyHunks(now, remaining);
    const done = watch?.edits({ uri: notebook.uri, path }, { before: now, after: wanted });
    const isTaken = await changeCells(notebook, wanted, path).finally(() => done?.());
    if (isTaken) {
      if (!wasDirty && now === after) await guard.save(document, path);
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

/**
 * False when the notebook was changed at the same moment. `journalled`: cells by id that a window before this one has
 * removed. @throws ApplyRefused
 */
export async function changeCells(
  notebook: vscode.NotebookDocument,
  wanted: string,
  path: string,
  journalled: ReadonlyMap<string, vscode.NotebookCellData> = new Map(),
): Promise<boolean> {
  const edits = cellEdits(cellsOf(notebook), mustHaveCells(wanted, path));
  if (edits.texts.length === 0 && edits.replaced.length === 0) return true;
  const known = new Map(cellsOf(notebook).map(({ id }, index) => [id, dataOf(notebook.cellAt(index))]));
  const earlier = removedFrom(notebook);
  const created = edits.replaced.map(({ cells }) =>
    cells.map((cell) =>
      newCell(
        cell,
        notebook,
        cell.id === null ? undefined : (known.get(cell.id) ?? earlier.get(cell.id) ?? journalled.get(cell.id)),
      ),
    ),
  );
  // No await between reading the cells and this call: VS Code checks the versions as of the call.
  const isTaken = await vscode.workspace.applyEdit(workspaceEdit(notebook, edits, created));
  if (!isTaken) return false;
  for (const [id, data] of known) earlier.set(id, data);
  let shift = 0;
  for (const [at, { start, end }] of edits.replaced.entries()) {
    const cells = created[at] ?? [];
    cells.forEach(({ id }, index) => nameCell(notebook.cellAt(start + shift + index), id));
    shift += cells.length - (end - start);
  }
  return true;
}

function workspaceEdit(
  notebook: vscode.NotebookDocument,
  { texts, replaced }: CellEdits,
  created: readonly (readonly CreatedCell[])[],
): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const { index, text } of texts) {
    const { document } = notebook.cellAt(index);
    edit.set(document.uri, textEdits(hunksFrom(document.getText().replace(/\r\n?/g, '\n'), text)));
  }
  const whole = replaced.map(({ start, end }, at) =>
    vscode.NotebookEdit.replaceCells(
      new vscode.NotebookRange(start, end),
      (created[at] ?? []).map(({ data }) => data),
    ),
  );
  if (whole.length > 0) edit.set(notebook.uri, whole);
  return edit;
}

interface CreatedCell {
  readonly id: string;
  readonly data: vscode.NotebookCellData;
}

/** `known`: the cell that had this id, whose outputs and metadata it gets. */
function newCell(
  { id, language, text }: PatchedCell,
  notebook: vscode.NotebookDocument,
  known: vscode.NotebookCellData | undefined,
): CreatedCell {
  const kind = kindOf(language);
  const data = new vscode.NotebookCellData(kind, text, language);
  const named = id ?? newCellId();
  if (known === undefined) {
    data.metadata = hasIds(notebook) ? { metadata: {}, id: named } : {};
    return { id: named, data };
  }
  data.metadata = known.metadata ?? {};
  data.outputs = kind === vscode.NotebookCellKind.Code ? (known.outputs ?? []) : [];
  if (known.executionSummary !== undefined) data.executionSummary = known.executionSummary;
  return { id: named, data };
}

/** Returns true if its file keeps ids of cells: Jupyter's format does since 4.5. */
function hasIds({ notebookType, metadata }: vscode.NotebookDocument): boolean {
  const { nbformat = 0, nbformat_minor: minor = 0 } = metadata as {
    readonly nbformat?: number;
    readonly nbformat_minor?: number;
  };
  return notebookType === 'jupyter-notebook' && (nbformat > 4 || (nbformat === 4 && minor >= 5));
}

/** The cell as one that can be inserted again. */
export function dataOf(cell: vscode.NotebookCell): vscode.NotebookCellData {
  const data = new vscode.NotebookCellData(cell.kind, cell.document.getText(), cell.document.languageId);
  data.metadata = { ...cell.metadata };
  data.outputs = [...cell.outputs];
  if (cell.executionSummary !== undefined) data.executionSummary = cell.executionSummary;
  return data;
}

/** Cells before each of our edits, by id, so that an undo restores a removed one with its outputs. */
const removed = new WeakMap<vscode.NotebookDocument, Map<string, vscode.NotebookCellData>>();

function removedFrom(notebook: vscode.NotebookDocument): Map<string, vscode.NotebookCellData> {
  const known = removed.get(notebook) ?? new Map<string, vscode.NotebookCellData>();
  removed.set(notebook, known);
  return known;
}

/** Shows a notebook as a document whose text is that of its cells. */
export function asDocument(notebook: vscode.NotebookDocument): EditedDocument {
  return {
    uri: notebook.uri,
    get isDirty() {
      return notebook.isDirty;
    },
    get version() {
      return notebook.version;
    },
    getText: () => textOfNotebook(notebook),
    save: () => notebook.save(),
  };
}

/** Returns the notebook as a document that can be saved; `undefined` where no notebook holds the file. */
export function notebookDocumentAt(uri: vscode.Uri): EditedDocument | undefined {
  const notebook = notebookAt(uri);
  return notebook && asDocument(notebook);
}
