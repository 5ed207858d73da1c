/** A command with pipes: its output, its end, and the end of all its descendants. */
import { constants } from 'node:os';
import type { ExecExit, ExecProcess, ExecRequest } from '../../core/ports.ts';
import { HeldOutput } from './heldOutput.ts';
import { endTree, interruptGroup, type TreeRoot } from './processTree.ts';
import type { StartedChild } from './starterChild.ts';

/** Maximum time that a surviving child may hold the output pipes open (codex-behaviour.md §4.1). */
const DRAIN_MS = 2_000;
const CONTROL_C = '\u0003';

/** `mark`: `NAME=value` in its environment, unique to it. Call in the turn of the event loop in which it was started. */
export function pipedProcess(
  child: StartedChild,
  { stdin }: Pick<ExecRequest, 'stdin'>,
  mark: string,
  platform: NodeJS.Platform,
): ExecProcess {
  const root: TreeRoot = {
    leader: child.pid,
    mark,
    leaderHasEnded: () => child.exitCode !== null || child.signalCode !== null || child.isReplaced?.() === true,
    platform,
  };

  const output = new HeldOutput();
  if (child.stdout) output.add('stdout', child.stdout);
  if (child.stderr) output.add('stderr', child.stderr);
  // A failed write to a process that no longer reads needs no report: its exit follows.
  child.stdin?.on('error', () => {});
  if (typeof stdin === 'object') child.stdin?.end(stdin.text);
  const exited = exitOf(child, output);

  return {
    pid: child.pid,
    exited,
    onOutput: (listener) => output.listen(listener),
    /** Turns a lone Ctrl-C into an interrupt, as the driver of a terminal would. */
    write(chars) {
      if (chars === CONTROL_C) interruptGroup(root);
      else if (child.stdin?.writable) child.stdin.write(chars);
    },
    endInput: () => void child.stdin?.end(),
    resize() {},
    async kill(graceMs = 500) {
      await endTree(root, exited, graceMs);
      await exited;
    },
  };
}

/** Resolves after the end of the process and then of its output; a child that holds a pipe delays it by up to two seconds. */
function exitOf(child: StartedChild, output: HeldOutput): Promise<ExecExit> {
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
