/** What the operating system says, in sentences a person or a model can act on. */
import { WorkspaceError, type WorkspaceErrorCode } from '../core/ports.ts';

/** `ENOENT` and its kind; `undefined` for anything that is not an error of the system. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Nothing is there: the name is missing, or a folder on the way to it is a file. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** One sentence that names the path. */
export function describeFileError(error: unknown, path: string): string {
  switch (errorCode(error)) {
    case 'ENOENT':
      return `${path} does not exist.`;
    case 'ENOTDIR':
      return `${path} does not exist: a part of its path is a file, not a directory.`;
    case 'EISDIR':
      return `${path} is a directory.`;
    case 'EACCES':
    case 'EPERM':
      return `${path} cannot be accessed: permission denied.`;
    case 'EROFS':
      return `${path} is on a read-only file system.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${path} cannot be written: the disk is full.`;
    case 'ELOOP':
      return `${path} cannot be reached: its symbolic links go round in a circle.`;
    case 'ENAMETOOLONG':
      return `${path} cannot be used: the name is too long.`;
    default:
      return `${path} failed: ${messageOf(error)}`;
  }
}

export function toWorkspaceError(error: unknown, path: string): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  return new WorkspaceError(workspaceErrorCode(error), path, describeFileError(error, path));
}

function workspaceErrorCode(error: unknown): WorkspaceErrorCode {
  if (isMissing(error)) return 'not_found';
  switch (errorCode(error)) {
    case 'EISDIR':
      return 'is_directory';
    case 'EACCES':
    case 'EPERM':
      return 'denied';
    default:
      return 'io';
  }
}
