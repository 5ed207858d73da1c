import type { SandboxMechanism } from '../../protocol/policy.ts';
import type { Clock, ExecExit, ExecProcess, HostReport, SandboxFinding } from '../ports.ts';
import { onAbort } from '../util/abort.ts';
import { HeadTailBuffer } from '../util/headTailBuffer.ts';
import { RedactedText, type SecretRedactor } from '../util/secretRedactor.ts';
import type { HeadTail } from '../util/tokens.ts';
import type { OutputLog } from './outputLog.ts';
import { type OutputListener, OutputRelay, type OutputStream } from './outputRelay.ts';

/** The facts about a process that events contain. */
export interface ProcessFacts {
  readonly itemId: string;
  /** The command line as a user would type it. */
  readonly command: string;
  readonly cwd: string;
  readonly box: SandboxMechanism;
  readonly tty: boolean;
}

/**
 * The cause of the end: the process itself, its timeout, an interrupt of the turn, the user, or the closing of its
 * thread.
 */
export type EndedBy = 'itself' | 'timeout' | 'interrupt' | 'user' | 'thread';

export interface ProcessEnd {
  readonly exitCode: number;
  readonly signal: string | null;
  readonly by: EndedBy;
  /** Leftovers of the process, reported to the user and the model. */
  readonly findings: readonly SandboxFinding[];
  /** The hosts that it was refused; absent where none were allowed to it. */
  readonly hosts?: HostReport | undefined;
}

/** The exit code of the `timeout` program (codex-behaviour.md §4.1). */
const TIMED_OUT_EXIT_CODE = 124;
const CONTROL_C = '\u0003';
/** In characters: how much of the taken output is kept. */
const KEPT = 16 * 1024;

/**
 * A process from its start until its end was reported. Collects its output for the model, which reads it in pieces, for
 * the listener, and for the log. Keys that Tiller holds are redacted in all of them.
 */
export class LiveProcess {
  readonly sessionId: number;
  readonly facts: ProcessFacts;
  readonly log: OutputLog;
  /** True when it may use the whole network. */
  readonly network: boolean;
  /** Time in milliseconds after which it is killed; never where `undefined`. */
  readonly timeoutMs: number | undefined;
  /** Resolves when it has ended and all its output was delivered. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ExecProcess;
  readonly #clock: Clock;
  readonly #relay: OutputRelay;
  readonly #redactors: Readonly<Record<OutputStream, RedactedText>>;
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  readonly #startedAt: number;
  #unread = new HeadTailBuffer();
  #taken = '';
  readonly #takenHosts = new Set<string>();
  #end: ProcessEnd | undefined;
  #endedBy: EndedBy = 'itself';
  #durationMs: number | undefined;

  constructor(options: {
    readonly sessionId: number;
    readonly facts: ProcessFacts;
    readonly child: ExecProcess;
    readonly clock: Clock;
    readonly log: OutputLog;
    readonly keys: SecretRedactor;
    readonly network: boolean;
    readonly startedAt: number;
    readonly timeoutMs: number | undefined;
    readonly onOutput: OutputListener;
  }) {
    const { sessionId, facts, child, clock, log, keys, network, startedAt, timeoutMs, onOutput } = options;
    this.sessionId = sessionId;
    this.facts = facts;
    this.log = log;
    this.network = network;
    this.timeoutMs = timeoutMs;
    this.#child = child;
    this.#clock = clock;
    this.#startedAt = startedAt;
    this.#relay = new OutputRelay(clock, onOutput);
    this.#redactors = { stdout: new RedactedText(keys), stderr: new RedactedText(keys) };
    child.onOutput(({ stream, bytes }) => {
      const decoded = this.#decoders[stream].decode(bytes, { stream: true });
      this.#take(this.#redactors[stream].push(decoded), stream);
    });
    const stopTimer = timeoutMs === undefined ? () => {} : clock.after(timeoutMs, () => void this.kill('timeout'));
    this.ended = child.exited.then((exit) => {
      stopTimer();
      return this.#close(exit);
    });
  }

  /** The id of the process in events and ops. */
  get processId(): string {
    return String(this.sessionId);
  }

  /** `undefined` while it runs. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** Milliseconds since its start, or until its end. */
  get durationMs(): number {
    return this.#durationMs ?? this.#clock.monotonic() - this.#startedAt;
  }

  /**
   * Waits for its end, at most `milliseconds`, and no longer when the signal aborts; `undefined` when it still runs
   * then.
   */
  wait(milliseconds: number | undefined, signal: AbortSignal): Promise<ProcessEnd | undefined> {
    if (signal.aborted) return Promise.resolve(this.#end);
    return new Promise((resolve) => {
      const stopTimer = milliseconds === undefined ? () => {} : this.#clock.after(milliseconds, () => settle());
      const stopListening = onAbort(signal, () => settle());
      const settle = () => {
        stopTimer();
        stopListening();
        resolve(this.#end);
      };
      void this.ended.then(settle);
    });
  }

  /** The output since the last call, at most the size of a `HeadTailBuffer`. */
  takeOutput(): HeadTail {
    const output = this.#unread.read();
    this.#unread = new HeadTailBuffer();
    this.#taken = (this.#taken + output.head + output.tail).slice(-KEPT);
    return output;
  }

  /** The hosts that it was refused since the last call; `undefined` where none were allowed to it. */
  takeHosts(): HostReport | undefined {
    const report = this.#end?.hosts ?? this.#child.hosts?.();
    if (report === undefined) return undefined;
    const taken = this.#takenHosts;
    const isNew = (text: string) => !taken.has(text) && taken.add(text) !== undefined;
    return {
      refused: report.refused.filter(isNew),
      misleading: report.misleading.filter(isNew),
      ...(report.problem !== undefined && isNew(report.problem) && { problem: report.problem }),
    };
  }

  /** The end of all output taken so far: a program may print why it fails long before it ends. */
  get takenOutput(): string {
    return this.#taken;
  }

  /** Sends all later output to another listener. */
  redirect(listener: OutputListener): void {
    this.#relay.redirect(listener);
  }

  /**
   * Returns false when the process cannot take the input: it has ended, or it has no terminal. Without a terminal only
   * a lone Ctrl-C is delivered, as an interrupt.
   */
  write(chars: string): boolean {
    if (this.#end !== undefined || (!this.facts.tty && chars !== CONTROL_C)) return false;
    this.#child.write(chars);
    return true;
  }

  /** Has no effect without a terminal. */
  resize(columns: number, rows: number): void {
    if (this.#end === undefined) this.#child.resize(columns, rows);
  }

  /** Kills the process and its descendants. Resolves when it has ended. */
  async kill(by: EndedBy): Promise<void> {
    if (this.#end !== undefined) return;
    if (this.#endedBy === 'itself') this.#endedBy = by;
    await this.#child.kill();
    await this.ended;
  }

  #take(printed: string, stream: OutputStream): void {
    if (printed === '') return;
    // Servers refuse a request that contains a NUL, and editors treat a file with one as binary.
    const text = printed.includes('\0') ? printed.replaceAll('\0', '␀') : printed;
    this.#unread.append(text);
    this.log.append(text);
    this.#relay.push(text, stream);
  }

  #close(exit: ExecExit): ProcessEnd {
    for (const stream of ['stdout', 'stderr'] as const) {
      const redactor = this.#redactors[stream];
      this.#take(redactor.push(this.#decoders[stream].decode()) + redactor.end(), stream);
    }
    this.#relay.flush();
    this.#durationMs = this.#clock.monotonic() - this.#startedAt;
    const by = this.#endedBy;
    this.#end = {
      exitCode: by === 'timeout' ? TIMED_OUT_EXIT_CODE : exit.code,
      signal: exit.signal,
      by,
      findings: exit.findings ?? [],
      ...(exit.hosts && { hosts: exit.hosts }),
    };
    return this.#end;
  }
}
