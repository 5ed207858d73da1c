/** Steps that write, move and delete whole files: one call each, with an inverse (workspace-edits.md §6). */
import * as vscode from 'vscode';
import { ApplyRefused } from '../../core/patch/placedChange.ts';
import { decodeText } from '../../core/util/textBytes.ts';
import { hasUnsavedText, openDocument, tabsOf } from '../workspace/documents.ts';
import { textOfNotebook } from '../workspace/notebooks.ts';
import { sameBytes, sameButEndings } from '../workspace/textContent.ts';
import { isUntouched } from './findFile.ts';
import type { ApplyContext } from './applyContext.ts';
import { StaleFiles, type FoundFile, type ApplyStep } from './model.ts';
import type { PlaceFiles } from './placeFiles.ts';

type StepOf<Type extends ApplyStep['type']> = Extract<ApplyStep, { type: Type }>;

/**
 * Uses the file system, not an edit: Ctrl+Z in a file that an edit created deletes the file (§2).
 * @throws the error of the file system, or StaleFiles
 */
export async function writeFile(step: StepOf<'write'>, { files, compensation, watch }: ApplyContext): Promise<void> {
  const { file, bytes, mode, linkTarget, comesFrom } = step;
  const { path } = file;
  if (comesFrom === undefined && !(await isUntouched(file, files))) throw new StaleFiles([path]);
  const before = comesFrom?.disk?.bytes ?? file.disk?.bytes;
  const folders = file.disk === undefined ? await files.missingFolders(path) : [];
  compensation.add(path, () => unwrite(file, { before, written: bytes, linkTarget, folders }, files));
  await files.makeFolders(folders);
  if (linkTarget !== undefined) {
    if (file.disk !== undefined) await files.remove(path);
    return files.makeLink(path, linkTarget);
  }
  const after = await textOf(file, bytes);
  const text = openDocument(file.uri)?.getText();
  const done = text === undefined || after === undefined ? undefined : watch?.edits(file, { before: text, after });
  const cells = file.notebook && textOfNotebook(file.notebook);
  await files.write(path, bytes, mode);
  if (file.notebook === undefined) await bufferReloads(file.uri, after);
  else await notebookReloads(file.notebook, cells);
  done?.();
}

/** The text that a document with these bytes shows; `undefined` for bytes that are not text. */
async function textOf({ content }: FoundFile, bytes: Uint8Array): Promise<string | undefined> {
  const decoded = decodeText(bytes)?.text;
  if (decoded !== undefined || content === undefined || content.encoding === 'utf8') return decoded;
  // VS Code rejects bytes that are no text in the encoding.
  return vscode.workspace.decode(bytes, { encoding: content.encoding }).then(undefined, () => undefined);
}

/**
 * Renames a file with a tab by an edit, so that the tab follows; one without a tab by the file system, which shows no
 * dialog (§6).
 */
export async function renameFile({ from, to }: StepOf<'rename'>, context: ApplyContext): Promise<void> {
  const { files, compensation, watch } = context;
  const untouched = await Promise.all([isUntouched(from, files), isUntouched(to, files)]);
  if (untouched.includes(false)) throw new StaleFiles([from.path]);
  const folders = to.disk === undefined ? await files.missingFolders(to.path) : [];
  // The inverses run in reverse order.
  compensation.add(to.path, async () => {
    await files.removeFolders(folders);
    return true;
  });
  await files.makeFolders(folders);
  await moveFile(from, to, { withTab: from.hadTab || from.isDirty, overwrite: to.exists }, context);
  watch?.moves(from, to);
  compensation.add(from.path, async () => {
    await moveFile(to, from, { withTab: tabsOf(to.uri).length > 0, overwrite: false }, context);
    watch?.moves(to, from);
    if (to.disk !== undefined) await files.write(to.path, to.disk.bytes);
    return true;
  });
}

/** Runs after all other steps, as it loses most. The edit, in a call of its own, closes the tab. */
export async function deleteFile({ file }: StepOf<'delete'>, context: ApplyContext): Promise<void> {
  const { files, compensation, guard, watch } = context;
  if (!(await isUntouched(file, files))) throw new StaleFiles([file.path]);
  let isThere: (() => void) | undefined;
  if (isDeletedByPath(file)) {
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(file.uri);
    guard.mustAllow([file]);
    isThere = watch?.deletes(file);
    if (!(await vscode.workspace.applyEdit(edit))) {
      isThere?.();
      throw new ApplyRefused(`${file.path} could not be deleted.`);
    }
  } else {
    await files.remove(file.path);
  }
  compensation.add(file.path, async () => {
    const isBack = await undelete(file, files);
    if (isBack) isThere?.();
    return isBack;
  });
}

/** Returns true if the file is deleted by an edit of VS Code, which also closes the tab. */
export function isDeletedByPath({ uri, hadTab }: FoundFile): boolean {
  return hadTab || openDocument(uri) !== undefined;
}

async function undelete({ path, disk }: FoundFile, files: PlaceFiles): Promise<boolean> {
  if (disk === undefined || (await files.details(path)) !== undefined) return false;
  if (disk.linkTarget === undefined) await files.write(path, disk.bytes, disk.mode);
  else files.makeLink(path, disk.linkTarget);
  return true;
}

async function moveFile(
  from: FoundFile,
  to: FoundFile,
  { withTab, overwrite }: { withTab: boolean; overwrite: boolean },
  { files, guard }: ApplyContext,
): Promise<void> {
  if (!withTab) return files.rename(from.path, to.path, { overwrite });
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from.uri, to.uri, { overwrite });
  guard.mustAllow([from, to]);
  if (!(await vscode.workspace.applyEdit(edit))) throw new ApplyRefused(`${from.path} could not be moved.`);
}

interface Writing {
  readonly before: Uint8Array | undefined;
  readonly written: Uint8Array;
  readonly linkTarget: string | undefined;
  /** Folders created for this file. */
  readonly folders: readonly string[];
}

async function unwrite(
  { path, uri }: FoundFile,
  { before, written, linkTarget, folders }: Writing,
  files: PlaceFiles,
): Promise<boolean> {
  const isOurLink = linkTarget !== undefined && (await files.details(path))?.linkTarget === linkTarget;
  if (isOurLink) await files.remove(path);
  const now = await files.readIfThere(path);
  const isAsBefore = before === undefined ? now === undefined : now !== undefined && sameBytes(now, before);
  if (!isAsBefore) {
    // Anything but our own bytes, whole or in part, is later work of another writer.
    const isOurs = isOurLink || (now !== undefined && sameBytes(now, written.subarray(0, now.length)));
    if (!isOurs || hasUnsavedText(openDocument(uri))) return false;
    if (before === undefined) await files.remove(path);
    else await files.write(path, before);
  }
  await files.removeFolders(folders);
  return true;
}

/** The same for a notebook, whose file has no information about its cells. */
async function notebookReloads(notebook: vscode.NotebookDocument, before: string | undefined): Promise<void> {
  for (let waited = 0; waited < 2000 && !notebook.isDirty && textOfNotebook(notebook) === before; waited += 25) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** An open buffer reloads the file by itself; this waits for it, so that the next reader does not get the old text. */
async function bufferReloads(uri: vscode.Uri, text: string | undefined): Promise<void> {
  if (text === undefined) return;
  for (let waited = 0; waited < 2000; waited += 25) {
    const document = openDocument(uri);
    if (document === undefined || hasUnsavedText(document) || sameButEndings(document.getText(), text)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
