/** Identifies a process, as distinct from a later one with the same pid (docs/design.md decision 13). */
import { errorCode } from '../../core/util/fileErrors.ts';
import { isLiving, processFields, readProcFile } from './procFiles.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** `null` where the system does not report it; then only the pid is compared. */
  readonly bootId: string | null;
  readonly startTime: string | null;
}

let own: ProcessIdentity | undefined;

/** Returns the identity of this process. Its start time is `null` where the system does not give one. */
export function thisProcess(): ProcessIdentity {
  if (own === undefined || own.startTime === null) own = identify(process.pid);
  return own;
}

/**
 * False for a process that has ended, also where its parent has not collected it yet. True when in doubt: /proc may be
 * unreadable for a moment (too many open files), and no work is taken from a process that may be alive.
 */
export function isRunning({ pid, bootId, startTime }: ProcessIdentity): boolean {
  if (differs(bootId, currentBoot())) return false;
  if (!isTaken(pid)) return false;
  const fields = processFields(pid);
  if (fields === undefined) return true;
  return isLiving(fields) && !differs(startTime, startTimeIn(fields));
}

/**
 * Returns true if its pid belongs to another process by now; false when in doubt, and while its parent has not
 * collected it.
 */
export function isReplaced({ pid, startTime }: ProcessIdentity): boolean {
  const fields = processFields(pid);
  return fields !== undefined && differs(startTime, startTimeIn(fields));
}

/** Returns true if the system has not been started again since that process; false when in doubt. */
export function isOfThisBoot({ bootId }: ProcessIdentity): boolean {
  return bootId !== null && bootId === currentBoot();
}

/** The identity of the process that has this pid now. */
export function identify(pid: number): ProcessIdentity {
  const fields = processFields(pid);
  return { pid, bootId: currentBoot(), startTime: fields === undefined ? null : startTimeIn(fields) };
}

/** False unless both facts are known. */
function differs(left: string | null, right: string | null): boolean {
  return left !== null && right !== null && left !== right;
}

let boot: string | undefined;

/** Read again until it is known. */
function currentBoot(): string | null {
  boot ??= readProcFile('/proc/sys/kernel/random/boot_id')?.trim();
  return boot ?? null;
}

/** Field 22 of proc(5), of which the first two are left out. */
function startTimeIn(fields: readonly string[]): string | null {
  return fields[19] ?? null;
}

/** Returns true if a process has this pid, also one of another user. */
function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** This process, as the owner that a file names. */
export function ownerText(): string {
  return JSON.stringify(thisProcess());
}

/** False for a process that has ended, and for a text that `ownerText` has not returned. */
export function isOwnerRunning(owner: string): boolean {
  try {
    const { pid, bootId, startTime } = JSON.parse(owner) as Partial<ProcessIdentity>;
    return typeof pid === 'number' && isRunning({ pid, bootId: bootId ?? null, startTime: startTime ?? null });
  } catch {
    return false;
  }
}
