/**
 * The beginnings of a line that names an error, by runtime: `Error: …`, `ModuleNotFoundError: …`, `fatal: …`, `thread
 * 'main' panicked at …`.
 */
const NAMES_ERROR = /^(?:uncaught )?(?:[\w.]*(?:error|exception)|fatal|panic|thread '.*' panicked)\b/i;

/**
 * The line of a program's log that best explains its end: the last one that begins like an error, otherwise the last
 * one that is not empty (Node ends every crash with its version). `''` when there is none.
 */
export function mostTelling(lines: readonly string[]): string {
  const written = lines.map((line) => line.trim()).filter((line) => line !== '');
  return written.findLast((line) => NAMES_ERROR.test(line)) ?? written.at(-1) ?? '';
}
