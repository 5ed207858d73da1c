/**
 * Detects the end of a sandbox. The end of bubblewrap is too early: its monitor ends first. The first process inside
 * ends last, after all others (pid_namespaces(7)), and background processes may write until then.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PRIVATE_FILE } from '../host/privateFiles.ts';
import { readProcFile } from '../host/procFiles.ts';
import { identify, isRunning, type ProcessIdentity } from '../host/processIdentity.ts';

const POLL_MS = 1;
const LATE_POLL_MS = 100;
/** Maximum wait of `ended` for a killed process that the kernel has not removed yet. */
const LONGEST_MS = 2_000;
const LONGEST_INFO = 1_024;

export interface SandboxLife {
  /** The descriptor of an unlinked file, for `bwrap --info-fd`. */
  readonly descriptor: number;
  /** The first process inside; `undefined` until bubblewrap has made it. Call before `ended`. */
  first(): ProcessIdentity | undefined;
  /** Resolves when no process runs in the sandbox any more, or with false when the kernel takes too long. Call once. */
  ended(): Promise<boolean>;
  /** Resolves like `ended`, without a time limit. Call after `ended`. */
  gone(): Promise<void>;
  /** Call when no sandbox was started. */
  close(): void;
}

/** `folder`: a folder of Tiller. */
export function followSandbox(folder: string): SandboxLife {
  const file = path.join(folder, `info-${randomUUID()}`);
  const descriptor = openSync(file, 'wx+', PRIVATE_FILE);
  unlinkSync(file);
  let first: ProcessIdentity | undefined;
  const runs = () => first !== undefined && isRunning(first);
  return {
    descriptor,
    first: () => firstProcessIn(descriptor),
    async ended() {
      try {
        first = firstProcessIn(descriptor);
      } finally {
        closeSync(descriptor);
      }
      // It ends with bubblewrap (--die-with-parent), unless bubblewrap was killed before it could ask the kernel for
      // this.
      if (first !== undefined && isFirstOfItsNamespace(first.pid)) kill(first.pid);
      const deadline = performance.now() + LONGEST_MS;
      while (runs()) {
        if (performance.now() > deadline) return false;
        await sleep(POLL_MS);
      }
      return true;
    },
    async gone() {
      while (runs()) await sleep(LATE_POLL_MS, undefined, { ref: false });
    },
    close: () => closeSync(descriptor),
  };
}

/** The identity has the pid outside of the sandbox; `undefined` when there never was a sandbox. */
function firstProcessIn(descriptor: number): ProcessIdentity | undefined {
  const info = Buffer.alloc(LONGEST_INFO);
  const text = info.toString('latin1', 0, readSync(descriptor, info, 0, LONGEST_INFO, 0));
  const pid = /"child-pid": (\d+)/.exec(text)?.[1];
  return pid === undefined ? undefined : identify(Number(pid));
}

/** Its pid may belong to another process by now. */
function isFirstOfItsNamespace(pid: number): boolean {
  return /^NSpid:(\t\d+)+\t1$/m.test(readProcFile(`/proc/${pid}/status`) ?? '');
}

/** Ends all processes of the sandbox: the kernel kills a PID namespace with its first process. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
