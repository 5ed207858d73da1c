/** Checks folders that the command line or the environment names. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { rootsOf } from '../node/sandbox/roots.ts';
import { messageOf } from '../core/util/fileErrors.ts';
import { prepareHome } from '../node/storage/home.ts';
import { Failure, UsageError } from './usage.ts';

/**
 * Returns the absolute path of a folder.
 * @throws UsageError if it is not an existing folder
 */
export function folderGiven(flag: string, given: string, base = '.'): string {
  const resolved = path.resolve(base, given);
  if (statSync(resolved, { throwIfNoEntry: false })?.isDirectory()) return resolved;
  throw new UsageError(`${flag} ${given}: there is no such folder`);
}

/**
 * Prepares TILLER_HOME.
 * @throws Failure if Tiller cannot store its files there
 */
export async function requireHome(home: string): Promise<void> {
  const problem = await prepareHome(home);
  if (problem !== undefined) throw new Failure(problem);
}

/**
 * Checks that a sandbox can make these folders writable.
 * @throws UsageError
 */
export function requireRoots(folders: readonly string[]): void {
  try {
    rootsOf(folders);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
