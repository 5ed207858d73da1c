/** Paths of files as the host writes them: of POSIX or of Windows. The panel does not ask which one the host runs on. */

const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;

/** Returns an absolute path as it is, and any other one below the folder. */
export function absolutePath(path: string, folder: string): string {
  if (path.startsWith('/') || WINDOWS.test(path)) return path;
  const separator = WINDOWS.test(folder) ? '\\' : '/';
  return folder.endsWith(separator) ? `${folder}${path}` : `${folder}${separator}${path}`;
}

/** Returns the same text for all spellings of an absolute path. Windows ignores case, and the kind of separator. */
export function pathKey(path: string): string {
  return WINDOWS.test(path) ? path.replaceAll('/', '\\').toLowerCase() : path;
}

/** Returns the path relative to the folder if it is inside, otherwise as it is. Both are absolute. */
export function pathFrom(folder: string, path: string): string {
  if (folder === '') return path;
  const separator = WINDOWS.test(folder) ? '\\' : '/';
  const start = folder.endsWith(separator) ? folder : `${folder}${separator}`;
  return pathKey(path).startsWith(pathKey(start)) ? path.slice(start.length) : path;
}
