/** Classifies a path by its text alone: follows no links and reads no disk (codex-behaviour.md §6.5). */
import path from 'node:path';
import { globToRegExp } from '../util/glob.ts';
import type { Platform } from './knownSafe.ts';
import { shortNameGlob } from './shortNames.ts';

/** Writable folders, and what is protected inside them. All paths are absolute. */
export interface WritableScope {
  readonly roots: readonly string[];
  /** Names that protect all files at or below them, at any depth under a root: `name`, `folder/name`, or `*ending`. */
  readonly protectedNames: readonly string[];
  /** Further protected places, such as the target of a `.git` file. */
  readonly protectedPaths?: readonly string[];
}

export type PathPlace = 'inside' | 'protected' | 'outside';

/** `target`: absolute. */
export function placeOf(target: string, scope: WritableScope, platform: Platform): PathPlace {
  return placesIn(scope, platform)(target);
}

/** Like `placeOf`, for many paths: prepares the scope once. */
export function placesIn(scope: WritableScope, platform: Platform): (target: string) => PathPlace {
  const split = (folders: readonly string[]) => folders.map((folder) => comparableSegments(folder, platform));
  const roots = split(scope.roots);
  const protectedPaths = split(scope.protectedPaths ?? []);
  const patterns = scope.protectedNames.map((pattern) => pattern.split('/').map((name) => nameMatcher(name, platform)));
  return (target) => {
    const segments = comparableSegments(target, platform);
    const isBelow = (folder: readonly string[]): boolean => startsWith(segments, folder);
    const around = roots.filter(isBelow);
    if (around.length === 0) return 'outside';
    if (protectedPaths.some(isBelow)) return 'protected';
    const innermost = Math.max(...around.map(({ length }) => length));
    return patterns.some((pattern) => endsBehind(innermost, pattern, segments)) ? 'protected' : 'inside';
  };
}

/** True when the pattern occurs in the path with its last name below the root. */
function endsBehind(root: number, pattern: readonly NameMatcher[], segments: readonly string[]): boolean {
  return segments.some(
    (_, end) =>
      end >= root &&
      end >= pattern.length - 1 &&
      pattern.every((isNamed, index) => isNamed(segments[end - pattern.length + 1 + index] ?? '')),
  );
}

type NameMatcher = (segment: string) => boolean;

/** `pattern`: a name, or `*` with its ending. The segments are comparable names. */
function nameMatcher(pattern: string, platform: Platform): NameMatcher {
  const name = comparableName(pattern, platform);
  const isNamed: NameMatcher = name.startsWith('*')
    ? (segment) => segment.endsWith(name.slice(1))
    : (segment) => segment === name;
  const short = platform === 'win32' ? shortNameGlob(name) : undefined;
  if (short === undefined) return isNamed;
  const isShort = globToRegExp(short);
  return (segment) => isNamed(segment) || (segment.includes('~') && isShort.test(segment));
}

/** True when the file systems of this platform take both absolute paths for the same file. */
export function isSamePath(one: string, other: string, platform: Platform): boolean {
  const [left, right] = [comparableSegments(one, platform), comparableSegments(other, platform)];
  return left.length === right.length && startsWith(left, right);
}

/**
 * Returns a function that gives the depth of the deepest of these folders that contains a path or equals it; 0 for
 * none.
 */
export function depthIn(folders: readonly string[], platform: Platform): (target: string) => number {
  const around = folders.map((folder) => comparableSegments(folder, platform));
  return (target) => {
    const segments = comparableSegments(target, platform);
    return Math.max(0, ...around.filter((folder) => startsWith(segments, folder)).map(({ length }) => length));
  };
}

function comparableSegments(target: string, platform: Platform): string[] {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const names = paths.normalize(target).split(paths.sep);
  return names.filter((name) => name !== '').map((name) => comparableName(name, platform));
}

/**
 * Maps names that the file systems of a platform take for the same file to one name: case, ignorable characters,
 * streams, dots. Short names stay: one may be that of several names.
 */
export function comparableName(name: string, platform: Platform): string {
  switch (platform) {
    case 'linux':
      return name;
    case 'darwin':
      return (
        name
          .normalize('NFD')
          .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
          // Some characters fold only by way of the upper case: `ſ` is `s`.
          .toUpperCase()
          .toLowerCase()
      );
    case 'win32':
      return /^[a-z]:$/i.test(name) ? name.toLowerCase() : windowsName(name.toLowerCase());
  }
}

function windowsName(name: string): string {
  const [file = ''] = name.split(':', 1);
  return file.replace(/[. ]+$/, '');
}

function startsWith(segments: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => segments[index] === name);
}
