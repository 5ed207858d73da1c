/**
 * What a command that was let through by its name may find: the program of that name that a person installed, and not one
 * that the workspace put on the PATH.
 */
import path from 'node:path';
import { GIT_HARDENING_ENVIRONMENT } from './gitHardening.ts';
import type { Platform } from './knownSafe.ts';

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/** `folders`: where somebody else than the person may have written. */
export function harmlessEnvironment(
  environment: Readonly<Record<string, string>>,
  folders: readonly string[],
  platform: Platform,
): Record<string, string> {
  // With CDPATH a `cd` leads elsewhere than it says (core/tools/gitTrust.ts).
  const { CDPATH: _, ...plain } = environment;
  const hardened = { ...plain, ...GIT_HARDENING_ENVIRONMENT };
  // On Windows nothing is let through by its name (knownSafe.ts).
  return platform === 'win32' ? hardened : { ...hardened, PATH: pathOutside(environment['PATH'] ?? '', folders) };
}

function pathOutside(value: string, folders: readonly string[]): string {
  const kept = value
    .split(':')
    .filter((entry) => path.posix.isAbsolute(entry) && !folders.some((one) => isIn(entry, one)));
  return kept.length > 0 ? kept.join(':') : SYSTEM_PATH;
}

function isIn(entry: string, folder: string): boolean {
  const relative = path.posix.relative(folder, entry);
  return relative !== '..' && !relative.startsWith('../');
}
