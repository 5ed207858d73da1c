/**
 * The way from a sandbox without network to Tiller's proxy (docs/decisions/0081).
 *
 * On Linux the sandbox is started inside another bubblewrap that only makes a user and a network namespace. It waits at
 * a named pipe until Tiller listens inside of that network. The outer user namespace owns the network and stays
 * reachable for Tiller, while bubblewrap itself leaves the one that it sets the sandbox up with. The listening socket
 * belongs to Tiller, so no process of Tiller runs inside, and the system call filter holds from the first instruction.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, readlinkSync, rmSync, writeSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostLimits, HostReport } from '../../core/ports.ts';
import { hostNetworkArguments } from '../../core/sandbox/bubblewrap.ts';
import { HOST_PROXY_PORT } from '../../core/sandbox/proxyVariables.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { findMkfifo, findNsenter, findTrue, listenInNamespace, tryOutBeside } from '../host/ownPrograms.ts';
import { isRunning, type ProcessIdentity } from '../host/processIdentity.ts';
import { HostProxy, type HostProxyOptions } from '../network/hostProxy.ts';
import type { SandboxLife } from './sandboxLife.ts';

/** Begins the name of a pipe at which a sandbox waits. A killed process may leave one behind (sweep.ts). */
export const GATE_NAME = 'gate-';
const POLL_MS = 1;
/** Maximum time from the start of bubblewrap until its first process exists. */
const STARTS_WITHIN_MS = 15_000;

/** The proxy of a command that is about to start, and what the command was refused. */
export interface LaunchedHosts {
  /**
   * Call when the command is started: resolves when it can reach the proxy, and then runs. `exited`: its end. @throws
   * Error with a message for the model; then the command did not run, and has to be ended
   */
  ready(exited: Promise<unknown>): Promise<void>;
  report(): HostReport;
  /** Call when the command has ended or never started. */
  close(): void;
}

/** The place at which bubblewrap waits, for its start. */
export interface Gate {
  readonly mkfifo: string;
  /** The path at which bubblewrap waits; the shell that starts it makes the named pipe. */
  readonly pipe: string;
}

export interface BubblewrapHosts extends LaunchedHosts {
  readonly gate: Gate;
}

/** `folder`: a folder of Tiller. */
export function hostsOfBubblewrap(
  folder: string,
  life: SandboxLife,
  limits: HostLimits,
  { nsenter, mkfifo, ...options }: HostProxyOptions & { readonly nsenter: string; readonly mkfifo: string },
): BubblewrapHosts {
  const pipe = path.join(folder, `${GATE_NAME}${randomUUID()}`);
  const proxy = new HostProxy(limits, options);
  const closed = new AbortController();
  let server: Server | undefined;
  return {
    gate: { mkfifo, pipe },
    async ready(exited) {
      void exited.then(() => closed.abort());
      const { signal } = closed;
      try {
        const first = await firstProcess(life, signal);
        const owner = ownerOf(first);
        server = await listenInNamespace(nsenter, { network: first.pid, user: owner, port: HOST_PROXY_PORT }, signal);
        serve(server, proxy);
        // As long as it is the same process, its pid has named no other one.
        if (!isRunning(first)) throw new Error('it has ended');
        openGate(pipe);
      } catch (error) {
        // A sandbox that has ended by itself says why.
        if (signal.aborted) return;
        throw new Error(
          `The command was not run: its way to the allowed hosts could not be made. ${messageOf(error)}`,
          {
            cause: error,
          },
        );
      }
    },
    report: () => proxy.report,
    close() {
      closed.abort();
      server?.close();
      proxy.close();
      rmSync(pipe, { force: true });
    },
  };
}

/** Starts the proxy for macOS: it listens at a port of this machine, the only one that the profile allows. */
export async function hostsOfSeatbelt(
  limits: HostLimits,
  options: HostProxyOptions,
): Promise<LaunchedHosts & { readonly port: number }> {
  const proxy = new HostProxy(limits, options);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  serve(server, proxy);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy of the sandbox has no port.');
  return {
    port: address.port,
    ready: async () => {},
    report: () => proxy.report,
    close() {
      server.close();
      proxy.close();
    },
  };
}

/** A command that may reach hosts where that does not work: it has no network, and the report says why. */
export function withoutHosts(problem: string): LaunchedHosts {
  return { ready: async () => {}, report: () => ({ refused: [], misleading: [], problem }), close: () => {} };
}

export type HostSupport =
  | { readonly type: 'works'; readonly nsenter: string; readonly mkfifo: string }
  | { readonly type: 'fails'; readonly cause: string };

let found: Promise<HostSupport> | undefined;

/** Determines whether a sandbox can reach hosts through a proxy on this machine. Tried at the first call. Linux only. */
export function hostSupport(bubblewrap: string, emptySandbox: readonly string[]): Promise<HostSupport> {
  found ??= findHostSupport(bubblewrap, emptySandbox);
  return found;
}

async function findHostSupport(bubblewrap: string, emptySandbox: readonly string[]): Promise<HostSupport> {
  const fails = (cause: string): HostSupport => ({
    type: 'fails',
    cause: `The command had no network, although hosts are allowed to it: ${cause}`,
  });
  const [nsenter, mkfifo] = [findNsenter(), findMkfifo()];
  if (nsenter === undefined) return fails('nsenter is not installed (package util-linux).');
  if (mkfifo === undefined) return fails('mkfifo is not installed (package coreutils).');
  const args = [...hostNetworkArguments(), '--', bubblewrap, ...emptySandbox, '--', findTrue()];
  const { works, stderr } = await tryOutBeside({ program: bubblewrap, args });
  if (works) return { type: 'works', nsenter, mkfifo };
  return fails(`this machine allows no sandbox inside of another (${stderr.trim().split('\n').at(-1) ?? ''}).`);
}

function serve(server: Server, proxy: HostProxy): void {
  (server as Server & { allowHalfOpen: boolean }).allowHalfOpen = true;
  server.on('connection', (socket) => proxy.take(socket));
  server.on('error', () => {});
  server.unref();
}

async function firstProcess(life: SandboxLife, signal: AbortSignal): Promise<ProcessIdentity> {
  const deadline = performance.now() + STARTS_WITHIN_MS;
  for (;;) {
    const first = life.first();
    if (first !== undefined) return first;
    if (performance.now() > deadline) throw new Error('bubblewrap did not start in time.');
    await sleep(POLL_MS, undefined, { signal });
  }
}

/**
 * The bubblewrap that set the sandbox up is in the user namespace that owns the network. It is the parent of the first
 * process inside, unless it was killed: then the parent is a process of the machine.
 */
function ownerOf({ pid }: ProcessIdentity): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const parent = Number(/^ \S (\d+) /.exec(stat.slice(stat.lastIndexOf(')') + 1))?.[1]);
  const network = (process: number | 'self') => readlinkSync(`/proc/${process}/ns/net`);
  if (network(parent) !== network(pid) || network(pid) === network('self')) throw new Error('bubblewrap has ended.');
  return parent;
}

function openGate(pipe: string): void {
  const descriptor = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    writeSync(descriptor, '\n');
  } finally {
    closeSync(descriptor);
  }
  // bubblewrap has it open.
  rmSync(pipe, { force: true });
}
