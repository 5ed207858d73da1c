/** The writable roots of a sandbox: their real paths, and the mounts that keep each at its place. */
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../../core/sandbox/within.ts';
import { isProtectedEntry } from '../../core/sandbox/writableRoots.ts';
import { realOf } from './disk.ts';

export interface Roots {
  /** Real paths, each once. A root inside a protected name of another root is left out: it stays protected. */
  readonly roots: readonly string[];
  /**
   * The roots, and every folder on the way from one to another inside of it. Each is mounted separately, because a
   * mount point cannot be renamed: otherwise a command could rename a root, or a folder around it, and create one
   * without protected names in its place.
   */
  readonly mounted: readonly string[];
}

/** Links on the way to a folder; the kernel has the same limit. */
const MAX_LINKS = 40;

/** @throws Error with a message for the model: then no command may run. */
export function rootsOf(given: readonly string[]): Roots {
  const found = [...new Set(given)].map((folder) => ({ folder, real: realRoot(folder) }));
  const all = [...new Set(found.map(({ real }) => real))];
  for (const { folder } of found) refuseReplaceable(folder, all);
  const roots = all.filter((root) => !all.some((other) => isProtectedIn(root, other)));
  return { roots, mounted: [...new Set(roots.flatMap((root) => [...foldersTo(root, roots), root]))] };
}

/** A missing folder cannot be mounted, and the whole machine cannot be a root. */
function realRoot(folder: string): string {
  const found = realOf(folder);
  if (found === undefined) throw new Error(`The writable folder ${folder} does not exist.`);
  if (found === '/') throw new Error('The whole file system cannot be a writable folder of the sandbox.');
  return found;
}

/** A link that a command can replace would redirect the next command's sandbox to a folder of its choice. */
function refuseReplaceable(folder: string, roots: readonly string[]): void {
  for (const link of linksTo(folder)) {
    const around = roots.find((root) => isWithin(link, root));
    if (around === undefined) continue;
    throw new Error(
      `The writable folder ${folder} is reached by the link ${link}, which commands can replace because ${around} is writable, too. Name the folder that it leads to instead.`,
    );
  }
}

/** Real paths of the links on a path. */
function linksTo(given: string): string[] {
  const links: string[] = [];
  let at = '/';
  const rest = given.split('/');
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = path.join(at, name);
    const target = linkTarget(next);
    if (target === undefined) at = next;
    else if (links.push(next) > MAX_LINKS) break;
    else {
      if (path.isAbsolute(target)) at = '/';
      rest.unshift(...target.split('/'));
    }
  }
  return links;
}

function linkTarget(name: string): string | undefined {
  return lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(name) : undefined;
}

function isProtectedIn(root: string, other: string): boolean {
  return (
    root !== other &&
    isWithin(root, other) &&
    namesBelow(root, other).some((name, at, names) => isProtectedEntry(name, names[at - 1] ?? path.basename(other)))
  );
}

/** The folders between a root and the roots around it, nearest last. */
function foldersTo(root: string, roots: readonly string[]): string[] {
  const outermost = roots.filter((other) => other !== root && isWithin(root, other)).toSorted(byLength)[0];
  if (outermost === undefined) return [];
  const names = namesBelow(root, outermost);
  return names.slice(0, -1).map((_, index) => path.join(outermost, ...names.slice(0, index + 1)));
}

function namesBelow(folder: string, root: string): string[] {
  return path.relative(root, folder).split('/');
}

function byLength(left: string, right: string): number {
  return left.length - right.length;
}
