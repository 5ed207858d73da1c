/** What a box needs to know of the tree before it is built: real paths, what exists, what must stay as it is. */
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { SandboxLimits } from '../../core/ports.ts';
import type { TreeFacts } from '../../core/sandbox/bubblewrap.ts';
import { isWithin } from '../../core/sandbox/within.ts';
import { rememberDevices } from './devices.ts';
import { exists, realOf } from './disk.ts';
import { hiddenFolders, isRoot, machineSecrets, shownFolders } from './machine.ts';
import { pointedAt, repositoryWarning } from './repositories.ts';
import { rootsOf } from './roots.ts';
import type { TreeScan } from './treeScan.ts';

/** So much does harm by merely coming into being, while a command runs, that it must not even for a moment. */
const HELD_NAMES: ReadonlySet<string> = new Set(['.git', '.vscode']);

/** What of a bare repository says which programs git runs for it. */
const BARE_PARTS = ['config', 'config.worktree', 'commondir', 'hooks', 'info'] as const;

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
  walls: SandboxLimits,
  cwd: string,
  tools: { readonly scan: TreeScan; readonly isMountPoint: (path: string) => boolean },
): Look {
  rememberDevices();
  const { roots, mounted } = rootsOf(walls.writableRoots.map((root) => root.path));
  const trees = roots.map((root) => tools.scan.recent(root, roots));
  const found = trees.flatMap((tree) => tree.protectedPaths).filter((one) => exists(one) && !tools.isMountPoint(one));
  const links = new Map(trees.flatMap((tree) => tree.links).flatMap(linkOf));
  const bare = trees.flatMap((tree) => tree.bareRepositories);
  const named = walls.writableRoots.flatMap((root) => root.protectedPaths.map((one) => inRealFolder(one)));
  const absent = named.filter((one) => !found.includes(one) && !links.has(one) && isAbsent(one, tools.isMountPoint));

  const inside = (one: string) => roots.some((root) => isWithin(one, root));
  const behindLinks = [...links.keys()].map(realOf).filter((target) => target !== undefined);
  const behindPointers = found.filter((one) => path.basename(one) === '.git').flatMap(pointedAt);
  const bareParts = bare.flatMap((one) => BARE_PARTS.map((name) => path.join(one, name))).filter(exists);
  const existing = named.filter((one) => found.includes(one) || (!links.has(one) && !absent.includes(one)));
  const readOnly = [...existing, ...found, ...[...behindLinks, ...behindPointers].filter(inside), ...bareParts];
  return {
    facts: {
      writable: mounted,
      readOnly: [...new Set(readOnly)].filter((one) => !roots.includes(one)),
      visible: [
        ...new Set([...walls.visible, cwd, ...shownFolders(walls.network)].flatMap((one) => realOf(one) ?? [])),
      ],
      masked: [...walls.unreadable, ...machineSecrets()].flatMap(maskOf),
      temporary: realTemporary(walls.temporary),
      hidden: hiddenFolders(),
      isRoot: isRoot(),
    },
    cwd: realOf(cwd) ?? cwd,
    roots,
    heldNames: absent.filter((one) => HELD_NAMES.has(path.basename(one))),
    absentNames: absent.filter((one) => !HELD_NAMES.has(path.basename(one))),
    links,
    identities: new Map([...found, ...bare].map((one) => [one, identityOf(one)])),
    bareWarnings: new Map(bare.map((one) => [one, repositoryWarning(one)])),
  };
}

/** bubblewrap mounts at real paths only. */
function realTemporary({ folder, seenAt }: SandboxLimits['temporary']): TreeFacts['temporary'] {
  const real = realOf(folder) ?? folder;
  return { folder: real, seenAt: seenAt.map((at) => (at === folder ? real : at)) };
}

function linkOf(link: string): [string, string][] {
  try {
    return [[link, readlinkSync(link)]];
  } catch {
    return [];
  }
}

function inRealFolder(name: string): string {
  return path.join(realOf(path.dirname(name)) ?? path.dirname(name), path.basename(name));
}

function isAbsent(name: string, isMountPoint: (path: string) => boolean): boolean {
  return !exists(name) || isMountPoint(name);
}

function maskOf(unreadable: string): { path: string; type: 'file' | 'directory' }[] {
  const found = realOf(unreadable);
  if (found === undefined || found === '/') return [];
  return [{ path: found, type: lstatSync(found).isDirectory() ? 'directory' : 'file' }];
}

/** Another one after something else was put in its place. */
export function identityOf(name: string): string {
  const stat = lstatSync(name, { throwIfNoEntry: false });
  return stat === undefined ? 'absent' : `${stat.dev}:${stat.ino}`;
}
