/** What a box needs to know of the tree before it is built: real paths, what exists, what must stay as it is. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { BoxWalls } from '../../core/ports.ts';
import type { TreeFacts } from '../../core/sandbox/bubblewrap.ts';
import { isWithin } from '../../core/sandbox/within.ts';
import { hiddenFolders, kernelFiles, machineSecrets, shownFolders } from './machine.ts';
import { pointedAt, repositoryWarning } from './repositories.ts';
import type { TreeScan } from './treeScan.ts';

/** So much does harm by merely coming into being, while a command runs, that it must not even for a moment. */
const HELD_NAMES: ReadonlySet<string> = new Set(['.git', '.vscode']);

export interface Look {
  readonly facts: TreeFacts;
  /** Real, so that it is there also where a link on the way to it is hidden. */
  readonly cwd: string;
  /** Real paths of the folders that may be written. */
  readonly roots: readonly string[];
  /** Absent names that need a mount point. */
  readonly heldNames: readonly string[];
  /** Absent names that are looked for afterwards. */
  readonly absentNames: readonly string[];
  /** Protected names that are links, and where they lead. */
  readonly links: ReadonlyMap<string, string>;
  /**
   * Protected names and bare repositories that were there before, and which file each was. They cannot be changed from
   * inside, but the folder around one can be renamed and another put in its place.
   */
  readonly identities: ReadonlyMap<string, string>;
  /** What was to be said of bare repositories before: in one, what is not there yet can be made. */
  readonly bareWarnings: ReadonlyMap<string, string | undefined>;
}

export function look(
  walls: BoxWalls,
  cwd: string,
  tools: { readonly scan: TreeScan; readonly isMountPoint: (path: string) => boolean },
): Look {
  const roots = outermost(walls.writableRoots.map((root) => realRoot(root.path)));
  const trees = roots.map((root) => tools.scan.recent(root));
  const found = trees.flatMap((tree) => tree.protectedPaths).filter((one) => exists(one) && !tools.isMountPoint(one));
  const links = new Map(trees.flatMap((tree) => tree.links).flatMap(linkOf));
  const bare = trees.flatMap((tree) => tree.bareRepositories);
  const named = walls.writableRoots.flatMap((root) => root.protectedPaths.map((one) => inRealFolder(one)));
  const absent = named.filter((one) => !found.includes(one) && !links.has(one) && isAbsent(one, tools.isMountPoint));

  const inside = (one: string) => roots.some((root) => isWithin(one, root));
  const behindLinks = [...links.keys()].map(real).filter((target) => target !== undefined);
  const behindPointers = found.filter((one) => path.basename(one) === '.git').flatMap(pointedAt);
  const bareParts = bare
    .flatMap((one) => ['config', 'hooks', 'info'].map((name) => path.join(one, name)))
    .filter(exists);
  const existing = named.filter((one) => found.includes(one) || (!links.has(one) && !absent.includes(one)));
  const readOnly = [...existing, ...found, ...[...behindLinks, ...behindPointers].filter(inside), ...bareParts];
  return {
    facts: {
      writable: roots,
      readOnly: [...new Set(readOnly)].filter((one) => !roots.includes(one)),
      visible: [...walls.visible, cwd, ...shownFolders(walls.network)].flatMap((one) => real(one) ?? []),
      masked: [...walls.unreadable, ...machineSecrets()].flatMap(maskOf),
      temporary: walls.temporary,
      hidden: hiddenFolders(),
      kernelFiles: kernelFiles(),
    },
    cwd: real(cwd) ?? cwd,
    roots,
    heldNames: absent.filter((one) => HELD_NAMES.has(path.basename(one))),
    absentNames: absent.filter((one) => !HELD_NAMES.has(path.basename(one))),
    links,
    identities: new Map([...found, ...bare].map((one) => [one, identityOf(one)])),
    bareWarnings: new Map(bare.map((one) => [one, repositoryWarning(one)])),
  };
}

/** @throws Error: a root that is not there cannot be bound, and all of the machine cannot be a root. */
function realRoot(folder: string): string {
  const found = real(folder);
  if (found === undefined) throw new Error(`The writable folder ${folder} does not exist.`);
  if (found === '/') throw new Error('The whole file system cannot be a writable folder of the sandbox.');
  return found;
}

/** What lies inside another root is writable with it; bound by itself it could be led astray by a link on the way to it. */
function outermost(folders: readonly string[]): string[] {
  const unique = [...new Set(folders)];
  return unique.filter((one) => !unique.some((other) => other !== one && isWithin(one, other)));
}

function linkOf(link: string): [string, string][] {
  try {
    return [[link, readlinkSync(link)]];
  } catch {
    return [];
  }
}

function inRealFolder(name: string): string {
  return path.join(real(path.dirname(name)) ?? path.dirname(name), path.basename(name));
}

function isAbsent(name: string, isMountPoint: (path: string) => boolean): boolean {
  return !exists(name) || isMountPoint(name);
}

function maskOf(unreadable: string): { path: string; type: 'file' | 'directory' }[] {
  const found = real(unreadable);
  if (found === undefined || found === '/') return [];
  return [{ path: found, type: lstatSync(found).isDirectory() ? 'directory' : 'file' }];
}

/** Another one after something else was put in its place. */
export function identityOf(name: string): string {
  const stat = lstatSync(name, { throwIfNoEntry: false });
  return stat === undefined ? 'absent' : `${stat.dev}:${stat.ino}`;
}

function exists(name: string): boolean {
  return lstatSync(name, { throwIfNoEntry: false }) !== undefined;
}

function real(name: string): string | undefined {
  try {
    return realpathSync(name);
  } catch {
    return undefined;
  }
}
