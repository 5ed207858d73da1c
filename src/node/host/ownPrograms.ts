/**
 * Every program that Tiller starts for itself, as opposed to commands of a model. Always by an absolute path, never
 * through PATH, which may contain a folder of the workspace; always with fixed arguments and an environment of our own.
 */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Server, type Socket } from 'node:net';
import path from 'node:path';

/** Nothing is inherited: no loader variable, no secret, no socket of the editor. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LANG: 'C', LC_ALL: 'C' };
const TRIAL_MS = 5_000;

const BWRAP_PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** Returns its absolute path; `undefined` where it is not installed. Never from PATH, which a workspace may change. */
export function findBubblewrap(): string | undefined {
  return BWRAP_PLACES.find((place) => existsSync(place));
}

export const SANDBOX_EXEC = '/usr/bin/sandbox-exec';
const BASH_PLACES = ['/bin/bash', '/usr/bin/bash', '/run/current-system/sw/bin/bash'];
const TRUE_PLACES = ['/bin/true', '/usr/bin/true', '/run/current-system/sw/bin/true'];

/** Returns its absolute path; `undefined` where there is none. Never from PATH. */
export function findBash(): string | undefined {
  return BASH_PLACES.find((place) => existsSync(place));
}

const NSENTER_PLACES = ['/usr/bin/nsenter', '/bin/nsenter', '/run/current-system/sw/bin/nsenter'];
const MKFIFO_PLACES = ['/usr/bin/mkfifo', '/bin/mkfifo', '/run/current-system/sw/bin/mkfifo'];

/** Returns its absolute path; `undefined` where there is none. Never from PATH. */
export function findNsenter(): string | undefined {
  return NSENTER_PLACES.find((place) => existsSync(place));
}

/** Returns its absolute path; `undefined` where there is none. Never from PATH. */
export function findMkfifo(): string | undefined {
  return MKFIFO_PLACES.find((place) => existsSync(place));
}

/** Returns the absolute path of a program that does nothing. */
export function findTrue(): string {
  return TRUE_PLACES.find((place) => existsSync(place)) ?? '/bin/true';
}

/** A program that starts an empty sandbox. */
export interface Trial {
  readonly program: string;
  readonly args: readonly string[];
  readonly input?: Uint8Array;
}

export interface TrialResult {
  readonly works: boolean;
  readonly stderr: string;
}

/** Runs an empty sandbox to see whether it works. */
export function tryOut({ program, args, input }: Trial): TrialResult {
  const tried = spawnSync(program, args, {
    cwd: '/',
    env: ENVIRONMENT,
    ...(input ? { input } : {}),
    stdio: [input ? 'pipe' : 'ignore', 'ignore', 'pipe'],
    timeout: TRIAL_MS,
    encoding: 'utf8',
  });
  const late = tried.error === undefined ? '' : tried.error.message;
  return { works: tried.status === 0, stderr: tried.stderr || late };
}

/** Tries the program without blocking this process. Never rejects. */
export function tryOutBeside({ program, args, input }: Trial): Promise<TrialResult> {
  return new Promise((resolve) => {
    const options = { cwd: '/', env: ENVIRONMENT, timeout: TRIAL_MS };
    const child = execFile(program, args, options, (error, _stdout, stderr) => {
      // With an exit code it existed and ended in time.
      const late = error === null || typeof error.code === 'number' ? '' : error.message;
      resolve({ works: error === null, stderr: stderr || late });
    });
    child.stdin?.on('error', () => {}).end(input);
  });
}

/** Exits when it reads a line or is killed, and executes the program when its input ends. */
const AFTER_END_OF_INPUT = 'trap "" HUP INT QUIT TERM; read -r line && exit; exec "$@"';

/**
 * Runs a script in Node as soon as this process was killed, until `stop` is called. It costs a small shell that sleeps,
 * in a session of its own: a signal that ends this process, its group or its terminal does not end it.
 */
export function startAfterKill(script: string, args: readonly string[]): { stop(): void } {
  const child = spawn('/bin/sh', ['-c', AFTER_END_OF_INPUT, 'tiller-after-kill', process.execPath, script, ...args], {
    cwd: '/',
    // In VS Code the program is Electron, which runs as Node with this variable.
    env: { ...ENVIRONMENT, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // If it cannot be started, the next start of Tiller does the same work.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  (child.stdin as unknown as Socket).unref();
  return { stop: () => void child.kill('SIGKILL') };
}

/**
 * Listens and hands the socket over. It tries again while the loopback device of a new namespace is still down. Its
 * own copy of the socket is closed with it.
 */
const LISTENER = `const server = require('node:net').createServer();
const port = Number(process.argv[1]);
let tries = 0;
const listen = () => server.listen(port, '127.0.0.1', () => process.send('listening', server, () => process.exit()));
server.on('error', ({ code }) => {
  if (code === 'EADDRNOTAVAIL' && tries++ < 400) return void setTimeout(listen, 5);
  process.send(code, () => process.exit(1));
});
process.once('disconnect', () => process.exit(1));
listen();`;
const LISTENS_WITHIN_MS = 15_000;

/**
 * Resolves to a server that listens at 127.0.0.1:`port` in the network namespace of a process: a socket stays in the
 * namespace that it was made in, so a short-lived program makes it there and hands it over. `user`: a process in the
 * user namespace that owns that network namespace; this process must have made it. Rejects with a reason for the user,
 * or that of the signal.
 */
export function listenInNamespace(
  nsenter: string,
  { network, user, port }: { readonly network: number; readonly user: number; readonly port: number },
  signal: AbortSignal,
): Promise<Server> {
  const namespaces = [`--user=/proc/${user}/ns/user`, `--net=/proc/${network}/ns/net`, '--preserve-credentials'];
  const child = spawn(nsenter, [...namespaces, '--', process.execPath, '-e', LISTENER, String(port)], {
    cwd: '/',
    // In VS Code the program is Electron, which runs as Node with this variable.
    env: { ...ENVIRONMENT, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
    timeout: LISTENS_WITHIN_MS,
  });
  let printed = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed = `${printed}${text}`.slice(0, 1_000)));
  return new Promise((resolve, reject) => {
    child.once('message', (message, handle) => {
      if (handle instanceof Server) resolve(handle);
      else reject(new Error(`listening failed with ${JSON.stringify(message)}`));
    });
    child.once('error', reject);
    child.once('close', (code) => {
      reject(new Error(printed.trim() || `nsenter ended with ${String(code ?? 'a signal')}`));
    });
  });
}

/** The program starterProgram.ts, with its input and output. */
export interface StarterProgram {
  write(text: string): void;
  /** Closes its input, at which it ends. */
  end(): void;
  /** Keeps this process running; at first it does not. */
  ref(): void;
  unref(): void;
}

/**
 * Starts it in a session of its own, so that a signal of a terminal does not end it. `onEnd`: it has ended, or was not
 * started.
 */
export function startStarter(
  script: string,
  args: readonly string[],
  { onText, onEnd }: { readonly onText: (text: string) => void; readonly onEnd: () => void },
): StarterProgram {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: '/',
    // In VS Code the program is Electron, which runs as Node with this variable.
    env: { ...ENVIRONMENT, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const input = child.stdin as unknown as Socket;
  const output = child.stdout as unknown as Socket;
  child.on('error', onEnd);
  input.on('error', () => {});
  output.on('error', () => {});
  output.once('close', onEnd);
  output.setEncoding('utf8').on('data', onText);
  for (const handle of [child, input, output]) handle.unref();
  return {
    write: (text) => void input.write(text),
    end: () => void input.end(),
    ref: () => void output.ref(),
    unref: () => void output.unref(),
  };
}

/** `pid ppid pgid stat` of every process. */
export function listProcessesWithPs(): string {
  return execFileSync('/bin/ps', ['-axo', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8', env: ENVIRONMENT });
}

/** Resumes stopped processes if this process is killed before it has done so. */
export interface Resumer {
  /** Resolves when it has the pids; only then stop the processes. @throws when there is no such program */
  add(pids: readonly number[]): Promise<void>;
  /** Call when the processes are resumed. */
  done(): void;
}

/** Reads pids until its input ends, which happens when this process is killed. */
const RESUMER = `pids=
while read -r line; do
  [ "$line" = done ] && exit 0
  pids="$line $pids"
done
[ -z "$pids" ] || kill -CONT $pids`;

/** Starts the process that lets paused processes go on, also when this process is killed while they are paused. */
export function startResumer(): Resumer {
  const child = spawn('/bin/sh', ['-c', RESUMER], {
    cwd: '/',
    env: ENVIRONMENT,
    // A signal to the group of this process does not reach it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = error;
  });
  child.stdin.on('error', () => {});
  child.unref();
  return {
    add: (pids) =>
      new Promise((resolve, reject) => {
        child.stdin.write(`${pids.join(' ')}\n`, (error) => {
          const cause = failure ?? error;
          if (cause) reject(cause);
          else resolve();
        });
      }),
    done: () => child.stdin.end('done\n'),
  };
}

/** Windows: ends a process with all its descendants. Never rejects. */
export function endWindowsTree(pid: number): Promise<void> {
  const systemRoot = process.env.SystemRoot ?? 'C:\\Windows';
  const taskkill = path.win32.join(systemRoot, 'System32', 'taskkill.exe');
  return new Promise((resolve) => {
    execFile(taskkill, ['/T', '/F', '/PID', String(pid)], { env: { SystemRoot: systemRoot } }, () => resolve());
  });
}
