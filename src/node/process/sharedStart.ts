/** Starts commands that share a sandbox, and follows each as if it were a child of this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Descriptor } from '../host/inheritable.ts';
import { readProcFile } from '../host/procFiles.ts';
import { parseReport, type SharedReport } from './sharedScript.ts';
import type { ReadyStarter } from './starter.ts';
import { StarterChild } from './starterChild.ts';
import { lineSplitter } from './starterMessages.ts';

/** A machine that takes longer starts the commands one by one. */
const STARTS_WITHIN_MS = 5_000;
const FIRST_DESCRIPTOR = 3;
/** Fewer where bash opens them (sandbox/launch.ts). */
const DESCRIPTORS_OF_SANDBOX = 2;

/** The commands could not be started, or not followed: they were ended. */
export class NotShared extends Error {}

export interface SharedStart {
  readonly program: string;
  /** The number of the descriptor for reports is appended (sharedScript.ts). */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** As 3, 4, …; those for the commands follow. */
  readonly descriptors: readonly Descriptor[];
  /** The number of commands. */
  readonly count: number;
}

export interface SharedStarted {
  /** The process outside of the sandbox, the ancestor of all commands. */
  readonly pid: number;
  /** Resolves when that process has ended. */
  readonly ended: Promise<unknown>;
  /** In the order of the arguments. Their pids are those outside of the sandbox. */
  readonly commands: readonly StarterChild[];
}

/**
 * `ready` starts it; otherwise this process does. `onPid` is called as soon as its process runs, before the commands do.
 * @throws NotShared, UncertainStart, StarterEnded
 */
export async function startShared(
  start: SharedStart,
  ready: ReadyStarter | undefined,
  onPid: (started: Pick<SharedStarted, 'pid' | 'ended'>) => void,
): Promise<SharedStarted> {
  if (start.descriptors.length < DESCRIPTORS_OF_SANDBOX) throw new NotShared();
  const whole = await (ready === undefined ? startDirectly(start) : startBy(ready, start));
  const { pid, ended, streams } = whole;
  const [reports, ...outputs] = streams;
  try {
    onPid({ pid, ended });
    if (reports === undefined) throw new NotShared();
    return { pid, ended, commands: await followCommands(pid, reports, outputs) };
  } catch (error) {
    whole.kill();
    for (const stream of streams) stream.destroy();
    await ended;
    throw error;
  }
}

interface Started extends Pick<SharedStarted, 'pid' | 'ended'> {
  /** One for reports, and two for each command. */
  readonly streams: readonly Socket[];
  kill(): void;
}

async function startDirectly(start: SharedStart): Promise<Started> {
  const { cwd, env, descriptors } = start;
  const [program, ...args] = argvOf(start);
  const streams = Array<'pipe'>(streamsIn(start)).fill('pipe');
  const child = spawn(program, args, {
    ...{ cwd, env, detached: true },
    stdio: ['ignore', 'ignore', 'ignore', ...descriptors, ...streams],
  });
  if (child.pid === undefined) throw new NotShared('', { cause: (await once(child, 'error'))[0] });
  child.on('error', () => {});
  return {
    pid: child.pid,
    ended: new Promise((resolve) => child.once('exit', resolve)),
    streams: child.stdio.slice(firstOf(start)) as Socket[],
    kill: () => child.kill('SIGKILL'),
  };
}

async function startBy(ready: ReadyStarter, start: SharedStart): Promise<Started> {
  const { cwd, env, descriptors } = start;
  const child = await ready.start({ argv: argvOf(start), cwd, env, stdin: 'none' }, descriptors, streamsIn(start));
  // Errors of bubblewrap itself.
  for (const stream of [child.stdout, child.stderr]) stream?.on('error', () => {}).resume();
  return {
    pid: child.pid,
    ended: new Promise<void>((resolve) => child.once('exit', () => resolve())),
    streams: child.more,
    kill: () => child.kill(),
  };
}

function argvOf(start: SharedStart): [string, ...string[]] {
  return [start.program, ...start.args, String(firstOf(start))];
}

function firstOf({ descriptors }: SharedStart): number {
  return FIRST_DESCRIPTOR + descriptors.length;
}

function streamsIn({ count }: SharedStart): number {
  return 1 + 2 * count;
}

/** Resolves when all commands are started. `outputs`: two for each command. */
function followCommands(pid: number, reports: Socket, outputs: readonly Socket[]): Promise<readonly StarterChild[]> {
  return new Promise((resolve, reject) => {
    const commands: StarterChild[] = [];
    const pidOutside = pidsOutside(pid);
    const fail = () => reject(new NotShared());
    const timer = setTimeout(fail, STARTS_WITHIN_MS);
    const take = (report: SharedReport) => {
      if (report.type === 'ended') return commands[report.index]?.exited(report.code, null);
      const outside = pidOutside(report.pid);
      const stdout = outputs[2 * commands.length];
      if (outside === undefined || stdout === undefined) return fail();
      commands.push(new StarterChild(outside));
      // It waited until here, so that its pid could not become that of another process.
      stdout.write('\n');
      if (2 * commands.length < outputs.length) return;
      clearTimeout(timer);
      for (const [index, command] of commands.entries()) command.connected(streamsOf(outputs, index));
      resolve(commands);
    };
    const split = lineSplitter((line) => {
      const report = parseReport(line);
      if (report !== undefined) take(report);
    });
    reports.setEncoding('utf8').on('data', split);
    for (const stream of [reports, ...outputs]) stream.on('error', () => {});
    // The script has ended, and all other processes of the sandbox with it.
    reports.once('close', () => {
      clearTimeout(timer);
      fail();
      for (const command of commands) command.exited(null, 'SIGKILL');
    });
  });
}

function streamsOf(outputs: readonly Socket[], index: number): ReadonlyMap<'stdout' | 'stderr', Socket> {
  const [stdout, stderr] = outputs.slice(2 * index);
  return new Map([...(stdout ? [['stdout', stdout] as const] : []), ...(stderr ? [['stderr', stderr] as const] : [])]);
}

/**
 * Finds the pid of a command by the one inside of the sandbox. Its parent is the script, the only child of the first
 * process inside, which is the only child of bubblewrap.
 */
function pidsOutside(bubblewrap: number): (inside: number) => number | undefined {
  let scripts: readonly number[] = [];
  const insideOf = new Map<number, number>();
  const find = (inside: number) => [...insideOf.keys()].find((pid) => insideOf.get(pid) === inside);
  return (inside) => {
    if (scripts.length === 0) scripts = childrenOf(bubblewrap).flatMap(childrenOf);
    // Reports come in groups, and each look takes tens of microseconds.
    const known = find(inside);
    if (known !== undefined) return known;
    for (const pid of scripts.flatMap(childrenOf)) if (!insideOf.has(pid)) insideOf.set(pid, pidInside(pid));
    return find(inside);
  };
}

function childrenOf(pid: number): readonly number[] {
  return (readProcFile(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number);
}

function pidInside(pid: number): number {
  return Number(/^NSpid:.*\t(\d+)$/m.exec(readProcFile(`/proc/${pid}/status`) ?? '')?.[1]);
}
