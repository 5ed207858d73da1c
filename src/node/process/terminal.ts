/** Processes in a pseudo terminal, by the optional package @lydell/node-pty (docs/reference/sandbox.md §5). */
import { accessSync, closeSync, constants as files, openSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants as system } from 'node:os';
import type { Socket } from 'node:net';
import path from 'node:path';
import type { IPty } from '@lydell/node-pty';
import type { ExecExit, ExecOutput, ExecProcess, ExecRequest } from '../../core/ports.ts';
import { endTree, type TreeRoot } from './processTree.ts';
import { spawnFailure } from './spawnFailure.ts';

/** The most output held before there is a listener; beyond it the program has to wait. */
const HELD_BYTES = 1024 * 1024;

/** More than the system buffers of the output of an ended program. */
const MOST_LEFT_BYTES = 256 * 1024;

/**
 * `spare` is the folder of another node-pty, used when ours is missing.
 *
 * @throws Error with a message for the model when it cannot be started.
 */
export async function spawnInTerminal(
  request: ExecRequest & { readonly tty: NonNullable<ExecRequest['tty']> },
  mark: string,
  platform: NodeJS.Platform,
  spare?: string,
): Promise<ExecProcess> {
  const { spawn } = await loadPty(spare);
  requireStartable(request);
  const [program, ...args] = request.argv;
  const { columns, rows } = request.tty;
  const env = { ...request.env };
  // No encoding: bytes as they are, decoded once and by the same decoder as those of pipes.
  const terminal = spawn(program, args, { cols: columns, rows, cwd: request.cwd, env, encoding: null });
  const releaseSlave = holdSlave(terminal);
  closeWhenRead(terminal);
  const output = new TerminalOutput(terminal);
  let hasEnded = false;
  const exited = new Promise<ExecExit>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      hasEnded = true;
      releaseSlave();
      resolve(exitOf(exitCode, signal));
    });
  });
  const root: TreeRoot = { leader: terminal.pid, mark, leaderHasEnded: () => hasEnded, platform };
  return {
    pid: terminal.pid,
    exited,
    onOutput: (listener) => output.listen(listener),
    write(chars) {
      if (!hasEnded) terminal.write(chars);
    },
    resize(columns, rows) {
      try {
        if (!hasEnded) terminal.resize(columns, rows);
      } catch {
        // It has ended; the event follows.
      }
    },
    async kill(graceMs = 500) {
      await endTree(root, exited, graceMs);
      await exited;
    },
  };
}

type Pty = typeof import('@lydell/node-pty');

async function loadPty(spare: string | undefined): Promise<Pty> {
  try {
    return await import('@lydell/node-pty');
  } catch (cause) {
    const other = spare === undefined ? undefined : loadFrom(spare);
    if (other) return other;
    throw new Error(
      'There is no terminal here: the optional package @lydell/node-pty is not installed for this system. Run the command without tty.',
      { cause },
    );
  }
}

/** Both packages are built from the same source, so they have the same types. */
function loadFrom(folder: string): Pty | undefined {
  try {
    return createRequire(path.join(folder, 'package.json'))(folder) as Pty;
  } catch {
    return undefined;
  }
}

/** A program that cannot be started in a terminal ends without an error, so it is checked before. */
function requireStartable(request: ExecRequest): void {
  const [program] = request.argv;
  if (!statSync(request.cwd, { throwIfNoEntry: false })?.isDirectory()) throw spawnFailure(undefined, request);
  const candidates = program.includes('/')
    ? [path.resolve(request.cwd, program)]
    : (request.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, program));
  const failures = candidates.map(whyNotExecutable);
  if (process.platform === 'win32' || failures.includes(undefined)) return;
  throw spawnFailure(failures.at(-1), request);
}

function whyNotExecutable(file: string): unknown {
  try {
    accessSync(file, files.X_OK);
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * Holds the slave side open: while it is open, the system keeps the last output; without this the end of the output was
 * lost in 13 of 15 runs. The name is not in the package's types, and absent on Windows.
 */
function holdSlave(terminal: IPty): () => void {
  const { ptsName } = terminal as IPty & { readonly ptsName?: string };
  if (ptsName === undefined) return () => {};
  const descriptor = openSync(ptsName, files.O_RDWR | files.O_NOCTTY);
  return () => closeSync(descriptor);
}

/**
 * Delays the end of the terminal until its output was read: the package closes it 200 ms after the end of the program,
 * when a busy process may not have read the rest. The name is not in the package's types.
 */
function closeWhenRead(terminal: IPty): void {
  const { _socket: socket } = terminal as IPty & { readonly _socket?: Socket };
  if (socket === undefined) return;
  const destroy = socket.destroy.bind(socket);
  let readBytes = 0;
  terminal.onData((data) => (readBytes += data.length));
  // Each turn of the event loop reads a piece. A process that was left behind may write without an end.
  const destroyWhenRead = (from: number, last: number) =>
    setImmediate(() => {
      if (readBytes > last && readBytes - from < MOST_LEFT_BYTES) destroyWhenRead(from, readBytes);
      else destroy();
    });
  socket.destroy = (error) => {
    if (error !== undefined) return destroy(error);
    destroyWhenRead(readBytes, readBytes);
    return socket;
  };
}

/** A signal takes precedence over the exit code, which is 0 then. */
function exitOf(exitCode: number, signal: number | undefined): ExecExit {
  if (!signal) return { code: exitCode, signal: null };
  const name = Object.entries(system.signals).find(([, number]) => number === signal)?.[0] ?? null;
  return { code: 128 + signal, signal: name };
}

/** Like `HeldOutput`, for a single stream without an end event. */
class TerminalOutput {
  readonly #terminal: IPty;
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  #listener: ((output: ExecOutput) => void) | undefined;

  constructor(terminal: IPty) {
    this.#terminal = terminal;
    terminal.onData((data) => this.#deliver(data as unknown as Buffer));
  }

  listen(listener: (output: ExecOutput) => void): void {
    this.#listener = listener;
    for (const bytes of this.#held.splice(0)) listener({ stream: 'stdout', bytes });
    this.#terminal.resume();
  }

  #deliver(bytes: Buffer): void {
    if (this.#listener !== undefined) return this.#listener({ stream: 'stdout', bytes });
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > HELD_BYTES) this.#terminal.pause();
  }
}
