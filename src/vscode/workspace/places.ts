/** Converts between paths of core and URIs of VS Code. */
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { isBelow } from '../../core/util/pathBelow.ts';

/** Open folders, the first one first. */
export function workspaceRoots(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => pathOf(uri));
}

/**
 * A path is a file of this machine, unless it is in an open folder of another file system and in none of this one.
 * Untitled documents are recognized by their name, `untitled:Untitled-1`, and files of an open folder of another file
 * system by their whole URI, whatever folder the path is resolved against.
 */
export function uriOf(path: string): vscode.Uri {
  const untitled = /(?:^|[\\/])untitled:([^\\/]+)$/.exec(path)?.[1];
  if (untitled !== undefined) return vscode.Uri.from({ scheme: 'untitled', path: untitled });
  const virtual = virtualUri(path);
  if (virtual !== undefined) return virtual;
  const holding = (vscode.workspace.workspaceFolders ?? []).filter((folder) => isBelow(path, pathOf(folder.uri)));
  const isLocal = holding.length === 0 || holding.some((folder) => folder.uri.scheme === 'file');
  return isLocal ? vscode.Uri.file(path) : (holding[0]?.uri.with({ path }) ?? vscode.Uri.file(path));
}

/** `memfs:/folder/a.txt`, if such a folder is open. */
function virtualUri(path: string): vscode.Uri | undefined {
  const [, scheme, rest] = /(?:^|[\\/])([a-z][\w.+-]+):[\\/]+(.+)$/i.exec(path) ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  const folder = (vscode.workspace.workspaceFolders ?? []).find(
    ({ uri }) => uri.scheme === scheme && scheme !== 'file' && isBelow(`/${rest}`, uri.path),
  );
  return folder?.uri.with({ path: posix.normalize(`/${rest}`) });
}

/** Returns the path by which core knows a file. `uriOf` is the reverse. */
export function pathOf(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : uri.path;
}
