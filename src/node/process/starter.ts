/**
 * Starts commands in a small process of their own, the starter.
 *
 * A fork copies the page tables of the process that calls it and blocks its thread until the new program is executed:
 * about 0.05 ms for each MiB, longer on a busy machine (docs/decisions/0036). An extension host has hundreds of MiB and
 * one thread for all extensions. The starter's fork costs 1 ms of another thread.
 *
 * The starter connects to a socket of ours for each stream of a command and hands the connection to it. So we read the
 * output of the command itself, with its back-pressure, and the starter carries only requests and exits.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';
import type { ExecRequest } from '../../core/ports.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import type { Descriptor } from '../host/inheritable.ts';
import { startStarter, type StarterProgram } from '../host/ownPrograms.ts';
import { makePrivateFolderSync } from '../host/privateFiles.ts';
import { StarterChild, type StreamName } from './starterChild.ts';
import { KEY_LENGTH, lineSplitter, type StartCommand, type StarterMessage } from './starterMessages.ts';
import { lazyVariant } from '../../protocol/lazyObject.ts';

/** The starter ended before it started the command: it can be started in another way. */
export class StarterEnded extends Error {}

/** The command may run, or may have run, and cannot be followed. */
export class UncertainStart extends Error {}

/** The longest path of a socket in Linux (unix(7)). */
const LONGEST_PATH = 107;
/** After so many ends in a row no starter is started again: the system does not seem to allow one. */
const MOST_STARTS = 3;
/**
 * Maximum time after the start of a command for its connections to arrive: the system refuses them without descriptors.
 */
const CONNECTS_WITHIN_MS = 5_000;

const messageSchema = z.discriminatedUnion('type', [
  lazyVariant('ready', () => ({ inheritable: z.array(z.number()) })),
  lazyVariant('started', () => ({ id: z.number(), pid: z.number() })),
  lazyVariant('failed', () => ({ id: z.number(), code: z.string().nullable(), message: z.string() })),
  lazyVariant('exited', () => ({
    id: z.number(),
    code: z.number().nullable(),
    signal: z.custom<NodeJS.Signals>((name) => typeof name === 'string').nullable(),
  })),
]) satisfies z.ZodType<StarterMessage>;

/** The starter of this process; there is at most one. */
export class Starter {
  readonly #folder: string;
  readonly #script: string;
  #running: RunningStarter | undefined;
  #starts = 0;
  #isDisposed = false;

  /** `home`: TILLER_HOME, for the socket. `script`: the built starterProgram.ts. */
  constructor(home: string, script: string) {
    this.#folder = join(home, 'box');
    this.#script = script;
  }

  /** Starts the starter, unless it runs. Call before the first command; without it commands are started directly. */
  prepare(): void {
    if (this.#running !== undefined || this.#isDisposed || this.#starts >= MOST_STARTS) return;
    const socket = join(this.#folder, `starter-${process.pid}-${randomUUID().slice(0, 8)}`);
    if (Buffer.byteLength(socket) > LONGEST_PATH) return;
    this.#starts++;
    try {
      makePrivateFolderSync(this.#folder);
      const running = new RunningStarter(socket, this.#script, () => {
        if (this.#running === running) this.#running = undefined;
      });
      this.#running = running;
    } catch {
      // No space or no descriptors: commands are started directly.
    }
  }

  /** `undefined` while commands have to be started directly. */
  get ready(): ReadyStarter | undefined {
    return this.#running?.isReady ? this.#running : undefined;
  }

  /** Ends the starter and kills the commands that it has started. */
  dispose(): void {
    this.#isDisposed = true;
    this.#running?.end();
  }
}

export interface ReadyStarter {
  /** Its descriptors that each command inherits. */
  readonly inheritable: readonly number[];
  /**
   * `descriptors`: of this process, as 3, 4, …; they must stay open until the promise is settled. `more`: how many streams
   * of its own the command gets behind them.
   * @throws StarterEnded, UncertainStart, or the error of the system
   */
  start(request: StarterRequest, descriptors: readonly Descriptor[], more?: number): Promise<StarterChild>;
}

export type StarterRequest = Pick<ExecRequest, 'argv' | 'cwd' | 'env' | 'stdin'>;

interface PendingStart {
  /** By the keys of the streams. */
  readonly names: ReadonlyMap<string, StreamName>;
  readonly sockets: Map<StreamName, Socket>;
  child?: StarterChild;
  timer?: NodeJS.Timeout;
  resolve(child: StarterChild): void;
  reject(error: unknown): void;
}

class RunningStarter implements ReadyStarter {
  inheritable: readonly number[] = [];
  readonly #program: StarterProgram;
  readonly #server: Server;
  readonly #onEnd: () => void;
  readonly #starting = new Map<number, PendingStart>();
  readonly #children = new Map<number, StarterChild>();
  #state: 'starting' | 'ready' | 'ended' = 'starting';
  #lastId = 0;

  constructor(socket: string, script: string, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#server = createServer((connection) => this.#accept(connection));
    this.#server.on('error', () => this.end());
    this.#server.listen(socket).unref();
    this.#program = startStarter(script, [socket, String(process.pid)], {
      onText: lineSplitter((line) => this.#take(messageSchema.parse(JSON.parse(line)))),
      onEnd: () => this.#ended(),
    });
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  start(
    { argv, cwd, env, stdin }: StarterRequest,
    descriptors: readonly Descriptor[],
    more = 0,
  ): Promise<StarterChild> {
    const id = ++this.#lastId;
    const further = Array.from({ length: more }, () => randomUUID());
    const keys = { stdin: stdin === 'none' ? null : randomUUID(), stdout: randomUUID(), stderr: randomUUID() };
    const command: StartCommand = {
      ...{ id, argv, cwd, env, keys },
      descriptors: descriptors.map((descriptor) => (descriptor === 'ignore' ? null : descriptor)),
      more: further,
    };
    const names = new Map<string, StreamName>(further.map((key, index) => [key, index]));
    for (const name of ['stdin', 'stdout', 'stderr'] as const) if (keys[name] !== null) names.set(keys[name], name);
    return new Promise((resolve, reject) => {
      this.#starting.set(id, { names, sockets: new Map(), resolve, reject });
      this.#program.ref();
      this.#program.write(`${JSON.stringify(command)}\n`);
    });
  }

  end(): void {
    this.#program.end();
    this.#ended();
  }

  /** Every connection of the starter begins with the key of a stream; any other connection is closed. */
  #accept(connection: Socket): void {
    connection.on('error', () => {});
    const read = () => {
      const key: Buffer | null = connection.read(KEY_LENGTH);
      if (key === null) return;
      connection.off('readable', read);
      this.#connect(key.toString('latin1'), connection);
    };
    connection.on('readable', read);
  }

  #connect(key: string, connection: Socket): void {
    for (const [id, start] of this.#starting) {
      const name = start.names.get(key);
      if (name === undefined || start.sockets.has(name)) continue;
      start.sockets.set(name, connection);
      return this.#settle(id, start);
    }
    connection.destroy();
  }

  #take(message: z.infer<typeof messageSchema>): void {
    if (message.type === 'ready') {
      this.inheritable = message.inheritable;
      if (this.#state === 'starting') this.#state = 'ready';
      return;
    }
    const start = this.#starting.get(message.id);
    switch (message.type) {
      case 'started': {
        if (start === undefined) return;
        start.child = new StarterChild(message.pid);
        this.#children.set(message.id, start.child);
        start.timer = setTimeout(() => this.#giveUp(message.id, start), CONNECTS_WITHIN_MS);
        return this.#settle(message.id, start);
      }
      case 'failed': {
        const { code, message: text } = message;
        this.#remove(message.id);
        for (const connection of start?.sockets.values() ?? []) connection.destroy();
        return start?.reject(Object.assign(new Error(text), code === null ? {} : { code }));
      }
      case 'exited': {
        this.#children.get(message.id)?.exited(message.code, message.signal);
        this.#children.delete(message.id);
        return this.#unrefIfIdle();
      }
      default:
        assertNever(message);
    }
  }

  /** Resolves the start once the starter's message and all connections have arrived, in any order. */
  #settle(id: number, start: PendingStart): void {
    const { child, names, sockets } = start;
    if (child === undefined || sockets.size < names.size) return;
    child.connected(sockets);
    this.#remove(id);
    start.resolve(child);
  }

  #giveUp(id: number, start: PendingStart): void {
    this.#remove(id);
    start.child?.kill();
    for (const connection of start.sockets.values()) connection.destroy();
    start.reject(new UncertainStart('its output could not be connected; too many files may be open.'));
  }

  #remove(id: number): void {
    clearTimeout(this.#starting.get(id)?.timer);
    this.#starting.delete(id);
    this.#unrefIfIdle();
  }

  /** Running commands keep this process alive; the starter alone does not. */
  #unrefIfIdle(): void {
    if (this.#starting.size === 0 && this.#children.size === 0) this.#program.unref();
  }

  #ended(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    // Connections that were made before its end are accepted first.
    setImmediate(() => {
      // Removes the socket.
      this.#server.close();
      for (const [id, start] of this.#starting) this.#abandon(id, start);
    });
    for (const child of this.#children.values()) child.kill();
    this.#children.clear();
    this.#onEnd();
  }

  /**
   * Ends a start that was pending when the starter ended. The starter connects all streams before it starts the
   * command: without a connection the command has not run.
   */
  #abandon(id: number, start: PendingStart): void {
    if (start.sockets.size > 0 || start.child !== undefined) return this.#giveUp(id, start);
    this.#remove(id);
    start.reject(new StarterEnded());
  }
}
