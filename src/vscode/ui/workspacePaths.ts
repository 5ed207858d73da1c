/** Paths as a person knows them in this workspace. */
import * as vscode from 'vscode';
import { insideOf } from '../../protocol/text/relativizePaths.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { withoutLinks } from './escapeUiText.ts';

/** A sentence of ours with its paths as VS Code shows them: from the folder they are in, named where there are several. */
export function inWorkspace(sentence: string): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const innerFirst = folders.toSorted((one, other) => other.uri.fsPath.length - one.uri.fsPath.length);
  return innerFirst.reduce(
    (said, { uri, name }) => insideOf(uri.fsPath, said, folders.length > 1 ? `${name}/` : ''),
    sentence,
  );
}

/** For a notification: which files were left alone, and why. */
export function leftAloneInWords(leftAlone: readonly { readonly path: string; readonly reason: string }[]): string {
  return withoutLinks(leftAlone.map(({ path, reason }) => `${visibleName(shownPath(path))}: ${reason}`).join(' '));
}

/** The file relative to the folder it is in. */
export function shownPath(path: string): string {
  return vscode.workspace.asRelativePath(path);
}
