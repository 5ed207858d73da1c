/** Which files a text edit may land in, and the sentence for each kind where it may not. */
import * as vscode from 'vscode';
import { documentAt, tabsOf } from './documents.ts';
import { pathOf } from './places.ts';
import { isMarkedReadonly } from './readonlyFiles.ts';

/** Above this a file is not text for us: VS Code opens it only half (workspace-edits.md §3). */
export const MAX_TEXT_BYTES = 50 * 1024 * 1024;

/** Above this a closed file is written whole: as an edit it would hold the window for seconds. */
export const MAX_EDIT_BYTES = 5 * 1000 * 1000;

/**
 * Why nothing may be written at this address, whatever the change; `undefined` when it may. VS Code itself would say
 * `true` to most of these and lose the edit (workspace-edits.md §6).
 */
export function obstacleAt(uri: vscode.Uri): string | undefined {
  const path = pathOf(uri);
  if (uri.scheme !== 'untitled' && vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== true) {
    return `${path} is on a read-only file system (${uri.scheme}).`;
  }
  if (isMarkedReadonly(uri)) return `${path} is marked read-only in the settings (files.readonlyInclude).`;
  const notebook = openNotebook(uri);
  if (notebook?.isDirty) {
    return `${path} is a notebook with unsaved edits; it can be changed once the user has saved or closed it.`;
  }
  if (isDirtyElsewhere(uri)) {
    return `${path} has unsaved edits in another kind of editor; it can be changed once the user has saved or closed it.`;
  }
  return undefined;
}

/** The notebook that is open on this file. Text edits do not go into it: it is written, and reloads (§6). */
export function openNotebook(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  const address = uri.toString();
  return vscode.workspace.notebookDocuments.find((notebook) => notebook.uri.toString() === address);
}

/** A custom editor keeps its unsaved state to itself; the tab is all we see of it. */
function isDirtyElsewhere(uri: vscode.Uri): boolean {
  return (
    tabsOf(uri).some((tab) => tab.isDirty && tab.input instanceof vscode.TabInputCustom) && !documentAt(uri)?.isDirty
  );
}
