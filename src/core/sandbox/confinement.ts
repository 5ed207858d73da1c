import path from 'node:path';
import { allowsNetwork, type SandboxMechanism, type SandboxPolicy } from '../../protocol/policy.ts';
import type { Confinement, HostLimits } from '../ports.ts';
import { type Temporary, temporaryOf } from './temporary.ts';
import { isWithin } from './within.ts';
import { type Surroundings, writableRoots } from './writableRoots.ts';

/** Facts about the machine and the thread that decide the limits of the sandbox, besides the policy. Absolute paths. */
export interface SandboxSurroundings extends Surroundings {
  /** Private to the thread (core/sandbox/temporary.ts). */
  readonly temporaryFolder: string;
  /** Folders that are readable although one around them is not. */
  readonly readable?: readonly string[];
  /** The result of `hostLimits`. It has no effect where the policy allows the network. */
  readonly hosts?: HostLimits | undefined;
  /** Value of `TMPDIR` in Tiller's own environment, if it is set. */
  readonly tmpdirVariable?: string | undefined;
  /** The result of `unreadablePaths`. */
  readonly unreadable: readonly string[];
  /** The setting `sandbox.unreadable`; its globs count. */
  readonly unreadableGlobs: readonly string[];
}

/**
 * The sandbox of a command that runs with mechanism `box` under a policy; none where the decision was to run it
 * without.
 */
export function confine(box: SandboxMechanism, policy: SandboxPolicy, surroundings: SandboxSurroundings): Confinement {
  if (box === 'none' || box === 'external') return { type: 'none' };
  const writable = writableRoots(policy, surroundings);
  if (writable.type === 'everything') return { type: 'none' };
  const { cwd, temporaryFolder, unreadable, unreadableGlobs, hosts, readable = [] } = surroundings;
  const temporary = temporaryOf(box, policy, temporaryFolder, cwd);
  const roots = writable.roots.map((root) => root.path);
  return {
    type: 'sandbox',
    limits: {
      writableRoots: writable.roots,
      visible: [cwd, ...readable],
      network: allowsNetwork(policy),
      ...(hosts !== undefined && !allowsNetwork(policy) ? { hosts } : {}),
      unreadable: [...unreadable, ...replacedTmpdir(box, temporary, [cwd, ...roots], surroundings)],
      unreadableGlobs,
      temporary,
    },
  };
}

/**
 * The folder that `TMPDIR` names in Tiller's own environment, where other programs keep temporary files: hidden once
 * `$TMPDIR` of commands names the thread's own folder.
 */
function replacedTmpdir(
  box: SandboxMechanism,
  temporary: Temporary,
  shown: readonly string[],
  { tmpdirVariable = '' }: SandboxSurroundings,
): readonly string[] {
  if (box !== 'bubblewrap' || !temporary.isTmpdir || !path.posix.isAbsolute(tmpdirVariable)) return [];
  const folder = path.posix.resolve(tmpdirVariable);
  return shown.some((place) => isWithin(folder, place)) ? [] : [folder];
}

/**
 * Returns the sandbox without hosts and without writable folders, except the thread's temporary one: for commands that
 * are known to only read. If such a command was classified wrongly, it still changes nothing, and no check is needed
 * when it has ended.
 */
export function forReading(confinement: Confinement): Confinement {
  if (confinement.type === 'none') return confinement;
  const { writableRoots, visible, hosts: _, ...limits } = confinement.limits;
  const roots = writableRoots.map((root) => root.path);
  return { type: 'sandbox', limits: { ...limits, writableRoots: [], visible: [...visible, ...roots] } };
}

/** The glob that makes every file readable that a glob before it names, also the built-in ones (policy/readPatterns.ts). */
const NO_SECRET_FILES = '!**/*';

/** The sandbox of a command that may open the files that the globs name. Paths of the setting stay unreadable. */
export function withSecretFiles(confinement: Confinement): Confinement {
  if (confinement.type === 'none') return confinement;
  return { type: 'sandbox', limits: { ...confinement.limits, unreadableGlobs: [NO_SECRET_FILES] } };
}

/** Resolves the paths of the setting: `~/…` and absolute ones. TILLER_HOME is one of them. */
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
