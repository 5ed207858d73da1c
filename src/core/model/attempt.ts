/**
 * One request and its response: every wait has a timeout and can be cancelled, and each kind of end is distinguished
 * (libraries.md §4: the SDK reports an abort and an early end as success).
 */
import { abortable, onAbort } from '../util/abort.ts';
import { TextPieces } from '../util/textPieces.ts';
import type { Clock, FetchResponse } from '../ports.ts';
import type { ModelFault } from './client.ts';
import {
  eventTooLargeFault,
  foreignAnswerFault,
  idleFault,
  malformedFault,
  noProgressFault,
  pageFault,
  responseTooLargeFault,
  streamClosedFault,
  excessFault,
} from './faults.ts';
import { networkFault } from './networkFaults.ts';
import { isPage } from './serverErrors.ts';
import { excessOf, parseJson } from '../util/json.ts';
import type { ResponseLimits } from './providerConfig.ts';
import { SseDecoder } from './sse.ts';

/** Maximum time for the server to end a complete response, so that its connection can be reused. */
const RELEASE_WITHIN_MS = 1000;

export class Attempt {
  /** Maximum time without a byte, in milliseconds. */
  #byteTimeoutMs: number;
  /** Maximum time without a part of the response, in milliseconds. */
  #progressMs: number;
  readonly #caller: AbortSignal;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #limits: ResponseLimits;
  readonly #controller = new AbortController();
  readonly #forgetCaller: () => void;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** Bytes that were read ahead and not processed yet. */
  #held: Uint8Array | undefined;
  #received = 0;
  /** The reason why this side ended the attempt. */
  #fault: ModelFault | undefined;
  #stopWaitingForProgress = () => {};

  constructor(caller: AbortSignal, clock: Pick<Clock, 'after'>, limits: ResponseLimits) {
    this.#byteTimeoutMs = limits.firstByteTimeoutMs;
    this.#progressMs = limits.progressTimeoutMs;
    this.#limits = limits;
    this.#caller = caller;
    this.#clock = clock;
    this.#forgetCaller = onAbort(caller, () => this.#controller.abort(caller.reason));
  }

  /** @throws ModelFault, or the caller's reason. */
  async open(send: (signal: AbortSignal) => Promise<FetchResponse>): Promise<FetchResponse> {
    const response = await this.#watch(() => send(this.#controller.signal), 'connecting');
    this.#reader = response.body?.getReader();
    this.progressed();
    return response;
  }

  /** Restarts the progress timeout. Call it for each part of the response. */
  progressed(): void {
    const milliseconds = this.#progressMs;
    this.#stopWaitingForProgress();
    this.#stopWaitingForProgress = this.#clock.after(milliseconds, () => this.#end(noProgressFault(milliseconds)));
  }

  /** Shortens both timeouts: from now on neither a byte nor a part of the response may take longer. */
  hurry(milliseconds: number): void {
    this.#byteTimeoutMs = Math.min(this.#byteTimeoutMs, milliseconds);
    if (milliseconds >= this.#progressMs) return;
    this.#progressMs = milliseconds;
    this.progressed();
  }

  /**
   * True when the response is one JSON document and not a stream. Its header, `isJson`, decides only where the beginning
   * does not: some servers send streams as `application/json`, others documents as `text/event-stream`. @throws
   * ModelFault, or the caller's reason.
   */
  async isDocument(isJson: boolean): Promise<boolean> {
    this.#held = await this.#read();
    if (this.#held === undefined) return isJson;
    const beginning = beginningOf(this.#held);
    return /^\s*[{[]/.test(beginning) || (isJson && !FIRST_FIELD.test(beginning));
  }

  /**
   * Yields the parsed events, those that arrived together at once. `DONE` replaces `[DONE]`. Ends when the stream does;
   * the caller decides if it may end there. @throws ModelFault, or the caller's reason.
   */
  async *events(): AsyncGenerator<readonly unknown[], void, undefined> {
    const { maxEventBytes } = this.#limits;
    const decoder = new SseDecoder(maxEventBytes);
    let beginning: string | undefined;
    let hasEvents = false;
    for (let bytes = await this.#read(); bytes !== undefined; bytes = await this.#read()) {
      if (beginning === undefined) refusePage(bytes);
      beginning ??= beginningOf(bytes);
      const events = decoder.decode(bytes);
      hasEvents ||= events.length > 0;
      if (events.length > 0) yield* parseEach(events, malformedFault);
      if (decoder.isOverLimit) throw eventTooLargeFault(maxEventBytes);
    }
    const last = decoder.end();
    if (!hasEvents && last.length === 0 && beginning !== undefined && !mayBeginEvents(beginning)) {
      throw foreignAnswerFault(beginning);
    }
    yield* parseEach(last, streamClosedFault);
  }

  /** Returns the whole body as JSON. @throws ModelFault, or the caller's reason. */
  async document(): Promise<unknown> {
    const decoder = new TextDecoder();
    const pieces = new TextPieces();
    for (let bytes = await this.#read(); bytes !== undefined; bytes = await this.#read()) {
      pieces.add(decoder.decode(bytes, { stream: true }));
    }
    const text = pieces.take() + decoder.decode();
    const document = parseJson(text);
    if (document === undefined) throw isPage(text) ? pageFault(text) : unreadable(text, malformedFault);
    return document;
  }

  /**
   * Call when the response is complete: gives the server a short time to end it, and keeps the connection for the next
   * request.
   */
  release(): void {
    this.#forgetCaller();
    this.#stopWaitingForProgress();
    const reader = this.#reader;
    this.#reader = undefined;
    if (!reader) return;
    const forget = this.#clock.after(RELEASE_WITHIN_MS, () => this.#controller.abort());
    void drain(reader).finally(forget);
  }

  /** Ends the connection, unless the response was released. */
  close(): void {
    this.#forgetCaller();
    this.#stopWaitingForProgress();
    if (this.#reader === undefined) return;
    this.#controller.abort();
    this.#reader.cancel().catch(() => {});
    this.#reader = undefined;
  }

  async #read(): Promise<Uint8Array | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held) return held;
    const reader = this.#reader;
    if (!reader) return undefined;
    const { value } = await this.#watch(() => reader.read(), 'streaming');
    this.#byteTimeoutMs = Math.min(this.#byteTimeoutMs, this.#limits.idleTimeoutMs);
    this.#received += value?.length ?? 0;
    if (this.#received > this.#limits.maxResponseBytes) throw responseTooLargeFault(this.#limits.maxResponseBytes);
    return value;
  }

  async #watch<Value>(wait: () => Promise<Value>, phase: 'connecting' | 'streaming'): Promise<Value> {
    this.#caller.throwIfAborted();
    const byteTimeoutMs = this.#byteTimeoutMs;
    const stopWatching = this.#clock.after(byteTimeoutMs, () => this.#end(idleFault(byteTimeoutMs)));
    try {
      return await abortable(wait(), this.#controller.signal);
    } catch (error) {
      this.#caller.throwIfAborted();
      throw this.#fault ?? networkFault(error, phase);
    } finally {
      stopWatching();
    }
  }

  #end(fault: ModelFault): void {
    this.#fault ??= fault;
    this.#controller.abort();
  }
}

/** @throws ModelFault */
function refusePage(bytes: Uint8Array): void {
  const text = beginningOf(bytes);
  if (isPage(text)) throw pageFault(text);
}

function beginningOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, 4096));
}

/** The fields of an event stream; `error` is one of llama.cpp. The empty one begins a comment. */
const FIELDS = ['', 'data', 'event', 'id', 'retry', 'error'];

const FIRST_FIELD = new RegExp(`^\\s*(?:${FIELDS.join('|')}):`);

/** True when the text begins as an event stream does, also when it is cut off in the first field. */
function mayBeginEvents(text: string): boolean {
  const start = text.trimStart();
  return FIELDS.some((field) => start.startsWith(`${field}:`) || field.startsWith(start));
}

export const DONE = Symbol('[DONE]');

function* parseEach(
  events: readonly string[],
  fault: (data: string) => Error,
): Generator<readonly unknown[], void, undefined> {
  const parsed: unknown[] = [];
  for (const data of events) {
    if (data.startsWith('[DONE]')) {
      parsed.push(DONE);
      continue;
    }
    const event = parseJson(data);
    if (event === undefined && data.trim() !== '') {
      // Events before the unreadable one are valid and must not be lost.
      yield parsed;
      throw unreadable(data, fault);
    }
    if (event !== undefined) parsed.push(event);
  }
  yield parsed;
}

function unreadable(text: string, fault: (text: string) => Error): Error {
  const excess = excessOf(text);
  return excess === undefined ? fault(text) : excessFault(excess);
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The response is complete, so an error at its end does not matter.
  }
}
