/** The Chat Completions wire (codex-behaviour.md §2.5). */
import { Attempt, DONE } from './attempt.ts';
import { ChatBodies } from './chatBody.ts';
import { ChatReader } from './chatChunks.ts';
import { ModelFault, type ModelClient, type Prompt, type ResponseEvent } from './client.ts';
import { foreignAnswerFault, streamClosedFault } from './faults.ts';
import { customToolNames } from './functionForm.ts';
import { joinDeltas } from './joinDeltas.ts';
import { openWithFallback } from './openWithFallback.ts';
import { limitsOf } from './providerConfig.ts';
import { isJson, type ClientParts } from './clientParts.ts';

/** Call after the reader has looked for an error in it. */
function isCompletion(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'choices' in document;
}

/** Maximum time to wait for the usage when the response itself is complete. */
const USAGE_WITHIN_MS = 2000;

const UNMARKED = 'The server ended this answer without saying that it is complete: its end may be missing.';

type StreamEnd = 'done' | 'ended' | 'broken';

export class ChatClient implements ModelClient {
  readonly #parts: ClientParts;
  readonly #bodies: ChatBodies;
  /** Answers in a row that ended without a mark. */
  #unmarked = 0;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#bodies = new ChatBodies(parts.provider, parts.refused);
  }

  async *stream(prompt: Prompt, signal: AbortSignal): AsyncGenerator<ResponseEvent, void, undefined> {
    const { provider, clock, ids } = this.#parts;
    const reader = new ChatReader({
      newCallId: () => ids.next('call'),
      customTools: customToolNames(prompt.tools),
    });
    const build = () => this.#bodies.build(prompt);
    const attempt = new Attempt(signal, clock, limitsOf(provider));
    try {
      const response = yield* openWithFallback(this.#parts, attempt, '/chat/completions', prompt.model, build);
      if (await attempt.isDocument(isJson(response))) {
        const document = await attempt.document();
        yield* reader.read(document);
        if (!isCompletion(document)) throw foreignAnswerFault(JSON.stringify(document));
        attempt.release();
        yield* reader.ended('ended');
        return;
      }
      const end = yield* this.#chunks(attempt, reader, signal);
      if (end === 'done') attempt.release();
      yield* end === 'ended' && reader.isUnmarked ? this.#unmarkedEnd(reader) : this.#markedEnd(reader, end);
    } finally {
      attempt.close();
    }
  }

  *#markedEnd(reader: ChatReader, end: StreamEnd): Generator<ResponseEvent, void, undefined> {
    if (end !== 'broken') this.#unmarked = 0;
    yield* end === 'done' ? reader.done() : reader.ended(end);
  }

  /** The first time in a row it is a cut connection; from the second on it is how this server ends (decision 0074). */
  *#unmarkedEnd(reader: ChatReader): Generator<ResponseEvent, void, undefined> {
    this.#unmarked += 1;
    if (this.#unmarked === 1) throw streamClosedFault();
    yield { type: 'warning', message: UNMARKED };
    yield* reader.done();
  }

  /** Returns how the stream ended: with `[DONE]`, properly without it, or broken off after the model had finished. */
  async *#chunks(
    attempt: Attempt,
    reader: ChatReader,
    signal: AbortSignal,
  ): AsyncGenerator<ResponseEvent, StreamEnd, undefined> {
    try {
      for await (const batch of attempt.events()) {
        const end = batch.indexOf(DONE);
        const wires = end === -1 ? batch : batch.slice(0, end);
        for (const event of joinDeltas(wires, (wire) => reader.read(wire))) {
          if (event.type !== 'created') attempt.progressed();
          yield event;
          signal.throwIfAborted();
        }
        if (end !== -1) return 'done';
        if (reader.finished) attempt.hurry(USAGE_WITHIN_MS);
      }
      return 'ended';
    } catch (error) {
      if (!reader.finished || signal.aborted || !(error instanceof ModelFault)) throw error;
      return 'broken';
    }
  }
}
