/** A process, told apart from a later one with the same number (design decision 13). */
import { errorCode } from './errors.ts';
import { processFields, readProcFile } from './procFiles.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** `null` where the system does not tell; the number alone has to do. */
  readonly bootId: string | null;
  readonly startTime: string | null;
}

export function thisProcess(): ProcessIdentity {
  return identify(process.pid);
}

/** When in doubt it is running: nobody's work is taken from them. */
export function isRunning(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid);
  if (identity.bootId !== now.bootId) return false;
  if (identity.startTime !== now.startTime) return false;
  try {
    process.kill(identity.pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Whoever has this number now. */
export function identify(pid: number): ProcessIdentity {
  return {
    pid,
    bootId: readProcFile('/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    // Field 22 of proc(5), of which the first two are left out.
    startTime: processFields(pid)?.[19] ?? null,
  };
}
