/** What Linux tells of processes in files (proc(5)). */
import { readFileSync } from 'node:fs';

/** `undefined` for what is not there, or not any more, or not for us. */
export function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/**
 * The fields of a process from its state on: the third of proc(5) comes first. `undefined` when it is gone. The name before
 * them stands in parentheses and may hold anything, further parentheses included.
 */
export function processFields(pid: number | string): readonly string[] | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Of its fields; one that has ended and waits to be collected is not living, unless other threads of it still end. */
export function isLiving(fields: readonly string[]): boolean {
  const [state, threads] = [fields[0], Number(fields[17])];
  return state !== 'X' && (state !== 'Z' || threads > 1);
}
