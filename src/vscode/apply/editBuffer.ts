/** Changes one file's text in its buffer: minimal hunks, one call, one Ctrl+Z step (workspace-edits.md §2, §7). */
import * as vscode from 'vscode';
import { applyHunks, rebaseHunks } from '../../core/patch/hunkAlgebra.ts';
import { ApplyRefused } from '../../core/patch/placedChange.ts';
import { documentAt, hasUnsavedText } from '../workspace/documents.ts';
import { sameButEndings } from '../workspace/textContent.ts';
import { editCells } from './editCells.ts';
import { isUntouched } from './findFile.ts';
import type { ApplyContext } from './applyContext.ts';
import { type BufferEdit, type EditStep, StaleFiles } from './model.ts';
import { HOT_TRIES, replaceHunks } from './replaceHunks.ts';
import { rollbackEdit } from './rollbackEdit.ts';

/** The user may be typing in this file: it is edited first, and retried. */
export function isHot({ file }: EditStep): boolean {
  return file.hadTab || file.isDirty;
}

/** @throws StaleFiles when the user changed the same lines, ApplyRefused when VS Code drops the edit. */
export async function editBuffer(step: EditStep, context: ApplyContext): Promise<BufferEdit> {
  const { uri, path, notebook } = step.file;
  if (notebook !== undefined) return editCells(step, notebook, context);
  const tries = isHot(step) ? HOT_TRIES : 2;
  for (let attempt = 1; ; attempt++) {
    // VS Code opens the document by its path.
    if (documentAt(uri) === undefined && !(await isAsFound(step, context))) throw new StaleFiles([path]);
    const document = documentAt(uri);
    const before = document?.getText() ?? step.before;
    const hunks = rebaseHunks(step.hunks, step.before, before);
    if (hunks === undefined) throw new StaleFiles([path]);
    // The event of a keystroke comes before the event that the buffer is dirty.
    const wasDirty = hasUnsavedText(document) || !sameButEndings(before, step.before);
    const done = context.watch?.edits(
      { uri: document?.uri ?? uri, path },
      { before, after: applyHunks(before, hunks) },
    );
    // No await between reading the text and this call: VS Code checks the version as of the call.
    const isTaken = await replaceHunks(uri, hunks);
    done?.();
    if (isTaken) return applied(step, { before, hunks, wasDirty }, context);
    if (attempt === tries) throw new StaleFiles([path]);
    await new Promise((resolve) => setTimeout(resolve, 25 + 10 * (attempt % 5)));
  }
}

async function isAsFound({ file }: EditStep, { files, guard }: ApplyContext): Promise<boolean> {
  return (await isUntouched(file, files)) && guard.allows(file);
}

async function applied(
  step: EditStep,
  { before, hunks, wasDirty }: Pick<BufferEdit, 'before' | 'hunks' | 'wasDirty'>,
  context: ApplyContext,
): Promise<BufferEdit> {
  const { uri, path } = step.file;
  const document = documentAt(uri);
  if (document === undefined) throw new ApplyRefused(`${path} cannot be edited: VS Code did not take the edit.`);
  const after = applyHunks(before, hunks);
  const edit = { step, document, before, after, hunks, wasDirty, version: document.version };
  context.compensation.add(path, () => rollbackEdit(edit, context));
  // Another process may have written the file between the check and the edit, for which VS Code opened the file.
  if (!isHot(step) && document.getText() !== after) throw new StaleFiles([path]);
  // VS Code shows an edit of a file that the settings make read-only, then drops it (§6).
  if (!(await isKept(document, path, context))) {
    throw new ApplyRefused(`${path} cannot be edited: VS Code treats it as read-only.`);
  }
  return edit;
}

/** Dirty, or saved already: auto-save with a short delay may run before this check. */
async function isKept(document: vscode.TextDocument, path: string, { files }: ApplyContext): Promise<boolean> {
  for (let attempt = 0; attempt < 10; attempt++) {
    if (document.isDirty) return true;
    const { encoding } = document;
    const saved = await files.read(path).then(
      (bytes) => vscode.workspace.decode(bytes, { encoding }),
      () => undefined,
    );
    if (document.isDirty || saved === document.getText()) return true;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return false;
}
