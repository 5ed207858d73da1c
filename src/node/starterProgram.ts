/**
 * A separate, small program that starts commands for a process with much memory (process/starter.ts). Arguments: the
 * socket at which that process listens, and its pid. It ends with its input, that is with that process.
 *
 * It imports no library: its memory is what makes it fast.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { inheritableDescriptors } from './host/inheritable.ts';
import { lineSplitter, type StartCommand, type StarterMessage } from './process/starterMessages.ts';

const [socket = '', owner = ''] = process.argv.slice(2);

function send(message: StarterMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** The socket is removed by the process that made it, unless that was killed. */
function end(): void {
  rmSync(socket, { force: true });
  process.exit();
}

async function start(command: StartCommand): Promise<void> {
  const { id, argv, cwd, env, keys, more } = command;
  const [program, ...args] = argv;
  const opened: number[] = [];
  const connections: Socket[] = [];
  try {
    const streams = await Promise.all([
      keys.stdin === null ? Promise.resolve('ignore' as const) : connection(keys.stdin, connections),
      connection(keys.stdout, connections),
      connection(keys.stderr, connections),
    ]);
    const further = await Promise.all(more.map((key) => connection(key, connections)));
    for (const socket of further) makeBlocking(socket);
    const descriptors = command.descriptors.map((descriptor) =>
      descriptor === null ? 'ignore' : duplicate(descriptor, opened),
    );
    const child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: [...streams, ...descriptors, ...further],
    });
    follow(id, child);
  } catch (error) {
    fail(id, error);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
    // Only the command has them now.
    for (const socket of connections) socket.destroy();
  }
}

function follow(id: number, child: ChildProcess): void {
  child.on('error', (error) => {
    if (child.pid === undefined) fail(id, error);
  });
  if (child.pid === undefined) return;
  send({ type: 'started', id, pid: child.pid });
  child.once('exit', (code, signal) => send({ type: 'exited', id, code, signal }));
}

function fail(id: number, error: unknown): void {
  const { code, message } = error as NodeJS.ErrnoException;
  send({ type: 'failed', id, code: code ?? null, message });
}

/** Resolves when the key is written: from then on the connection is the command's. */
function connection(key: string, opened: Socket[]): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const made = connect(socket, () => made.write(key, () => resolve(made)));
    opened.push(made);
    made.on('error', reject);
  });
}

/**
 * Programs expect descriptors that block. Node sets this for the first three of a child; for others only its internal
 * handle can.
 *
 * @throws Error where it cannot
 */
function makeBlocking(stream: Socket): void {
  const { _handle } = stream as Socket & { readonly _handle?: { setBlocking?(isBlocking: boolean): number } };
  if (_handle?.setBlocking?.(true) !== 0) throw new Error('This Node cannot pass further streams to a command.');
}

/** Opens a descriptor of the owner as the owner has opened it. */
function duplicate(descriptor: number, opened: number[]): number {
  const facts = readFileSync(`/proc/${owner}/fdinfo/${descriptor}`, 'latin1');
  const flags = Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(facts)?.[1] ?? '0', 8);
  const access = flags & (constants.O_RDONLY | constants.O_WRONLY | constants.O_RDWR);
  const made = openSync(`/proc/${owner}/fd/${descriptor}`, access);
  opened.push(made);
  return made;
}

process.stdout.on('error', end);
process.stdin.on('error', end);
process.stdin.once('close', end);
process.stdin.setEncoding('utf8').on(
  'data',
  lineSplitter((line) => void start(JSON.parse(line) as StartCommand)),
);
send({ type: 'ready', inheritable: inheritableDescriptors() });
