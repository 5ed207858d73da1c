/**
 * The temporary folder of a thread. It has one path, which means the same to commands in the sandbox (their `$TMPDIR`), to
 * commands outside of it, and to patches. bubblewrap shows the same folder as `/tmp`, so there a patch to `/tmp/x` means
 * that place, too. Outside the sandbox `/tmp` and `$TMPDIR` are the machine's, for commands and patches alike.
 */
import path from 'node:path';
import type { SandboxMechanism, SandboxPolicy } from '../../protocol/policy.ts';
import type { SandboxLimits } from '../ports.ts';
import { isWithin } from './within.ts';

export type Temporary = SandboxLimits['temporary'];

/** Where programs write when nothing tells them otherwise. */
const SLASH_TMP = '/tmp';

/**
 * Below TILLER_HOME. Removed when a process of Tiller starts three days after its last use, unless the thread is open
 * (`node/sandbox/sweep.ts`).
 */
export function temporaryFolder(thread: { readonly id: string; readonly home: string }): string {
  return path.join(thread.home, 'tmp', thread.id);
}

/**
 * Under which paths sandboxed commands find the folder; none where they have no such folder. A `/tmp` that is itself the
 * working directory or a writable folder is the machine's.
 */
export function temporaryOf(box: SandboxMechanism, policy: SandboxPolicy, folder: string, cwd: string): Temporary {
  if (box === 'none' || box === 'external') return { folder, seenAt: [], isTmpdir: false };
  const { excludeSlashTmp, excludeTmpdirEnvVar, writableRoots } =
    policy.type === 'workspace-write'
      ? policy
      : { excludeSlashTmp: false, excludeTmpdirEnvVar: false, writableRoots: [] };
  const isMachines = [cwd, ...writableRoots].some((one) => path.resolve(one) === SLASH_TMP);
  const isTmpdir = !excludeTmpdirEnvVar;
  const isSlashTmp = box === 'bubblewrap' && !excludeSlashTmp && !isMachines;
  if (!isTmpdir && !isSlashTmp) return { folder, seenAt: [], isTmpdir };
  return { folder, seenAt: isSlashTmp ? [folder, SLASH_TMP] : [folder], isTmpdir };
}

/** Whether a path may mean another place to sandboxed commands than to us. */
export function isInSlashTmp(place: string, { seenAt }: Temporary): boolean {
  return seenAt.includes(SLASH_TMP) && isWithin(place, SLASH_TMP);
}

/**
 * The place on the machine of what sandboxed commands find at `place` (absolute). `shown`: folders that they see at their
 * own paths although those lie in `/tmp`.
 */
export function placeOnMachine(place: string, temporary: Temporary, shown: readonly string[]): string {
  if (!isInSlashTmp(place, temporary)) return place;
  const isShown = (folder: string) => isWithin(folder, SLASH_TMP) && isWithin(place, folder);
  if ([temporary.folder, ...shown].some(isShown)) return place;
  return path.join(temporary.folder, path.relative(SLASH_TMP, place));
}
