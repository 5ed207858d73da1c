/** Which program a command starts. */

/** Folders that only an administrator or a package manager writes. A program elsewhere may be anything. */
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
 * The name of the program whatever its folder and its case, which some file systems do not tell apart; for everything that
 * makes a decision stricter.
 */
export function programName(program: string): string {
  return comparableName(fileName(program));
}

/** The same for a name that has no folder, or whose folder matters. */
export function comparableName(name: string): string {
  return name.toLowerCase().replace(/\.exe$/, '');
}

function fileName(program: string): string {
  return program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1);
}

/**
 * Found on the PATH or named in full in a system folder, and to the letter: the only programs whose name says what they
 * are. `sort.exe` in WSL is the one of Windows, which writes where the one of Linux reads.
 */
export function isSystemProgram(program: string): boolean {
  if (fileName(program) !== programName(program)) return false;
  return !/[\\/]/.test(program) || SYSTEM_FOLDERS.has(program.slice(0, program.lastIndexOf('/')));
}
