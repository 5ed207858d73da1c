/** The Exec port: child processes with pipes, or in a terminal. Argv only; no string is ever given to a shell to take apart. */
import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Exec, ExecExit, ExecProcess, ExecRequest } from '../core/ports.ts';
import { recordWhileItRuns } from './process/processRecord.ts';
import { HeldOutput } from './process/heldOutput.ts';
import { endTree, interruptGroup, type TreeRoot } from './process/processTree.ts';
import { spawnFailure } from './process/spawnFailure.ts';
import { spawnInTerminal } from './process/terminal.ts';

/** Inherited by everything a command starts, so that `kill` finds it wherever it went. Added to the environment. */
const MARK = 'TILLER_PROCESS_MARK';
/** How long a surviving child may hold the output pipes open (codex-behaviour.md §4.1). */
const DRAIN_MS = 2_000;
const CONTROL_C = '\u0003';

/** Without `home` (TILLER_HOME) nothing is written down, and what a killed Tiller leaves running is not found again. */
export function createExec(platform: NodeJS.Platform = process.platform, home?: string): Exec {
  return {
    async spawn(request) {
      if (request.confinement.type === 'box') throw new Error('There is no box on this machine.');
      const value = randomUUID();
      const mark = `${MARK}=${value}`;
      const marked = { ...request, env: { ...request.env, [MARK]: value } };
      const child = isForTerminal(marked)
        ? await spawnInTerminal(marked, mark, platform)
        : await spawnPiped(marked, mark, platform);
      if (home !== undefined) recordWhileItRuns(home, child, mark);
      return child;
    },
  };
}

function isForTerminal(request: ExecRequest): request is Parameters<typeof spawnInTerminal>[0] {
  return request.tty !== undefined;
}

async function spawnPiped(request: ExecRequest, mark: string, platform: NodeJS.Platform): Promise<ExecProcess> {
  const child = await start(request, platform);
  const root: TreeRoot = {
    leader: child.pid,
    mark,
    leaderHasEnded: () => child.exitCode !== null || child.signalCode !== null,
    platform,
  };

  const output = new HeldOutput();
  if (child.stdout) output.add('stdout', child.stdout);
  if (child.stderr) output.add('stderr', child.stderr);
  // Writing to a process that no longer reads is no news: its exit is.
  child.stdin?.on('error', () => {});
  const exited = exitOf(child, output);

  return {
    pid: child.pid,
    exited,
    onOutput: (listener) => output.listen(listener),
    /** Without a terminal there is nobody to turn Ctrl-C into an interrupt, so a lone one is turned into it here. */
    write(chars) {
      if (chars === CONTROL_C) interruptGroup(root);
      else if (child.stdin?.writable) child.stdin.write(chars);
    },
    async kill(graceMs = 500) {
      await endTree(root, exited, graceMs);
      await exited;
    },
  };
}

type StartedChild = ChildProcess & { readonly pid: number };

/** Its own session and process group, so that all of it can be signalled at once and no terminal is shared. */
async function start(
  { argv: [program, ...args], ...request }: ExecRequest,
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
      stdio: [request.stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw failed(error);
  }
  // A child without a number was not born; the reason follows as an event.
  if (child.pid === undefined) throw failed((await once(child, 'error'))[0]);
  child.on('error', () => {});
  return child as StartedChild;
}

/** Completion is the end of the process, then of its output; the two seconds only ever pass when a child holds a pipe. */
function exitOf(child: ChildProcess, output: HeldOutput): Promise<ExecExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const exit = { code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], signal };
      const drainTimer = setTimeout(() => {
        output.letGo();
        resolve(exit);
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drainTimer);
        resolve(exit);
      });
      output.resume();
    });
  });
}
