/**
 * Commands that only read and start together share one sandbox: building one takes several times as long as such a
 * command (docs/decisions/0059).
 */
import type { ExecProcess, ExecRequest, SandboxFinding, SandboxLimits } from '../../core/ports.ts';
import { findBash } from '../host/ownPrograms.ts';
import { pausableCommands } from './pausing.ts';
import { pipedProcess } from './pipedProcess.ts';
import { newMark } from './processMark.ts';
import { recordCommand } from './processRecord.ts';
import { endMarked } from './processTree.ts';
import { sharedArguments } from './sharedScript.ts';
import { NotShared, type SharedStart, startShared } from './sharedStart.ts';
import { type ReadyStarter, UncertainStart } from './starter.ts';
import type { StarterChild } from './starterChild.ts';

/** A request with the sandbox that it would have alone. */
export interface SharableRequest extends ExecRequest {
  readonly confinement: { readonly type: 'sandbox'; readonly limits: SandboxLimits };
}

/** A sandbox with its first program, ready to be started (sandbox/launch.ts). */
export interface SandboxToStart extends Pick<SharedStart, 'program' | 'args' | 'descriptors' | 'env'> {
  started(): void;
  ended(): Promise<readonly SandboxFinding[]>;
}

/** Returns true if the command can write nothing but temporary files, and needs no input. */
export function isSharable(request: ExecRequest): request is SharableRequest {
  const { confinement, onlyReads, stdin, tty } = request;
  return (
    onlyReads === true &&
    stdin === 'none' &&
    tty === undefined &&
    confinement.type === 'sandbox' &&
    confinement.limits.writableRoots.length === 0
  );
}

/** Requests with the same one would have the same sandbox, folder and environment. */
export function sandboxKey({ confinement, cwd, env }: SharableRequest): string {
  return JSON.stringify([confinement, cwd, env]);
}

/**
 * `ready` starts the sandbox; this process does where it is absent. The processes are in the order of the requests, all
 * of which have the same key. Each is followed and ended by itself; the sandbox is recorded and paused as one, because
 * it ends with this process as a whole. @throws Error: no command runs, and each can be started alone
 */
export async function spawnShared(
  requests: readonly SharableRequest[],
  home: string,
  launch: (request: SharableRequest) => Promise<SandboxToStart>,
  ready: ReadyStarter | undefined,
): Promise<readonly ExecProcess[]> {
  const [bash, first] = [findBash(), requests[0]];
  if (bash === undefined || first === undefined) throw new NotShared();
  const { cwd, env } = first;
  const marks = requests.map(() => newMark().text);
  const commands = requests.map(({ argv, onlyProgram }, at) => ({ argv, onlyProgram, mark: marks[at] ?? '' }));
  const argv = [bash, ...sharedArguments(commands)] as const;
  const sandbox = await launch({ ...first, argv });
  const own = newMark();
  const record = recordCommand(home, own.text, { isSandboxed: true });
  try {
    const { program, args, descriptors } = sandbox;
    const started = await startShared(
      {
        ...{ program, args, cwd, descriptors, count: requests.length },
        env: { ...env, ...sandbox.env, ...own.env },
      },
      ready,
      ({ pid, ended }) => {
        record.started(pid);
        pausableCommands.add({ pid, exited: ended });
        void ended.then(() => record.ended());
      },
    );
    const processes = started.commands.map((child, at) =>
      pipedProcess(child, { stdin: 'none' }, marks[at] ?? '', 'linux'),
    );
    return withChecks(processes, sandbox, endOfAll(started.commands));
  } catch (error) {
    if (error instanceof UncertainStart) await endMarked(own.text);
    record.ended();
    await sandbox.ended();
    throw error;
  } finally {
    sandbox.started();
  }
}

/** Resolves when the last command has ended; its output may still have to be read. */
async function endOfAll(commands: readonly StarterChild[]): Promise<void> {
  await Promise.all(commands.map((command) => new Promise((resolve) => command.once('exit', resolve))));
}

/** The last one to end has the findings, which are known when no process runs in the sandbox any more. */
function withChecks(
  processes: readonly ExecProcess[],
  sandbox: SandboxToStart,
  end: Promise<void>,
): readonly ExecProcess[] {
  const checked = end.then(() => sandbox.ended());
  let running = processes.length;
  return processes.map((process) => {
    const exited = process.exited.then(async (exit) => {
      if (--running > 0) return exit;
      const findings = await checked;
      return findings.length === 0 ? exit : { ...exit, findings };
    });
    const kill = async (graceMs?: number) => {
      await process.kill(graceMs);
      await exited;
    };
    return { ...process, exited, kill };
  });
}
