/** Identifies the program that a command starts. */

/** Folders that only an administrator or a package manager writes to. A program elsewhere may be anything. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/run/current-system/sw/bin',
]);

/**
 * The name of the program without its folder and in lower case, because some file systems ignore case. Use it only to
 * make a decision stricter.
 */
export function programName(program: string): string {
  return comparableName(fileName(program));
}

/** Like `programName`, for a name that has no folder, or whose folder matters. */
export function comparableName(name: string): string {
  return name.toLowerCase().replace(/\.exe$/, '');
}

function fileName(program: string): string {
  return program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1);
}

/**
 * True for a literal name without a folder or in a system folder: the only programs that their name identifies.
 * `sort.exe` in WSL is the program of Windows, which writes where the Linux one reads.
 */
export function isSystemProgram(program: string): boolean {
  if (fileName(program) !== programName(program)) return false;
  return !/[\\/]/.test(program) || SYSTEM_FOLDERS.has(program.slice(0, program.lastIndexOf('/')));
}
