/**
 * The temporary folder of a thread. It has one path with the same meaning for commands in the sandbox (their
 * `$TMPDIR`), for commands outside, and for patches. bubblewrap also shows the folder as `/tmp`, so with it a patch to
 * `/tmp/x` means that place too. Outside the sandbox `/tmp` and `$TMPDIR` are the machine's, for commands and patches
 * alike.
 */
import path from 'node:path';
import type { SandboxMechanism, SandboxPolicy } from '../../protocol/policy.ts';
import type { SandboxLimits } from '../ports.ts';
import { isWithin } from './within.ts';

export type Temporary = SandboxLimits['temporary'];

/** The default temporary folder of programs. */
const SLASH_TMP = '/tmp';

/**
 * Returns a folder in TILLER_HOME; removed by the first process of Tiller that starts three days or more after its last
 * use (`node/sandbox/sweep.ts`).
 */
export function temporaryFolder(thread: { readonly id: string; readonly home: string }): string {
  return path.join(thread.home, 'tmp', thread.id);
}

/** The user's skills, which the model reads: the one folder of TILLER_HOME that is readable besides. Never writable. */
export function skillFolder(home: string): string {
  return path.join(home, 'skills');
}

/**
 * The paths at which sandboxed commands find the folder; none where they have no such folder. A `/tmp` that is the
 * working directory or a writable folder stays the machine's.
 */
export function temporaryOf(box: SandboxMechanism, policy: SandboxPolicy, folder: string, cwd: string): Temporary {
  if (box === 'none' || box === 'external') return { folder, seenAt: [], isTmpdir: false };
  const { excludeSlashTmp, excludeTmpdirEnvVar, writableRoots } =
    policy.type === 'workspace-write'
      ? policy
      : { excludeSlashTmp: false, excludeTmpdirEnvVar: false, writableRoots: [] };
  const isMachines = [cwd, ...writableRoots].some((folder) => path.resolve(folder) === SLASH_TMP);
  const isTmpdir = !excludeTmpdirEnvVar;
  const isSlashTmp = box === 'bubblewrap' && !excludeSlashTmp && !isMachines;
  if (!isTmpdir && !isSlashTmp) return { folder, seenAt: [], isTmpdir };
  return { folder, seenAt: isSlashTmp ? [folder, SLASH_TMP] : [folder], isTmpdir };
}

/** True when a path may lead to another place in the sandbox than outside. */
export function isInSlashTmp(place: string, { seenAt }: Temporary): boolean {
  return seenAt.includes(SLASH_TMP) && isWithin(place, SLASH_TMP);
}

/**
 * Returns the place on the machine of the path `place` (absolute) in the sandbox of a command. `shown`: folders inside
 * `/tmp` that commands see at their own paths.
 */
export function placeOnMachine(place: string, temporary: Temporary, shown: readonly string[]): string {
  if (!isInSlashTmp(place, temporary)) return place;
  const isShown = (folder: string) => isWithin(folder, SLASH_TMP) && isWithin(place, folder);
  if ([temporary.folder, ...shown].some(isShown)) return place;
  return path.join(temporary.folder, path.relative(SLASH_TMP, place));
}
