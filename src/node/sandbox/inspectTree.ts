/**
 * The facts about the tree that a sandbox needs before it is built: real paths, existing names, names that must not
 * change.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { SandboxLimits } from '../../core/ports.ts';
import type { TreeFacts } from '../../core/sandbox/bubblewrap.ts';
import { isWithin } from '../../core/sandbox/within.ts';
import { EXPLORER_MARK } from '../../core/sandbox/writableRoots.ts';
import { fileIdentity, identityAt } from '../host/hardLinks.ts';
import { rememberDevices } from './devices.ts';
import { exists, realOf } from './disk.ts';
import { hiddenFolders, isRoot, machineSecrets, shownFolders } from './machine.ts';
import { pointedAt, repositoryWarning } from './repositories.ts';
import { rootsOf } from './roots.ts';
import type { SecretLinks } from './secretLinks.ts';
import type { ScannedTree, TreeScan } from './treeScan.ts';

/** Names that do harm by merely existing while a command runs, so that they must not be created even for a moment. */
const HELD_NAMES: ReadonlySet<string> = new Set(['.git', '.vscode']);
/** The held name that VS Code's Explorer shows; `files.exclude` hides the other one by default. */
const SHOWN_NAME = '.vscode';

/** Each is a mount, and the time for them grows with their square: 16 take 4 ms, 64 take 70 ms, 256 two thirds of a second. */
const MAX_SECRETS = 64;

/** The parts of a bare repository that decide which programs git runs for it. */
const BARE_PARTS = ['config', 'config.worktree', 'commondir', 'hooks', 'info'] as const;

/** The caches of `Sandboxes` that an inspection uses, and how mount points are treated. */
interface InspectionTools {
  readonly scan: TreeScan;
  readonly links: SecretLinks;
  /** True for a mount point that Tiller has made for a command. */
  readonly isMountPoint: (path: string) => boolean;
  /** Mount points are hidden in the Explorer of VS Code. */
  readonly marksMountPoints: boolean;
}

export interface InspectedTree {
  readonly facts: TreeFacts;
  /** The real path, so that it exists also where a link on the way to it is hidden. */
  readonly cwd: string;
  /** Real paths of the writable roots. */
  readonly roots: readonly string[];
  /** Absent names that need a mount point; a mark for the Explorer comes before the folder that it hides. */
  readonly heldNames: readonly string[];
  /** Absent names that are checked after the command. */
  readonly absentNames: readonly string[];
  /** Protected names that are links, with their targets. */
  readonly links: ReadonlyMap<string, string>;
  /**
   * Protected names and bare repositories that existed before, with the identity of each. They cannot be changed from
   * inside, but the folder around one can be renamed and replaced.
   */
  readonly identities: ReadonlyMap<string, string>;
  /** The warnings about bare repositories before the command: in one, absent files can be created. */
  readonly bareWarnings: ReadonlyMap<string, string | undefined>;
  /** Files with secrets that are closed, with the identity of each. A command cannot move one, but the folder around it. */
  readonly secrets: ReadonlyMap<string, string>;
}

/**
 * Inspects what a command will see and may write, once the roots are known by their real paths. Reads the disk, changes
 * nothing. @throws Error with a message for the model when there is no sandbox for these roots: then no command may run.
 */
export function inspectTree(limits: SandboxLimits, cwd: string, tools: InspectionTools): InspectedTree {
  rememberDevices();
  tools.scan.hide(limits.unreadableGlobs);
  const { roots, mounted } = rootsOf(limits.writableRoots.map((root) => root.path));
  const trees = roots.map((root) => tools.scan.recent(root, roots));
  const bare = trees.flatMap((tree) => tree.bareRepositories);
  const names = protectedNames(limits, trees, tools.isMountPoint);
  const { found, links, absent } = names;
  const heldNames = namesToHold(absent, tools.marksMountPoints);

  const inside = (place: string) => roots.some((root) => isWithin(place, root));
  const behindLinks = [...links.keys()].map(realOf).filter((target) => target !== undefined);
  const behindPointers = found.filter((place) => path.basename(place) === '.git').flatMap(pointedAt);
  const bareParts = bare.flatMap((repository) => BARE_PARTS.map((name) => path.join(repository, name))).filter(exists);
  const readOnly = [...names.existing, ...found, ...[...behindLinks, ...behindPointers].filter(inside), ...bareParts];
  const visible = limits.visible.flatMap((folder) => realOf(folder) ?? []).filter((folder) => !inside(folder));
  const shownTrees = [...new Set(visible)].map((folder) => tools.scan.recent(folder, roots));
  const { masked, secrets } = closedFiles(limits, [...trees, ...shownTrees], (files) =>
    tools.links.of(files, [...roots, ...new Set(visible)]),
  );
  return {
    facts: {
      writable: mounted,
      readOnly: [...new Set(readOnly)].filter((place) => !roots.includes(place)),
      visible: [
        ...new Set([...limits.visible, cwd, ...shownFolders(limits.network)].flatMap((folder) => realOf(folder) ?? [])),
      ],
      masked,
      temporary: realTemporary(limits.temporary),
      hidden: hiddenFolders(),
      isRoot: isRoot(),
    },
    cwd: realOf(cwd) ?? cwd,
    roots,
    heldNames,
    absentNames: absent.filter((place) => !heldNames.includes(place)),
    links,
    identities: new Map([...found, ...bare].map((place) => [place, identityOf(place)])),
    bareWarnings: new Map(bare.map((repository) => [repository, repositoryWarning(repository)])),
    secrets: new Map(secrets.map(({ path, stats }) => [path, fileIdentity(stats)])),
  };
}

interface ProtectedNames {
  /** Anywhere in the trees; no links. */
  readonly found: readonly string[];
  /** Links anywhere in the trees, with their targets. */
  readonly links: ReadonlyMap<string, string>;
  /** Names directly in a root, by their real folders: those that exist and are no links, and those that do not. */
  readonly existing: readonly string[];
  readonly absent: readonly string[];
}

/** A mount point that Tiller has made counts as absent: it goes with the command that needs it. */
function protectedNames(
  { writableRoots }: SandboxLimits,
  trees: readonly ScannedTree[],
  isMountPoint: (path: string) => boolean,
): ProtectedNames {
  const found = trees.flatMap((tree) => tree.protectedPaths).filter((place) => !isAbsent(place, isMountPoint));
  const links = new Map(trees.flatMap((tree) => tree.links).flatMap(linkOf));
  const named = writableRoots.flatMap((root) => root.protectedPaths.map((place) => inRealFolder(place)));
  const absent = named.filter((place) => !found.includes(place) && !links.has(place) && isAbsent(place, isMountPoint));
  const existing = named.filter((place) => found.includes(place) || (!links.has(place) && !absent.includes(place)));
  return { found, links, existing, absent };
}

/** Returns the absent names that need a mount point, each mark for the Explorer before the folder that it hides. */
function namesToHold(absent: readonly string[], marksMountPoints: boolean): readonly string[] {
  const held = absent.filter((place) => HELD_NAMES.has(path.basename(place)));
  const shown = held.filter((place) => path.basename(place) === SHOWN_NAME);
  const marks = marksMountPoints ? shown.map((place) => path.join(path.dirname(place), EXPLORER_MARK)) : [];
  return [...marks.filter((mark) => absent.includes(mark)), ...held];
}

/**
 * Returns the files that cannot be opened in the sandbox: `unreadable` places, secrets of the machine and of the trees,
 * and further names of all these (`furtherNames`: hard links, and where commands have moved one).
 */
function closedFiles(
  { unreadable }: SandboxLimits,
  trees: readonly ScannedTree[],
  furtherNames: (files: ReadonlyMap<string, Stats>) => readonly string[],
): { readonly masked: TreeFacts['masked']; readonly secrets: readonly Mask[] } {
  // Nearer files come first; certificates last, because test data has hundreds of them.
  const secrets = trees
    .flatMap((tree) => tree.secrets)
    .toSorted((one, other) => Number(one.endsWith('.pem')) - Number(other.endsWith('.pem')))
    .slice(0, MAX_SECRETS)
    .flatMap(maskOfFile);
  const masks = [...[...unreadable, ...machineSecrets()].flatMap(maskOf), ...secrets];
  const files = new Map(masks.flatMap(({ path, stats }) => (stats.isFile() ? [[path, stats]] : [])));
  const further = furtherNames(files).map((path) => ({ path, type: 'file' as const }));
  return { masked: [...masks.map(({ path, type }) => ({ path, type })), ...further], secrets };
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

/** A mount point that is removed between the two questions is absent, too: this needs their order. */
export function isAbsent(name: string, isMountPoint: (path: string) => boolean): boolean {
  return isMountPoint(name) || !exists(name);
}

interface Mask {
  readonly path: string;
  readonly type: 'file' | 'directory';
  readonly stats: Stats;
}

function maskOf(unreadable: string): readonly Mask[] {
  const found = realOf(unreadable);
  if (found === undefined || found === '/') return [];
  const stats = lstatSync(found);
  return [{ path: found, type: stats.isDirectory() ? 'directory' : 'file', stats }];
}

/** A folder with such a name (an environment of Python may be called `.env`) holds more than secrets. */
function maskOfFile(secret: string): readonly Mask[] {
  return maskOf(secret).filter(({ type }) => type === 'file');
}

/** Changes when the file was replaced by another one. */
export function identityOf(name: string): string {
  return identityAt(name) ?? 'absent';
}
