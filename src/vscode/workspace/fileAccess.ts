/**
 * Files through VS Code's `workspace.fs`. It asks the window before each access, also to a file of this machine: a
 * round trip of 1 to 20 ms, and each turn reads some ten files before its first request. So it is used for virtual
 * files only.
 */
import { lstat, readFile, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import * as vscode from 'vscode';
import { isMissing } from '../../core/util/fileErrors.ts';

export type FileDetails = Pick<vscode.FileStat, 'type' | 'size' | 'mtime'>;

/** Follows links and reports them; one without a target is only a link. Rejects with the error of the file system. */
export async function fileDetails(uri: vscode.Uri): Promise<FileDetails> {
  if (uri.scheme !== 'file') return vscode.workspace.fs.stat(uri);
  const found = await lstat(uri.fsPath);
  if (!found.isSymbolicLink()) return detailsOf(found, typeOf(found));
  const target = await stat(uri.fsPath).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return detailsOf(target ?? found, vscode.FileType.SymbolicLink | (target ? typeOf(target) : vscode.FileType.Unknown));
}

/** Rejects with the error of the file system. */
export async function fileBytes(uri: vscode.Uri): Promise<Uint8Array> {
  return uri.scheme === 'file' ? readFile(uri.fsPath) : vscode.workspace.fs.readFile(uri);
}

function detailsOf({ size, mtime }: Stats, type: vscode.FileType): FileDetails {
  return { type, size, mtime: mtime.getTime() };
}

function typeOf(stats: Stats): vscode.FileType {
  if (stats.isFile()) return vscode.FileType.File;
  return stats.isDirectory() ? vscode.FileType.Directory : vscode.FileType.Unknown;
}
