import type { Event, EventMsgOf } from '../protocol/event.ts';
import type { Streams } from './streams.ts';
import { JsonLines, printSentence, printText } from './print.ts';
import { APPROVAL_REMEDY, endLines, startLine, unansweredLine } from './progress.ts';
import { EXIT } from './usage.ts';

/**
 * Reports progress: events or the last message on stdout, errors, retries and, on a terminal, steps on stderr
 * (docs/cli.md).
 */
export class Report {
  readonly #json: boolean;
  readonly #streams: Streams;
  readonly #lines: JsonLines;
  readonly #requests = new Map<string, EventMsgOf<'approval_requested'>>();
  #hasUnanswered = false;
  #lastMessage: string | null = null;
  #lastTurn: 'none' | 'completed' | 'failed' | 'interrupted' = 'none';

  readonly #remedyOf: (error: EventMsgOf<'error'>) => string | undefined;

  /** `remedyOf` returns a sentence to print after an error. */
  constructor(json: boolean, streams: Streams, remedyOf: (error: EventMsgOf<'error'>) => string | undefined) {
    this.#json = json;
    this.#streams = streams;
    this.#remedyOf = remedyOf;
    this.#lines = new JsonLines(streams.stdout);
  }

  /** Reports an event. `rootId`: the thread whose turns are the result; other threads are its sub-agents. */
  tell(event: Event, rootId: string): void {
    if (this.#json) this.#lines.write(event);
    if (event.threadId === rootId) this.#tellRoot(event);
    else this.#tellAgent(event);
    if (!this.#json) this.#tellSteps(event, rootId);
  }

  /** A reader of the events needs none of these lines. */
  #tellSteps({ threadId, msg }: Event, rootId: string): void {
    if (threadId !== rootId) return;
    switch (msg.type) {
      case 'item_started':
        return this.#step(startLine(msg.item));
      case 'item_completed':
        for (const line of endLines(msg.item)) this.#step(line);
        return;
      case 'approval_requested':
        this.#requests.set(msg.approvalId, msg);
        return;
      case 'approval_resolved': {
        const request = this.#requests.get(msg.approvalId);
        this.#requests.delete(msg.approvalId);
        if (request === undefined || msg.by !== 'non_interactive') return;
        this.#say(unansweredLine(request));
        if (!this.#hasUnanswered) this.#say(APPROVAL_REMEDY);
        this.#hasUnanswered = true;
        return;
      }
      default:
        return;
    }
  }

  /** Steps are for a user at a terminal: a script that keeps stderr wants the errors alone. */
  #step(line: string | undefined): void {
    if (line !== undefined && this.#streams.stderr.isTTY) printSentence(this.#streams.stderr, line);
  }

  #tellAgent({ threadId, msg }: Event): void {
    if (msg.type === 'error') this.#say(`agent ${threadId}: ${msg.message}${detailOf(msg.detail)}`);
    if (msg.type === 'warning') this.#say(`agent ${threadId}: ${msg.message}`);
    if (msg.type === 'stream_error') this.#say(`agent ${threadId}: ${retryLine(msg)}`);
  }

  #tellRoot(event: Event): void {
    const { msg } = event;
    if (msg.type === 'turn_completed') {
      this.#lastTurn = 'completed';
      // A turn that only compacts the thread has no last message.
      this.#lastMessage = msg.lastMessage ?? this.#lastMessage;
    }
    // A turn that an earlier process left unfinished is not a turn of this run.
    if (msg.type === 'turn_aborted' && msg.reason !== 'crashed') {
      this.#lastTurn = msg.reason === 'failed' ? 'failed' : 'interrupted';
    }
    if (msg.type === 'error' && event.turnId === null) this.#lastTurn = 'failed';
    if (msg.type === 'error') {
      this.#say(msg.message + detailOf(msg.detail));
      const remedy = this.#remedyOf(msg);
      if (remedy !== undefined) this.#say(remedy);
    }
    if (msg.type === 'warning') this.#say(msg.message);
    if (msg.type === 'stream_error') this.#say(retryLine(msg));
  }

  /** Writes the events of this turn of the event loop. Call it before the process ends. */
  flush(): void {
    this.#lines.flush();
  }

  /** Resolves when the reader of the events keeps up again; `undefined` if it keeps up now. */
  caughtUp(): Promise<void> | undefined {
    return this.#lines.caughtUp();
  }

  /** Prints the result, unless events were printed. */
  close(threadId: string): void {
    if (this.#json) return;
    if (this.#lastMessage !== null) printText(this.#streams.stdout, `${this.#lastMessage}\n`);
    this.#streams.stderr.write(`thread ${threadId}\n`);
  }

  /** The exit code that the end of the last turn determines. */
  get exitCode(): number {
    const codes = { none: EXIT.done, completed: EXIT.done, failed: EXIT.failed, interrupted: EXIT.interrupted };
    return codes[this.#lastTurn];
  }

  #say(sentence: string): void {
    // Events that came before the sentence are written before it.
    this.#lines.flush();
    printSentence(this.#streams.stderr, `tiller: ${sentence}`);
  }
}

function detailOf(detail: string | undefined): string {
  return detail ? ` (${detail.replaceAll(/\s+/g, ' ').slice(0, 500)})` : '';
}

function retryLine(error: EventMsgOf<'stream_error'>): string {
  const seconds = (error.retryInMs / 1000).toFixed(1);
  return `${error.message} Trying again in ${seconds} s (attempt ${error.attempt} of ${error.of} failed)`;
}
