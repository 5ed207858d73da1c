/** Paths as VS Code shows them in this workspace. */
import * as vscode from 'vscode';
import { folderInWorkspace, insideOf } from '../../protocol/text/relativizePaths.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { withoutLinks } from './escapeUiText.ts';

/** A message with its paths as VS Code shows them: relative to their folder, which is named where there are several. */
export function inWorkspace(sentence: string): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const innerFirst = folders.toSorted((one, other) => other.uri.fsPath.length - one.uri.fsPath.length);
  return innerFirst.reduce(
    (text, { uri, name }) => insideOf(uri.fsPath, text, folders.length > 1 ? `${name}/` : ''),
    sentence,
  );
}

/** Returns the files that were left alone, with the reasons, for a notification. */
export function leftAloneInWords(leftAlone: readonly { readonly path: string; readonly reason: string }[]): string {
  return withoutLinks(leftAlone.map(({ path, reason }) => `${visibleName(shownPath(path))}: ${reason}`).join(' '));
}

/** `folderInWorkspace` of this workspace. */
export function shownFolder(path: string): string | null {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folderInWorkspace(
    path,
    folders.map(({ uri, name }) => ({ path: uri.fsPath, name })),
  );
}

/** The file relative to the folder it is in. */
export function shownPath(path: string): string {
  return vscode.workspace.asRelativePath(path);
}
