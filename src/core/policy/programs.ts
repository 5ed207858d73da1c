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

/** The name of the program whatever its folder, for everything that makes a decision stricter. */
export function programName(program: string): string {
  const name = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1);
  return name.replace(/\.exe$/i, '');
}

/** Found on the PATH or named in full in a system folder: the only programs whose name says what they are. */
export function isSystemProgram(program: string): boolean {
  return !/[\\/]/.test(program) || SYSTEM_FOLDERS.has(program.slice(0, program.lastIndexOf('/')));
}
