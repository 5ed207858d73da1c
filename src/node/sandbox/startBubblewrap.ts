/** Turns the arguments of bubblewrap into the program to start: itself, or bash that executes it. */
import { closeSync, openSync } from 'node:fs';
import type { ExecRequest } from '../../core/ports.ts';
import { hostNetworkArguments } from '../../core/sandbox/bubblewrap.ts';
import { type Descriptor, emptyDescriptor, inheritableDescriptors } from '../host/inheritable.ts';
import { findBash } from '../host/ownPrograms.ts';
import type { Gate } from './hostBridge.ts';
import type { SandboxLife } from './sandboxLife.ts';

/** A program with its descriptors. */
export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  /** Pass them as 3, 4, … without gaps; empty with a terminal, where none can be passed. */
  readonly descriptors: readonly Descriptor[];
  /** Call when the program was started or failed to start: closes our copies of the descriptors. */
  started(): void;
}

/** Programs have no descriptors above it in practice, and the list of descriptors to pass would grow long. */
const LAST_DESCRIPTOR = 1_023;

/** The files and descriptors that bubblewrap gets beside its arguments. */
export interface Handover {
  /** The file of the system call filter. */
  readonly filter: string;
  readonly life: SandboxLife;
  readonly tty: boolean;
  readonly inheritable: readonly number[] | undefined;
  /** The command waits at it, in a network of its own that Tiller listens in. */
  readonly gate: Gate | undefined;
}

/** The numbers of the descriptors for bubblewrap. */
const FILTER = 3;
const INFO = 4;
const GATE = 5;

/**
 * Passes filter and info as descriptors where there are pipes. Descriptors that would be inherited by accident are
 * replaced by an empty file, given to bubblewrap as a source of further arguments: it reads none, and closes it. With a
 * terminal, or at a gate, no descriptors are passed: then bash opens and closes them before it executes bubblewrap.
 */
export function startBubblewrap(program: string, args: readonly string[], handover: Handover): ProgramStart {
  const handed = ['--seccomp', String(FILTER), '--info-fd', String(INFO)];
  const leaks = (handover.inheritable ?? inheritableDescriptors()).filter(
    (descriptor) => descriptor !== FILTER && descriptor !== INFO,
  );
  if (handover.gate !== undefined) {
    return startAtGate(program, [...handed, '--block-fd', String(GATE), ...args], handover, handover.gate, leaks);
  }
  if (handover.tty || leaks.some((descriptor) => descriptor > LAST_DESCRIPTOR)) {
    return startByBash([program, ...handed, ...args], handover, leaks);
  }
  const filter = openSync(handover.filter, 'r');
  const descriptors: Descriptor[] = [filter, handover.life.descriptor];
  for (let descriptor = INFO + 1; descriptor <= Math.max(INFO, ...leaks); descriptor++) {
    descriptors.push(leaks.includes(descriptor) ? emptyDescriptor() : 'ignore');
  }
  return {
    program,
    args: [...leaks.flatMap((descriptor) => ['--args', String(descriptor)]), ...handed, ...args],
    descriptors,
    started: () => closeSync(filter),
  };
}

/** Starts bubblewrap inside of another one that makes the network. */
function startAtGate(
  program: string,
  args: readonly string[],
  handover: Handover,
  { mkfifo, pipe }: Gate,
  leaks: readonly number[],
): ProgramStart {
  const command = [program, ...hostNetworkArguments(), '--', program, ...args];
  // Opened for both directions, because opening one end would wait for the other.
  const open = { script: `"$1" -m 600 "$2" || exit; exec ${GATE}<>"$2"; shift 2; `, args: [mkfifo, pipe] };
  return startByBash(
    command,
    handover,
    leaks.filter((descriptor) => descriptor !== GATE),
    open,
  );
}

function startByBash(
  command: readonly string[],
  { filter, life, tty }: Handover,
  leaks: readonly number[],
  first: { readonly script: string; readonly args: readonly string[] } = { script: '', args: [] },
): ProgramStart {
  const closed = leaks.map((descriptor) => ` ${descriptor}<&-`);
  const ignoreSignals = tty ? 'trap "" INT QUIT; ' : '';
  const opened = `exec ${FILTER}<"$1" ${INFO}<>"$2"${closed.join('')}; shift 2; exec "$@"`;
  return {
    program: requireBash(),
    args: [
      ...bashRunning(`${ignoreSignals}${first.script}${opened}`),
      ...first.args,
      ...[filter, `/proc/${process.pid}/fd/${life.descriptor}`],
      ...command,
    ],
    descriptors: [],
    started: () => {},
  };
}

/**
 * Ctrl-C on a terminal goes to all processes in the foreground, and would end bubblewrap with all its processes. So
 * bubblewrap is started with the signals ignored, and `env` (coreutils 8.31 or later) resets them inside the sandbox
 * where it can.
 */
export function interruptible(argv: ExecRequest['argv']): readonly string[] {
  const withDefaultSignals = 'env --default-signal=INT,QUIT';
  const script = `if ${withDefaultSignals} true 2>/dev/null; then exec ${withDefaultSignals} "$@"; fi; exec "$@"`;
  return [requireBash(), ...bashRunning(script), ...argv];
}

/** Returns the argv of bash without startup files of the user, or functions in the environment. */
function bashRunning(script: string): readonly string[] {
  return ['--noprofile', '--norc', '-p', '-c', script, 'tiller-box'];
}

function requireBash(): string {
  const bash = findBash();
  if (bash === undefined)
    throw new Error('The command was not run: a sandbox with a terminal, or with allowed hosts, needs bash.');
  return bash;
}
