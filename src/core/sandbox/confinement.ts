import path from 'node:path';
import { allowsNetwork, type Box, type SandboxPolicy } from '../../protocol/policy.ts';
import type { Confinement, WritableRoot } from '../ports.ts';
import { type Surroundings, writableRoots } from './writableRoots.ts';

/** What of the machine and the thread decides where the walls stand, besides the policy. Absolute paths. */
export interface BoxSurroundings extends Surroundings {
  /** Private to the thread: what its commands see as `/tmp`. */
  readonly temporaryFolder: string;
  /** Of `unreadablePaths`. */
  readonly unreadable: readonly string[];
}

/** The walls around a command that runs in `box` under a policy; none where the decision was to run it without. */
export function confine(box: Box, policy: SandboxPolicy, surroundings: BoxSurroundings): Confinement {
  if (box === 'none' || box === 'external') return { type: 'none' };
  const writable = writableRoots(policy, surroundings);
  if (writable.type === 'everything') return { type: 'none' };
  const temporaries = temporaryPaths(policy, surroundings);
  const isTemporary = ({ path: root }: WritableRoot) => temporaries.includes(root) && root !== surroundings.cwd;
  return {
    type: 'box',
    walls: {
      writableRoots: writable.roots.filter((root) => !isTemporary(root)),
      visible: [surroundings.cwd],
      network: allowsNetwork(policy),
      unreadable: surroundings.unreadable,
      temporary: { folder: surroundings.temporaryFolder, seenAt: temporaries },
    },
  };
}

/**
 * The same walls without a folder that may be written but the thread's own `/tmp`: for what is known only to read. Should
 * that ever be misjudged, nothing comes of it; and nothing has to be looked after when it has ended.
 */
export function forReading(confinement: Confinement): Confinement {
  if (confinement.type === 'none') return confinement;
  const { writableRoots, visible, ...walls } = confinement.walls;
  const roots = writableRoots.map((root) => root.path);
  return { type: 'box', walls: { ...walls, writableRoots: [], visible: [...visible, ...roots] } };
}

/**
 * The temporary folders that a policy leaves writable (codex-behaviour.md §6.2). In the box each of them is the thread's
 * own: what other programs keep in theirs is not seen. Under `read-only` programs that need one have it too.
 */
function temporaryPaths(policy: SandboxPolicy, { platform, tmpdirVariable }: Surroundings): string[] {
  if (platform === 'win32') return [];
  const excludes = policy.type === 'workspace-write' ? policy : { excludeSlashTmp: false, excludeTmpdirEnvVar: false };
  const slashTmp = excludes.excludeSlashTmp ? [] : ['/tmp'];
  const hasTmpdir = tmpdirVariable !== undefined && path.posix.isAbsolute(tmpdirVariable);
  const tmpdir = excludes.excludeTmpdirEnvVar || !hasTmpdir ? [] : [path.posix.resolve(tmpdirVariable)];
  return [...new Set([...slashTmp, ...tmpdir])].filter((folder) => folder !== '/');
}

/** `~/…` and absolute paths as the setting has them. TILLER_HOME is never readable. */
export function unreadablePaths(
  listed: readonly string[],
  homeDirectory: string,
  tillerHome: string,
): readonly string[] {
  const places = listed.map((place) => (place.startsWith('~/') ? path.join(homeDirectory, place.slice(2)) : place));
  return [
    ...new Set([...places.filter((place) => path.isAbsolute(place)).map((place) => path.resolve(place)), tillerHome]),
  ];
}
