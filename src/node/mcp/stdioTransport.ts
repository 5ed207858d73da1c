import { existsSync } from 'node:fs';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Clock, Exec, ExecExit, ExecProcess, ExecRequest } from '../../core/ports.ts';
import { hostNotes } from '../../core/policy/hosts.ts';
import { settledWithin } from '../../core/util/abort.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { excessOf, parseJson } from '../../core/util/json.ts';
import { withoutByteOrderMark } from '../../core/util/textBytes.ts';
import { FloodGuard } from './floodGuard.ts';
import { LineReader, LogReader } from './lineReader.ts';
import { MAX_MESSAGE_BYTES } from './limits.ts';
import { readableResponse } from './protocolFaults.ts';
import { mostTelling } from './mostTelling.ts';

/** Time for a server to end by itself at the end of its input, in milliseconds. */
const END_OF_INPUT_MS = 500;
/** In characters; a longer line of a log is cut into several. */
const MAX_LOG_LINE = 8 * 1024;
/** Lines of the log that are kept for the sentence about its end: more than the stack trace of most crashes. */
const LOG_LINES_KEPT = 40;

export interface StdioOptions {
  readonly exec: Exec;
  readonly request: ExecRequest;
  readonly log: (line: string) => void;
  readonly clock: Clock;
}

/**
 * The stdio transport on a process of the Exec port, which the SDK's own cannot start in a sandbox: one JSON message in a
 * line. Standard error is the log of the server.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  readonly #flood: FloodGuard;
  #child: ExecProcess | undefined;
  /** The last lines of its log, each shortened. */
  readonly #lastLogged: string[] = [];
  /** The reason why Tiller has ended the process. */
  #fault: string | undefined;
  #exit: ExecExit | undefined;
  readonly #closing = new AbortController();

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#flood = new FloodGuard(() => options.clock.monotonic());
  }

  /** @throws Error when the process cannot be started */
  async start(): Promise<void> {
    const { exec, request } = this.#options;
    const child = await exec.spawn(request, this.#closing.signal).catch((error: unknown) => {
      this.#fault = whyNotStarted(request, error);
      throw error;
    });
    this.#child = child;
    const output = new LineReader(MAX_MESSAGE_BYTES);
    const errors = new LogReader(MAX_LOG_LINE);
    child.onOutput(({ stream, bytes }) => {
      if (this.#fault !== undefined) return;
      if (stream === 'stderr') return this.#takeLog(errors.read(bytes));
      try {
        for (const line of output.read(bytes)) this.#take(line);
      } catch (error) {
        this.#fail(error instanceof RangeError ? `It sent ${error.message}.` : messageOf(error));
      }
    });
    void child.exited.then((exit) => {
      this.#exit = exit;
      this.#takeLog(errors.rest());
      for (const { message } of exit.findings ?? []) this.#options.log(message);
      for (const note of hostNotes(exit.hosts)) this.#options.log(note);
      setImmediate(() => this.onclose?.());
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#child === undefined || this.#exit) throw new Error(this.endedWhy);
    this.#child.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the input of the server, and then the server, as the protocol has it ("Shutdown"). */
  async close(): Promise<void> {
    this.#closing.abort(new Error('It was stopped.'));
    const child = this.#child;
    if (child === undefined) return;
    child.endInput?.();
    await settledWithin(child.exited, END_OF_INPUT_MS, this.#options.clock);
    await child.kill();
  }

  /** The end of the process, in one sentence. */
  get endedWhy(): string {
    if (this.#fault !== undefined) return this.#fault;
    if (this.#closing.signal.aborted) return 'It was stopped.';
    const { code, signal } = { code: null, signal: null, ...this.#exit };
    const how = signal === null ? `It ended with exit code ${code}.` : `It was ended by ${signal}.`;
    const printed = mostTelling(this.#lastLogged);
    return printed === '' ? how : `${how} It printed: ${printed}`;
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const excess = excessOf(line);
    // The answer of a call would be missing without a word.
    if (excess !== undefined) return this.#fail(`It sent a message that ${excess}.`);
    const message = parseJson(withoutByteOrderMark(line));
    if (typeof message !== 'object' || message === null || !('jsonrpc' in message)) {
      this.#options.log(`Not a message of the protocol: ${line.slice(0, 200)}`);
      return;
    }
    if (this.#flood.isFlooded(message)) return this.#fail('It sent too many messages that nothing had asked for.');
    const deliver = () => this.onmessage?.(readableResponse({ ...message }) as JSONRPCMessage);
    // The SDK handles notifications a moment later: one that preceded a response must not arrive after it.
    if ('result' in message || 'error' in message) setImmediate(deliver);
    else deliver();
  }

  #takeLog(lines: readonly string[]): void {
    for (const line of lines) {
      this.#lastLogged.push(line.slice(0, 300));
      if (this.#lastLogged.length > LOG_LINES_KEPT) this.#lastLogged.shift();
      this.#options.log(line);
    }
  }

  #fail(reason: string): void {
    this.#fault ??= reason;
    void this.#child?.kill(0);
  }
}

/** The sentence about a start that failed. The system reports a missing folder like a missing program. */
function whyNotStarted({ cwd }: ExecRequest, error: unknown): string {
  return existsSync(cwd) ? messageOf(error) : `Its working directory ${cwd} does not exist.`;
}
