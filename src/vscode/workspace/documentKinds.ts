/** Which files a text edit can be applied to, and the message for each kind where it cannot. */
import * as vscode from 'vscode';
import { documentAt, hasUnsavedText, tabsOf } from './documents.ts';
import { pathOf } from './places.ts';
import { isMarkedReadonly } from './readonlyFiles.ts';

/** Larger files are not treated as text: VS Code opens only half of them (workspace-edits.md §3). */
export const MAX_TEXT_BYTES = 50 * 1024 * 1024;

/** A larger closed file is written whole: an edit would block the window for seconds. */
export const MAX_EDIT_BYTES = 5 * 1000 * 1000;

/**
 * The reason why no text may be written at this URI, whatever the change; `undefined` when it may. For most of these VS
 * Code itself would return `true` and lose the edit (workspace-edits.md §6).
 */
export function obstacleAt(uri: vscode.Uri): string | undefined {
  const path = pathOf(uri);
  if (uri.scheme !== 'untitled' && vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== true) {
    return `${path} is on a read-only file system (${uri.scheme}).`;
  }
  if (isMarkedReadonly(uri)) return `${path} is marked read-only in the settings (files.readonlyInclude).`;
  if (isDirtyElsewhere(uri)) {
    return `${path} has unsaved edits in another kind of editor; it can be changed once the user has saved or closed it.`;
  }
  return undefined;
}

/** A custom editor does not expose its unsaved state; only its tab shows that there is some. */
function isDirtyElsewhere(uri: vscode.Uri): boolean {
  return (
    tabsOf(uri).some((tab) => tab.isDirty && tab.input instanceof vscode.TabInputCustom) &&
    !hasUnsavedText(documentAt(uri))
  );
}
