/** The Exec port: child processes with pipes, or in a terminal. Argv only; no string is ever parsed by a shell. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Exec, ExecProcess, ExecRequest } from '../core/ports.ts';
import { abortable } from '../core/util/abort.ts';
import { errorCode } from '../core/util/fileErrors.ts';
import { newMark } from './process/processMark.ts';
import { recordCommand } from './process/processRecord.ts';
import { pausableCommands } from './process/pausing.ts';
import { withExitOfMissing } from './process/missingProgram.ts';
import { pipedProcess } from './process/pipedProcess.ts';
import { endMarked } from './process/processTree.ts';
import { spawnFailure } from './process/spawnFailure.ts';
import { type ReadyStarter, type Starter, StarterEnded, UncertainStart } from './process/starter.ts';
import type { StartedChild } from './process/starterChild.ts';
import { StartsTogether } from './process/startsTogether.ts';
import { spawnInTerminal } from './process/terminal.ts';
import { Sandboxes, type Launch, launchPlainly } from './sandbox/launch.ts';
import { isSharable, type SharableRequest, sandboxKey, spawnShared } from './process/sharedCommands.ts';

export interface ExecOptions {
  readonly platform?: NodeJS.Platform;
  /**
   * TILLER_HOME. Without it there are no records of commands, so those that a killed Tiller leaves running are not found
   * again; nor is there a sandbox.
   */
  readonly home?: string | undefined;
  /** The sandboxes of `home` if absent. */
  readonly sandboxes?: Sandboxes | undefined;
  /** The folder of another node-pty, used when ours is missing. */
  readonly spareTerminals?: string | undefined;
  /** Starts commands without a terminal as soon as it is ready; before that they are started directly. */
  readonly starter?: Starter | undefined;
}

export function createExec(options: ExecOptions = {}): Exec {
  const { platform = process.platform, home, spareTerminals, starter } = options;
  const sandboxes = options.sandboxes ?? (home === undefined ? undefined : new Sandboxes(home));

  async function run(request: ExecRequest, ready: ReadyStarter | undefined): Promise<ExecProcess> {
    const launch = await launchOf(request, sandboxes, ready?.inheritable);
    const mark = newMark();
    const env = { ...request.env, ...launch.env, ...mark.env };
    const marked = { ...request, argv: [launch.program, ...launch.args] as const, env };
    const isSandboxed = request.confinement.type === 'sandbox';
    const record =
      home === undefined || platform !== 'linux' ? undefined : recordCommand(home, mark.text, { isSandboxed });
    try {
      const child = await startLaunch(launch, () =>
        isForTerminal(marked)
          ? spawnInTerminal(marked, mark.text, platform, spareTerminals)
          : spawnPiped(marked, launch.descriptors, mark.text, { platform, ready }),
      );
      record?.started(child.pid);
      if (isSandboxed) pausableCommands.add(child);
      void child.exited.then(() => record?.ended());
      const isBubblewrapped = isSandboxed && platform === 'linux' && !isForTerminal(marked);
      return isBubblewrapped ? withExitOfMissing(child, request.argv[0]) : child;
    } catch (error) {
      record?.ended();
      throw error;
    }
  }

  async function spawnAlone(request: ExecRequest): Promise<ExecProcess> {
    const ready = request.tty === undefined ? starter?.ready : undefined;
    if (ready === undefined) return run(request, undefined);
    try {
      return await run(request, ready);
    } catch (error) {
      if (error instanceof StarterEnded) return run(request, undefined);
      throw error;
    }
  }

  const sharing =
    sandboxes === undefined || home === undefined || platform !== 'linux'
      ? undefined
      : sharedSandboxes(sandboxes, home, spawnAlone, () => starter?.ready);

  return {
    prepare: () => starter?.prepare(),
    async spawn(request, signal) {
      signal?.throwIfAborted();
      starter?.prepare();
      const starting =
        sharing === undefined || !isSharable(request)
          ? spawnAlone(request)
          : sharing.start(sandboxKey(request), { request, signal });
      return signal === undefined ? starting : unlessAborted(starting, signal);
    },
  };
}

/** Rejects with the reason of the signal as soon as it aborts; a process that starts all the same is ended. */
async function unlessAborted(starting: Promise<ExecProcess>, signal: AbortSignal): Promise<ExecProcess> {
  try {
    return await abortable(starting, signal);
  } catch (error) {
    if (signal.aborted) {
      void starting.then(
        (process) => process.kill(0),
        () => {},
      );
    }
    throw error;
  }
}

interface SharableStart {
  readonly request: SharableRequest;
  readonly signal: AbortSignal | undefined;
}

/**
 * Failures in a row, after which every command is started alone: bash is too old, or the children of a process cannot
 * be listed.
 */
const MOST_FAILURES = 3;

/** Commands that could not be started together are started alone. */
function sharedSandboxes(
  sandboxes: Sandboxes,
  home: string,
  spawnAlone: (request: ExecRequest) => Promise<ExecProcess>,
  starterOf: () => ReadyStarter | undefined,
): StartsTogether<SharableStart, ExecProcess> {
  let failures = 0;
  const startAlone = async ({ request, signal }: SharableStart) => {
    signal?.throwIfAborted();
    return spawnAlone(request);
  };
  return new StartsTogether<SharableStart, ExecProcess>(startAlone, (starts) => {
    if (failures >= MOST_FAILURES) return starts.map(startAlone);
    const requests = starts.map(({ request }) => request);
    const ready = starterOf();
    const launch = (request: SharableRequest) =>
      sandboxes.launch(request, request.confinement.limits, ready?.inheritable);
    const started = spawnShared(requests, home, launch, ready).then(
      (processes) => {
        failures = 0;
        return processes;
      },
      (error: unknown) => {
        if (!isPassing(error)) failures++;
        return undefined;
      },
    );
    return starts.map(async (start, at) => (await started)?.[at] ?? startAlone(start));
  });
}

/**
 * Returns true if a start failed for a reason that may not recur: the starter has ended or did not answer, or these
 * arguments are too long together.
 */
function isPassing(error: unknown): boolean {
  return error instanceof StarterEnded || error instanceof UncertainStart || errorCode(error) === 'E2BIG';
}

async function launchOf(
  request: ExecRequest,
  sandboxes: Sandboxes | undefined,
  inheritable: readonly number[] | undefined,
): Promise<Launch> {
  if (request.confinement.type === 'none') return launchPlainly(request);
  if (sandboxes === undefined) throw new Error('The command was not run: it needs a sandbox, and there is none.');
  return sandboxes.launch(request, request.confinement.limits, inheritable);
}

/** Runs post-run checks before `exited` and `kill` resolve, so listeners receive their result with the exit. */
async function startLaunch(launch: Launch, spawn: () => Promise<ExecProcess>): Promise<ExecProcess> {
  try {
    const child = await spawn();
    await letIn(launch, child);
    const exited = child.exited.then(async (exit) => {
      const findings = await launch.ended();
      const hosts = launch.hosts && { hosts: launch.hosts.report() };
      return findings.length === 0 ? { ...exit, ...hosts } : { ...exit, findings, ...hosts };
    });
    const kill = async (graceMs?: number) => {
      await child.kill(graceMs);
      await exited;
      await launch.settled();
    };
    const { hosts } = launch;
    return { ...child, exited, kill, ...(hosts && { hosts: () => hosts.report() }) };
  } catch (error) {
    await launch.ended();
    throw error;
  } finally {
    launch.started();
  }
}

/** Lets a command start that waits for its proxy. @throws Error with a message for the model; then the command has ended */
async function letIn({ hosts }: Launch, child: ExecProcess): Promise<void> {
  try {
    await hosts?.ready(child.exited);
  } catch (error) {
    await child.kill(0);
    throw error;
  }
}

function isForTerminal(request: ExecRequest): request is Parameters<typeof spawnInTerminal>[0] {
  return request.tty !== undefined;
}

async function spawnPiped(
  request: ExecRequest,
  descriptors: Launch['descriptors'],
  mark: string,
  { platform, ready }: { readonly platform: NodeJS.Platform; readonly ready: ReadyStarter | undefined },
): Promise<ExecProcess> {
  const child = await (ready === undefined
    ? startDirectly(request, descriptors, platform)
    : startByStarter(request, descriptors, mark, ready));
  return pipedProcess(child, request, mark, platform);
}

/** @throws StarterEnded, or Error with a message for the model */
async function startByStarter(
  request: ExecRequest,
  descriptors: Launch['descriptors'],
  mark: string,
  ready: ReadyStarter,
): Promise<StartedChild> {
  try {
    return await ready.start(request, descriptors);
  } catch (error) {
    if (error instanceof StarterEnded) throw error;
    if (!(error instanceof UncertainStart)) throw spawnFailure(error, request);
    await endMarked(mark);
    throw error;
  }
}

/**
 * Starts the process in its own session and process group, so that all of it can be signalled and no terminal is
 * shared.
 */
async function startDirectly(
  { argv: [program, ...args], ...request }: ExecRequest,
  descriptors: Launch['descriptors'],
  platform: NodeJS.Platform,
): Promise<StartedChild> {
  const failed = (error: unknown) => spawnFailure(error, { argv: [program, ...args], ...request });
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: request.cwd,
      env: request.env,
      detached: platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: request.verbatimArguments === true,
      stdio: [request.stdin === 'none' ? 'ignore' : 'pipe', 'pipe', 'pipe', ...descriptors],
    });
  } catch (error) {
    throw failed(error);
  }
  // No pid: spawn failed; the `error` event carries the reason.
  if (child.pid === undefined) throw failed((await once(child, 'error'))[0]);
  child.on('error', () => {});
  return child as ChildProcess & { readonly pid: number };
}
