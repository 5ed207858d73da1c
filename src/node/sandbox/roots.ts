/** The folders that a box leaves writable: where they really are, and what keeps each of them at its place. */
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../../core/sandbox/within.ts';
import { isProtectedEntry } from '../../core/sandbox/writableRoots.ts';
import { realOf } from './disk.ts';

export interface Roots {
  /** Real paths, each once. What lies inside a protected name of another one is none: it stays protected. */
  readonly roots: readonly string[];
  /**
   * The roots, and every folder on the way from one to another inside of it. Each is mounted by itself, because what is a
   * mount cannot be renamed: otherwise the folder around a root, or the root itself, could be put aside from inside, and
   * one without protected names in its place.
   */
  readonly mounted: readonly string[];
}

/** Links on the way to a folder; the kernel gives up after as many. */
const MAX_LINKS = 40;

/** @throws Error with a sentence for the model: then nothing may run. */
export function rootsOf(given: readonly string[]): Roots {
  const found = [...new Set(given)].map((folder) => ({ folder, real: realRoot(folder) }));
  const all = [...new Set(found.map(({ real }) => real))];
  for (const { folder } of found) refuseReplaceable(folder, all);
  const roots = all.filter((root) => !all.some((other) => isProtectedIn(root, other)));
  return { roots, mounted: [...new Set(roots.flatMap((root) => [...foldersTo(root, roots), root]))] };
}

/** A root that is not there cannot be bound, and all of the machine cannot be a root. */
function realRoot(folder: string): string {
  const found = realOf(folder);
  if (found === undefined) throw new Error(`The writable folder ${folder} does not exist.`);
  if (found === '/') throw new Error('The whole file system cannot be a writable folder of the sandbox.');
  return found;
}

/** A link that a command can replace would lead the next command's box wherever that command likes. */
function refuseReplaceable(folder: string, roots: readonly string[]): void {
  for (const link of linksTo(folder)) {
    const around = roots.find((root) => isWithin(link, root));
    if (around === undefined) continue;
    throw new Error(
      `The writable folder ${folder} is reached by the link ${link}, which commands can replace because ${around} is writable, too. Name the folder that it leads to instead.`,
    );
  }
}

/** Real places of the links that are passed on the way to a path. */
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

/** What lies between a root and the roots around it, nearest last. */
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
