/** The Messages wire of Anthropic (platform.claude.com/docs/en/api/messages). */
import { Attempt } from '../attempt.ts';
import { ModelFault, type ModelClient, type Prompt, type ResponseEvent } from '../client.ts';
import { isJson, type ClientParts } from '../clientParts.ts';
import { foreignAnswerFault } from '../faults.ts';
import { customToolNames } from '../functionForm.ts';
import { joinDeltas } from '../joinDeltas.ts';
import { openWithFallback } from '../openWithFallback.ts';
import { limitsOf } from '../providerConfig.ts';
import { MessagesBodies } from './messagesBody.ts';
import { MessagesReader } from './messagesEvents.ts';

/** Maximum time to wait for the end mark when the response itself is complete. */
const END_WITHIN_MS = 2000;

export class MessagesClient implements ModelClient {
  readonly #parts: ClientParts;
  readonly #bodies: MessagesBodies;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#bodies = new MessagesBodies(parts.provider, parts.refused, parts.reported);
  }

  async *stream(prompt: Prompt, signal: AbortSignal): AsyncGenerator<ResponseEvent, void, undefined> {
    const { provider, clock, ids, log } = this.#parts;
    const reader = new MessagesReader({
      newCallId: () => ids.next('call'),
      customTools: customToolNames(prompt.tools),
      onSkipped: (block) => log.debug('a content block was skipped', block),
    });
    const attempt = new Attempt(signal, clock, limitsOf(provider));
    try {
      const build = () => this.#bodies.build(prompt);
      const response = yield* openWithFallback(this.#parts, attempt, '/messages', prompt.model, build, (field) => {
        if (field !== 'reasoning_history') return false;
        this.#bodies.leaveOutThinking(prompt);
        return true;
      });
      if (await attempt.isDocument(isJson(response))) {
        const document = await attempt.document();
        if (!isMessage(document)) {
          reader.read(document);
          throw foreignAnswerFault(JSON.stringify(document));
        }
        const events = reader.readDocument(document);
        attempt.release();
        yield* events;
        return;
      }
      yield* this.#events(attempt, reader, signal);
    } finally {
      attempt.close();
    }
  }

  async *#events(
    attempt: Attempt,
    reader: MessagesReader,
    signal: AbortSignal,
  ): AsyncGenerator<ResponseEvent, void, undefined> {
    try {
      for await (const batch of attempt.events()) {
        for (const event of joinDeltas(batch, (wire) => reader.read(wire))) {
          // The event `message_stop` ends the response, not the end of the connection.
          if (event.type === 'completed') attempt.release();
          else if (event.type !== 'created') attempt.progressed();
          yield event;
          if (event.type === 'completed') return;
          signal.throwIfAborted();
        }
        if (reader.finished) attempt.hurry(END_WITHIN_MS);
      }
    } catch (error) {
      if (!reader.finished || signal.aborted || !(error instanceof ModelFault)) throw error;
    }
    yield* reader.done();
  }
}

/** Call before the reader looks for an error in it. */
function isMessage(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'content' in document;
}
