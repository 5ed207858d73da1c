/**
 * Globs of files with secrets: Tiller's own, then those of the setting `sandbox.unreadable`, which adds to them:
 * `**\/.npmrc`, and with `!` what stays readable (`!**\/.env.test`).
 */
import { SECRET_FILES } from '../../protocol/privatePlaces.ts';
import { globToRegExp } from '../util/glob.ts';
import type { Platform } from './knownSafe.ts';
import { comparableName } from './pathScope.ts';
import { withShortNames } from './shortNames.ts';

/** True for an entry of the setting that is a glob; every other one is a path. */
export function isReadPattern(entry: string): boolean {
  return /^!?\*\*\//.test(entry);
}

/**
 * The pattern that makes a path unreadable. The last one that matches decides. Both separators are accepted.
 * `entries`: of the setting.
 */
export function matchingPattern(entries: readonly string[], platform: Platform): (path: string) => string | undefined {
  const patterns = [...SECRET_FILES, ...entries].filter(isReadPattern).map((entry) => {
    const isNegated = entry.startsWith('!');
    // Many file systems take names in another case for the same file, on Linux only mounted ones (a disk of Windows).
    const flags = isNegated && platform === 'linux' ? '' : 'i';
    const glob = isNegated ? entry.slice(1) : platform === 'win32' ? withShortNames(entry) : entry;
    return { entry, isNegated, expression: globToRegExp(glob, flags) };
  });
  return (path) => {
    const comparable = comparablePath(path, platform).replace(/^\//, '');
    const last = patterns.findLast(({ expression }) => expression.test(comparable));
    return last === undefined || last.isNegated ? undefined : last.entry;
  };
}

/** The name of a file for all that open it: Windows opens `.env` also as `.env::$DATA` (its stream), `.env.` and `.env `. */
function comparablePath(path: string, platform: Platform): string {
  if (platform === 'linux') return path;
  const names = path.split(platform === 'win32' ? /[\\/]/ : '/');
  return names.map((name) => comparableName(name, platform)).join('/');
}
