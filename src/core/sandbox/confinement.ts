import path from 'node:path';
import { allowsNetwork, type SandboxMechanism, type SandboxPolicy } from '../../protocol/policy.ts';
import type { Confinement } from '../ports.ts';
import { type Temporary, temporaryOf } from './temporary.ts';
import { isWithin } from './within.ts';
import { type Surroundings, writableRoots } from './writableRoots.ts';

/** What of the machine and the thread decides where the walls stand, besides the policy. Absolute paths. */
export interface SandboxSurroundings extends Surroundings {
  /** Private to the thread (core/sandbox/temporary.ts). */
  readonly temporaryFolder: string;
  /** Value of `TMPDIR` in our own environment, where it is set. */
  readonly tmpdirVariable?: string | undefined;
  /** Of `unreadablePaths`. */
  readonly unreadable: readonly string[];
}

/** The walls around a command that runs in `box` under a policy; none where the decision was to run it without. */
export function confine(box: SandboxMechanism, policy: SandboxPolicy, surroundings: SandboxSurroundings): Confinement {
  if (box === 'none' || box === 'external') return { type: 'none' };
  const writable = writableRoots(policy, surroundings);
  if (writable.type === 'everything') return { type: 'none' };
  const { cwd, temporaryFolder, unreadable } = surroundings;
  const temporary = temporaryOf(box, policy, temporaryFolder, cwd);
  const roots = writable.roots.map((root) => root.path);
  return {
    type: 'box',
    walls: {
      writableRoots: writable.roots,
      visible: [cwd],
      network: allowsNetwork(policy),
      unreadable: [...unreadable, ...replacedTmpdir(box, temporary, [cwd, ...roots], surroundings)],
      temporary,
    },
  };
}

/** Where other programs keep their temporary files: not seen once `$TMPDIR` names the thread's own folder. */
function replacedTmpdir(
  box: SandboxMechanism,
  temporary: Temporary,
  shown: readonly string[],
  { tmpdirVariable = '' }: SandboxSurroundings,
): readonly string[] {
  if (box !== 'bubblewrap' || !temporary.isTmpdir || !path.posix.isAbsolute(tmpdirVariable)) return [];
  const folder = path.posix.resolve(tmpdirVariable);
  return shown.some((one) => isWithin(folder, one)) ? [] : [folder];
}

/**
 * The same walls without a folder that may be written but the thread's own temporary one: for what is known only to read. Should
 * that ever be misjudged, nothing comes of it; and nothing has to be looked after when it has ended.
 */
export function forReading(confinement: Confinement): Confinement {
  if (confinement.type === 'none') return confinement;
  const { writableRoots, visible, ...walls } = confinement.walls;
  const roots = writableRoots.map((root) => root.path);
  return { type: 'box', walls: { ...walls, writableRoots: [], visible: [...visible, ...roots] } };
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
