import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** Returns true if a process runs. A process that has ended, but was not collected by its parent yet, does not run. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resolves with the pid that a command writes into a file, with a line break, when it runs. */
export async function pidIn(path: string): Promise<number> {
  await expect
    .poll(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'), { timeout: 20_000 })
    .toBe(true);
  return Number(readFileSync(path, 'utf8'));
}

/** Returns the command lines of all running processes, as they were started. */
export function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
      } catch {
        return '';
      }
    });
}
