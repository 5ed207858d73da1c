/** Facts about processes from Linux's /proc (proc(5)). */
import { readFileSync } from 'node:fs';

/** `undefined` for a missing or inaccessible file. */
export function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/**
 * The fields of a process from its state on: the third of proc(5) comes first. `undefined` when it has ended. The name
 * before them is in parentheses and may contain anything, further parentheses included.
 */
export function processFields(pid: number | string): readonly string[] | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * Returns true if the process with these fields is alive; a zombie is not, unless other threads of it are still ending.
 */
export function isLiving(fields: readonly string[]): boolean {
  const [state, threads] = [fields[0], Number(fields[17])];
  return state !== 'X' && (state !== 'Z' || threads > 1);
}
