import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { identify, isReplaced, isRunning, type ProcessIdentity } from '../host/processIdentity.ts';
import type { StartCommand } from './starterMessages.ts';

/** The part of a ChildProcess that does not depend on its parent. Emits `exit`, then `close`. */
export type StartedChild = Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr' | 'exitCode' | 'signalCode'> & {
  readonly pid: number;
  /**
   * Returns true if its pid belongs to another process by now. Absent where its parent is this process, which collects
   * it.
   */
  isReplaced?(): boolean;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
};

/** A number is the index of a further stream. */
export type StreamName = keyof StartCommand['keys'] | number;

/** A command whose parent is the starter. */
export class StarterChild extends EventEmitter implements StartedChild {
  readonly pid: number;
  stdin: Socket | null = null;
  stdout: Socket | null = null;
  stderr: Socket | null = null;
  /** Further streams, in the order of their descriptors. */
  more: readonly Socket[] = [];
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly #identity: ProcessIdentity;
  #openStreams: number | undefined;
  #hasEmittedExit = false;

  constructor(pid: number) {
    super();
    this.pid = pid;
    this.#identity = identify(pid);
  }

  /** Call once. Its events come later, so that listeners can be added. */
  connected(streams: ReadonlyMap<StreamName, Socket>): void {
    this.stdin = streams.get('stdin') ?? null;
    this.stdout = streams.get('stdout') ?? null;
    this.stderr = streams.get('stderr') ?? null;
    this.more = Array.from(streams, ([name, stream]) => (typeof name === 'number' ? { name, stream } : []))
      .flat()
      .toSorted((one, other) => one.name - other.name)
      .map(({ stream }) => stream);
    // A stream that ended without any output may have closed already.
    const outputs = [this.stdout, this.stderr].filter((stream) => stream !== null && !stream.closed);
    this.#openStreams = outputs.length;
    for (const output of outputs) {
      output?.once('close', () => {
        this.#openStreams = (this.#openStreams ?? 1) - 1;
        this.#close();
      });
    }
    if (this.#hasEnded) setImmediate(() => this.#exit());
  }

  /**
   * Returns true if another process has the pid by now. The starter collects an ended process before it reports the
   * end, and a report can take long while the starter is stopped.
   */
  isReplaced(): boolean {
    return isReplaced(this.#identity);
  }

  /** Call when it has exited: from now on its pid may belong to another process. */
  exited(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#hasEnded) return;
    this.exitCode = code;
    this.signalCode = signal;
    if (this.#openStreams !== undefined) setImmediate(() => this.#exit());
  }

  /** Ends its process group because it cannot be followed any more. */
  kill(): void {
    try {
      if (isRunning(this.#identity)) process.kill(-this.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    this.exited(null, 'SIGKILL');
  }

  get #hasEnded(): boolean {
    return this.exitCode !== null || this.signalCode !== null;
  }

  #exit(): void {
    if (this.#hasEmittedExit) return;
    this.#hasEmittedExit = true;
    this.stdin?.destroy();
    this.emit('exit', this.exitCode, this.signalCode);
    this.#close();
  }

  #close(): void {
    if (this.#hasEmittedExit && this.#openStreams === 0) this.emit('close');
  }
}
