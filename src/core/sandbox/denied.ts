import type { ApprovalPolicy, SandboxMechanism } from '../../protocol/policy.ts';

/** Messages of programs that were denied something (codex-behaviour.md §6.3, "Looks denied"). */
const DENIAL =
  /operation not permitted|permission denied|read-only file system|seccomp|sandbox|landlock|failed to write file/i;
/**
 * Messages of programs that could not reach a server: of the C library, curl, git and wget, node, Go, Rust and Java. In
 * a sandbox without network no name can be resolved and no server reached. A refused connection is not among them: the
 * command's own server may refuse one.
 */
const UNREACHED =
  /could not resolve (host|proxy|hostname)|temporary failure (in name resolution|resolving)|name or service not known|nodename nor servname provided|unable to resolve host|getaddrinfo|\bEAI_[A-Z]+\b|network is unreachable|\bENETUNREACH\b|failed to lookup address|dial tcp: lookup|unknownhostexception/i;
/** Wrong usage, not executable, not found: without one of the messages above, these are not failures of the sandbox. */
const OTHER_FAILURES = new Set([2, 126, 127]);
/** 128 + SIGSYS: the system call filter kills a program of a foreign ABI. */
const KILLED_BY_FILTER = 159;
const MAX_QUOTE = 200;

/** A process that has ended in a sandbox, and its output. */
export interface SandboxedEnd {
  readonly box: SandboxMechanism;
  /** True when the sandbox allows the network. */
  readonly network: boolean;
  readonly exitCode: number;
  readonly output: string;
}

/**
 * Returns the access that the sandbox seems to have blocked, as the program printed it; `undefined` when the sandbox
 * does not seem to be the cause. A guess from messages, as reliable as the messages of programs are.
 */
export function deniedBy({ box, network, exitCode, output }: SandboxedEnd): string | undefined {
  if ((box !== 'bubblewrap' && box !== 'seatbelt') || exitCode === 0) return undefined;
  const lines = output.split('\n');
  const denied = lines.find((line) => DENIAL.test(line));
  if (denied !== undefined) return shortened(denied.trim());
  const unreached = network ? undefined : lines.find((line) => UNREACHED.test(line));
  if (unreached !== undefined) return `${shortened(unreached.trim())} (there is no network in the sandbox)`;
  if (OTHER_FAILURES.has(exitCode)) return undefined;
  return exitCode === KILLED_BY_FILTER ? 'a system call that is not allowed there' : undefined;
}

/** When a command was blocked: while its call waited for it, or in the background. */
export type BlockedAt = 'its call' | 'the background';

/** The note to the model besides the output: the sandbox is the cause, and the ways to continue. */
export function blockedNote(blocked: string, approvalPolicy: ApprovalPolicy, at: BlockedAt): string {
  const advice = blockedAdvice(approvalPolicy, at);
  return [`The sandbox seems to have blocked this: ${blocked}`, ...(advice === undefined ? [] : [advice])].join('\n');
}

function blockedAdvice(approvalPolicy: ApprovalPolicy, at: BlockedAt): string | undefined {
  switch (approvalPolicy) {
    case 'on-request':
      return 'If the task needs it, call again with sandbox_permissions "require_escalated" and a justification.';
    case 'never':
      return 'The user is not asked to allow it; find a way within the sandbox.';
    case 'untrusted':
    case 'on-failure':
      // The user is asked at once while the call waits.
      if (at === 'its call') return undefined;
      return 'If the task needs it, run it again and wait for its end (yield_time_ms): the user is asked to let it run outside when it is blocked while its call waits.';
  }
}

function shortened(line: string): string {
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line;
}
