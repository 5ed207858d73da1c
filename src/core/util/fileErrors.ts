/** Describes errors of the file system, VS Code's or the machine's, in sentences that a user or a model can act on. */

/**
 * The code of the operating system (`ENOENT`) or of VS Code (`FileNotFound`); `undefined` for anything that is not a
 * file system error.
 */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** True for a missing file: the name does not exist, or a folder of its path is a file. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'FileNotFound' || code === 'FileNotADirectory';
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns one sentence that names the path. */
export function describeFileError(error: unknown, path: string): string {
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'FileNotFound':
      return `${path} does not exist.`;
    case 'ENOTDIR':
    case 'FileNotADirectory':
      return `${path} does not exist: a part of its path is a file, not a directory.`;
    case 'EISDIR':
    case 'FileIsADirectory':
      return `${path} is a directory.`;
    case 'EACCES':
    case 'EPERM':
    case 'NoPermissions':
      return `${path} cannot be accessed: permission denied.`;
    case 'EROFS':
      return `${path} is on a read-only file system.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${path} cannot be written: the disk is full.`;
    case 'ELOOP':
      return `${path} cannot be reached: its symbolic links form a loop.`;
    case 'ENAMETOOLONG':
      return `${path} cannot be used: the name is too long.`;
    default:
      return `${path} failed: ${withoutHeldFolders(messageOf(error))}`;
  }
}

/** Removes prefixes of folders that this process holds open, which are meaningless elsewhere. */
function withoutHeldFolders(message: string): string {
  return message.replaceAll(/\/proc\/self\/fd\/\d+\//g, '');
}

/** The kind of failure, for callers that handle each differently. */
export function fileErrorKind(error: unknown): 'not_found' | 'is_directory' | 'denied' | 'io' {
  if (isMissing(error)) return 'not_found';
  switch (errorCode(error)) {
    case 'EISDIR':
    case 'FileIsADirectory':
      return 'is_directory';
    case 'EACCES':
    case 'EPERM':
    case 'NoPermissions':
      return 'denied';
    default:
      return 'io';
  }
}
