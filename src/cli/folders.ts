/** Folders named on the command line or in the environment. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { rootsOf } from '../node/sandbox/roots.ts';
import { messageOf } from '../core/util/fileErrors.ts';
import { prepareHome } from '../node/storage/home.ts';
import { Failure, UsageError } from './usage.ts';

/** Absolute. @throws UsageError */
export function folderGiven(flag: string, given: string, base = '.'): string {
  const resolved = path.resolve(base, given);
  if (statSync(resolved, { throwIfNoEntry: false })?.isDirectory()) return resolved;
  throw new UsageError(`${flag} ${given}: there is no such folder`);
}

/** @throws Failure where Tiller cannot store its files. */
export async function requireHome(home: string): Promise<void> {
  const problem = await prepareHome(home);
  if (problem !== undefined) throw new Failure(problem);
}

/** Accepts only folders that a sandbox can leave writable. @throws UsageError */
export function requireRoots(folders: readonly string[]): void {
  try {
    rootsOf(folders);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
