/** Folders that are given on the command line. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { rootsOf } from '../node/sandbox/roots.ts';
import { messageOf } from '../node/errors.ts';
import { UsageError } from './usage.ts';

/** Absolute. @throws UsageError */
export function folderGiven(flag: string, given: string, base = '.'): string {
  const resolved = path.resolve(base, given);
  if (statSync(resolved, { throwIfNoEntry: false })?.isDirectory()) return resolved;
  throw new UsageError(`${flag} ${given}: there is no such folder`);
}

/** Only folders that a box can leave writable. @throws UsageError */
export function requireRoots(folders: readonly string[]): void {
  try {
    rootsOf(folders);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
