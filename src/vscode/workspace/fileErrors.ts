/** What VS Code's file systems say, in sentences a model can act on. */
import * as vscode from 'vscode';
import { WorkspaceError, type WorkspaceErrorCode } from '../../core/ports.ts';

/** Nothing is there: the name is missing, or a folder on the way to it is a file. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'FileNotFound' || code === 'ENOENT' || code === 'ENOTDIR' || code === 'FileNotADirectory';
}

export function toWorkspaceError(error: unknown, path: string): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  return new WorkspaceError(workspaceErrorCode(error), path, describeFileError(error, path));
}

/** One sentence that names the path. */
export function describeFileError(error: unknown, path: string): string {
  if (isMissing(error)) return `${path} does not exist.`;
  switch (codeOf(error)) {
    case 'FileIsADirectory':
    case 'EISDIR':
      return `${path} is a directory.`;
    case 'NoPermissions':
    case 'EACCES':
    case 'EPERM':
      return `${path} cannot be accessed: permission denied.`;
    case 'EROFS':
      return `${path} is on a read-only file system.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${path} cannot be written: the disk is full.`;
    default:
      return `${path} failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function workspaceErrorCode(error: unknown): WorkspaceErrorCode {
  if (isMissing(error)) return 'not_found';
  switch (codeOf(error)) {
    case 'FileIsADirectory':
    case 'EISDIR':
      return 'is_directory';
    case 'NoPermissions':
    case 'EACCES':
    case 'EPERM':
      return 'denied';
    default:
      return 'io';
  }
}

/** Of a `FileSystemError` (`FileNotFound`) or of the operating system (`ENOENT`). */
function codeOf(error: unknown): string | undefined {
  if (error instanceof vscode.FileSystemError) return error.code;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
