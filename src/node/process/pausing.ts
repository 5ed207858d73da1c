/**
 * Stops sandboxed commands for a moment (SIGSTOP), with all their descendants, and resumes them (SIGCONT). VS Code
 * saves a document by its path. A command that exchanged a folder of that path for a link just then would redirect the
 * write to the link's target; a stopped one cannot (docs/sandbox.md).
 */
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Disposable } from '../../core/util/disposable.ts';
import { type Resumer, startResumer } from '../host/ownPrograms.ts';
import { isLiving, processFields } from '../host/procFiles.ts';
import { listProcesses, type ProcessRow } from './processTable.ts';

/** No command is stopped for longer, whatever the pause waits for. */
const LONGEST_MS = 10_000;
/** A process that takes longer to stop waits for a disk that does not answer. */
const STOPS_WITHIN_MS = 3_000;
const POLL_MS = 1;

export interface Pause extends Disposable {
  /** False when a command could not be stopped, or was resumed because the pause took too long. */
  isHeld(): boolean;
}

export interface PausableCommandsOptions {
  readonly platform?: NodeJS.Platform;
  readonly longestMs?: number;
}

/** The commands of this process that run in a sandbox. */
export class PausableCommands {
  readonly #leaders = new Set<number>();
  readonly #options: Required<PausableCommandsOptions>;
  #holders = 0;
  #stopped: StoppedCommands | undefined;

  constructor({ platform = process.platform, longestMs = LONGEST_MS }: PausableCommandsOptions = {}) {
    this.#options = { platform, longestMs };
  }

  /** `pid`: the first process of the command, the ancestor of all others. */
  add({ pid, exited }: { readonly pid: number | undefined; readonly exited: Promise<unknown> }): void {
    if (pid === undefined) return;
    this.#leaders.add(pid);
    const forget = () => this.#leaders.delete(pid);
    exited.then(forget, forget);
    // A command that starts during a pause takes part in it.
    void this.#stopped?.stop(this.#leaders);
  }

  /**
   * Resolves when none of the commands runs; they are resumed when the last pause is disposed of. Never rejects.
   * `others`: the first processes of commands that other processes have started.
   */
  async pause(others: readonly number[] = []): Promise<Pause> {
    this.#holders++;
    const stopped = (this.#stopped ??= new StoppedCommands(this.#options));
    await stopped.stop(new Set([...this.#leaders, ...others]));
    let isOver = false;
    return {
      isHeld: () => !isOver && stopped.isHeld(),
      dispose: () => {
        if (isOver) return;
        isOver = true;
        this.#holders--;
        if (this.#holders > 0) return;
        this.#stopped = undefined;
        stopped.resume();
      },
    };
  }
}

/** All commands of this extension host or command line. */
export const pausableCommands = new PausableCommands();

class StoppedCommands {
  readonly #platform: NodeJS.Platform;
  readonly #timer: NodeJS.Timeout;
  /** The processes stopped by this pause, each parent before its children. */
  readonly #pids = new Set<number>();
  #resumer: Resumer | undefined;
  #last: Promise<boolean> = Promise.resolve(true);
  #stopping = 0;
  #hasFailed = false;
  #hasResumed = false;

  constructor({ platform, longestMs }: Required<PausableCommandsOptions>) {
    this.#platform = platform;
    this.#timer = setTimeout(() => this.resume(), longestMs);
    this.#timer.unref();
  }

  isHeld(): boolean {
    return this.#stopping === 0 && !this.#hasFailed && !this.#hasResumed;
  }

  async stop(leaders: ReadonlySet<number>): Promise<void> {
    this.#stopping++;
    this.#last = this.#last.then(() => this.#stopAll(leaders)).catch(() => false);
    if (!(await this.#last)) this.#hasFailed = true;
    this.#stopping--;
  }

  /**
   * Resumes children before their parents: a shell that runs while its child is stopped treats that as a stop by the
   * user.
   */
  resume(): void {
    if (this.#hasResumed) return;
    this.#hasResumed = true;
    clearTimeout(this.#timer);
    for (const pid of [...this.#pids].toReversed()) signal(pid, 'SIGCONT');
    this.#resumer?.done();
  }

  /** Returns whether all of them are stopped. */
  async #stopAll(leaders: ReadonlySet<number>): Promise<boolean> {
    const deadline = performance.now() + STOPS_WITHIN_MS;
    while (leaders.size > 0 && this.#platform !== 'win32') {
      // A process that was about to start another is stopped by then, so the first pass without a running process is
      // final.
      const running = treesOf(leaders, this.#platform).filter((row) => !this.#isStopped(row));
      if (running.length === 0) break;
      if (performance.now() > deadline) return false;
      // A shell that still runs while its child is stopped would handle that like a stop by the user.
      const parents = new Set(running.map(({ pid }) => pid));
      const next = running.filter(({ pid, parent }) => !this.#pids.has(pid) && !parents.has(parent));
      if (!(await this.#stopEach(next.map(({ pid }) => pid)))) return false;
      await sleep(POLL_MS);
    }
    return !this.#hasResumed;
  }

  /** Returns whether stopping is still allowed. */
  async #stopEach(pids: readonly number[]): Promise<boolean> {
    if (pids.length > 0) {
      this.#resumer ??= startResumer();
      // Registered before they are stopped: if this process is killed, the resumer resumes them.
      await this.#resumer.add(pids);
    }
    if (this.#hasResumed) return false;
    for (const pid of pids) {
      this.#pids.add(pid);
      signal(pid, 'SIGSTOP');
    }
    return true;
  }

  #isStopped({ pid, state }: ProcessRow): boolean {
    return this.#platform === 'linux' ? threadsOf(pid).every(isHalted) : isHalted(state);
  }
}

/** Each parent before its children. By process group, too: without a sandbox a process may outlive its parent. */
function treesOf(leaders: ReadonlySet<number>, platform: NodeJS.Platform): readonly ProcessRow[] {
  const rows = listProcesses(platform);
  const found = rows.filter(({ pid }) => leaders.has(pid));
  const seen = new Set(leaders);
  for (const { pid } of found) {
    for (const row of rows) {
      if (seen.has(row.pid) || (row.parent !== pid && row.group !== pid)) continue;
      seen.add(row.pid);
      found.push(row);
    }
  }
  return found;
}

/** The states of the threads of a process: the signal reaches each separately. Empty when it has ended. */
function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const fields = processFields(`${pid}/task/${thread}`);
      return fields === undefined || !isLiving(fields) ? [] : (fields[0] ?? []);
    });
  } catch {
    return [];
  }
}

/** Stopped by a signal, or by a debugger. */
function isHalted(state: string): boolean {
  return /^[Tt]/.test(state);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
