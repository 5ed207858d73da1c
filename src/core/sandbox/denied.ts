import type { ApprovalPolicy, SandboxMechanism } from '../../protocol/policy.ts';

/** Words of programs that were not let through (codex-behaviour.md §6.3, "Looks denied"). */
const DENIAL =
  /operation not permitted|permission denied|read-only file system|seccomp|sandbox|landlock|failed to write file/i;
/**
 * Words of programs that reached nobody: the C library's, curl's, git's and wget's, node's, Go's, Rust's and Java's. In a
 * box without network no name can be resolved and nobody is reached. A connection that was refused is no such word: a
 * server of the command's own may refuse one.
 */
const UNREACHED =
  /could not resolve (host|proxy|hostname)|temporary failure (in name resolution|resolving)|name or service not known|nodename nor servname provided|unable to resolve host|getaddrinfo|\bEAI_[A-Z]+\b|network is unreachable|\bENETUNREACH\b|failed to lookup address|dial tcp: lookup|unknownhostexception/i;
/** Wrong usage, cannot be executed, not found: with none of those words nobody stood in the way. */
const OTHER_FAILURES = new Set([2, 126, 127]);
/** 128 + SIGSYS: the system call filter ends a program of a foreign ABI. */
const KILLED_BY_FILTER = 159;
const MAX_QUOTE = 200;

/** What has ended in a box, and what it printed. */
export interface SandboxedEnd {
  readonly box: SandboxMechanism;
  /** Whether the box leaves the network open. */
  readonly network: boolean;
  readonly exitCode: number;
  readonly output: string;
}

/**
 * What the box seems to have blocked, in the program's own words; `undefined` when it seems to have failed, or done well,
 * by itself. A guess from words, as good as programs are at saying why they fail.
 */
export function deniedBy({ box, network, exitCode, output }: SandboxedEnd): string | undefined {
  if ((box !== 'bubblewrap' && box !== 'seatbelt') || exitCode === 0) return undefined;
  const lines = output.split('\n');
  const denied = lines.find((one) => DENIAL.test(one));
  if (denied !== undefined) return shortened(denied.trim());
  const unreached = network ? undefined : lines.find((one) => UNREACHED.test(one));
  if (unreached !== undefined) return `${shortened(unreached.trim())} (there is no network in the sandbox)`;
  if (OTHER_FAILURES.has(exitCode)) return undefined;
  return exitCode === KILLED_BY_FILTER ? 'a system call that is not allowed there' : undefined;
}

/** Where a command was when it was blocked: its call still waited for it, or it had gone on by itself. */
export type BlockedAt = 'its call' | 'the background';

/** What the model is told beside the output: that it was not its command's fault, and what it may do about it. */
export function blockedNote(blocked: string, approvalPolicy: ApprovalPolicy, at: BlockedAt): string {
  const advice = blockedAdvice(approvalPolicy, at);
  return [`The sandbox seems to have blocked this: ${blocked}`, ...(advice === undefined ? [] : [advice])].join('\n');
}

function blockedAdvice(approvalPolicy: ApprovalPolicy, at: BlockedAt): string | undefined {
  switch (approvalPolicy) {
    case 'on-request':
      return 'If the task needs it, call again with sandbox_permissions "require_escalated" and a justification.';
    case 'never':
      return 'Nobody will be asked to allow it; find a way within the sandbox.';
    case 'untrusted':
    case 'on-failure':
      // While its call waits the person is asked at once.
      if (at === 'its call') return undefined;
      return 'If the task needs it, run it again and wait for its end (yield_time_ms): the user is asked to let it run outside when it is blocked while its call waits.';
  }
}

function shortened(line: string): string {
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line;
}
