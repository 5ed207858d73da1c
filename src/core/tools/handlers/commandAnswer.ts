/** Formats the outcome of a command for the model, in Codex's two shapes (codex-behaviour.md §4.1). */
import type { LiveProcess } from '../../exec/liveProcess.ts';
import type { Ids } from '../../ports.ts';
import { deniedBy } from '../../sandbox/denied.ts';
import { hostNotes } from '../../policy/hosts.ts';
import { hostsNamedIn } from '../../sandbox/hostsNamed.ts';
import { byteLength, type HeadTail, tokensOfBytes, truncateMiddle } from '../../util/tokens.ts';

/** Tokens the model gets of one command's output unless it asks for less (codex-behaviour.md §5). */
export const MAX_OUTPUT_TOKENS = 10_000;

/** The state of a process at one time, running or ended. */
export interface Answer {
  readonly process: LiveProcess;
  /** Duration of this call, in milliseconds. */
  readonly durationMs: number;
  /** The output since the last answer. */
  readonly output: CutOutput;
  /** Further notes for the model. */
  readonly notes: readonly string[];
}

/**
 * Returns the access that the sandbox seems to have blocked, if the process has ended by itself; `output` is the whole
 * output, or the end of it.
 */
export function blockedIn({ end, facts: { box }, network }: LiveProcess, output: string): string | undefined {
  return end?.by === 'itself' ? deniedBy({ box, network, exitCode: end.exitCode, output }) : undefined;
}

/**
 * Returns the hosts that a process was refused and that it may need: it has failed. Where no host was allowed to it,
 * and so no proxy asked, those that its messages name.
 */
export function wantedHosts({ end, facts: { box }, network }: LiveProcess, output: string): readonly string[] {
  if (end?.by !== 'itself' || end.exitCode === 0 || network || (box !== 'bubblewrap' && box !== 'seatbelt')) return [];
  return end.hosts === undefined ? hostsNamedIn(output) : end.hosts.refused;
}

interface CutOutput {
  /** Cut to the budget. */
  readonly text: string;
  readonly isCut: boolean;
  /** Bytes of the whole output. */
  readonly bytes: number;
}

/** Cuts the middle out of an output of more tokens than the call and Tiller allow. `bytes`: of the whole output. */
export function cutOutput(output: HeadTail, maxOutputTokens: number): CutOutput {
  const { head, tail, omittedBytes } = output;
  const text = truncateMiddle(output, Math.min(maxOutputTokens, MAX_OUTPUT_TOKENS));
  const bytes = byteLength(head) + byteLength(tail) + omittedBytes;
  return { text, isCut: omittedBytes > 0 || text !== head + tail, bytes };
}

/** The shape of `exec_command`, with the id of a process that still runs. */
export function execAnswer(answer: Answer, ids: Ids): string {
  const { process, durationMs, output, notes } = answer;
  const { end, sessionId } = process;
  return [
    `Chunk ID: ${chunkId(ids)}`,
    `Wall time: ${(durationMs / 1000).toFixed(4)} seconds`,
    end ? `Process exited with code ${end.exitCode}` : `Process running with session ID ${sessionId}`,
    `Original token count: ${tokensOfBytes(output.bytes)}`,
    ...foundBy(process),
    ...notes,
    `Output:\n${endedWhy(process)}${output.text}`,
  ].join('\n');
}

/** The shape of `shell`, for a command that has ended. */
export function shellAnswer({ process, durationMs, output, notes }: Answer): string {
  return [
    `Exit code: ${process.end?.exitCode}`,
    `Wall time: ${(durationMs / 1000).toFixed(1)} seconds`,
    ...foundBy(process),
    ...notes,
    `Output:\n${endedWhy(process)}${output.text}`,
  ].join('\n');
}

/** Returns the output in an answer of `execAnswer` or `shellAnswer`, without the lines about the process. */
export function printedIn(answer: string): string {
  return /^(?:Chunk ID|Exit code): .*?\nOutput:\n(.*)$/s.exec(answer)?.[1] ?? answer;
}

function foundBy(process: LiveProcess): string[] {
  const findings = (process.end?.findings ?? []).map(({ kind, message }) =>
    kind === 'quarantined' ? `${message} The user can restore it.` : message,
  );
  return [...findings, ...hostNotes(process.takeHosts())];
}

function endedWhy({ end, timeoutMs }: LiveProcess): string {
  switch (end?.by) {
    case 'timeout':
      return `command timed out after ${timeoutMs} milliseconds and was killed\n`;
    case 'user':
      return 'The user killed this command.\n';
    default:
      return '';
  }
}

function chunkId(ids: Ids): string {
  return Math.floor(ids.random() * 0x1_00_00_00)
    .toString(16)
    .padStart(6, '0');
}
