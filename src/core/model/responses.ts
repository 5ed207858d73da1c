/** The Responses wire (codex-behaviour.md §2.1–2.4). */
import { Attempt } from './attempt.ts';
import type { ModelClient, Prompt, ResponseEvent } from './client.ts';
import { isJson, type ClientParts } from './clientParts.ts';
import { streamClosedFault } from './faults.ts';
import { customToolNames } from './functionForm.ts';
import { joinDeltas } from './joinDeltas.ts';
import { openWithFallback } from './openWithFallback.ts';
import { limitsOf } from './providerConfig.ts';
import { ResponsesBodies } from './responsesBody.ts';
import { ResponsesReader } from './responsesEvents.ts';

export class ResponsesClient implements ModelClient {
  readonly #parts: ClientParts;
  readonly #bodies: ResponsesBodies;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#bodies = new ResponsesBodies(parts.provider, parts.refused);
  }

  async *stream(prompt: Prompt, signal: AbortSignal): AsyncGenerator<ResponseEvent, void, undefined> {
    const { provider, clock, ids, log } = this.#parts;
    const reader = new ResponsesReader({
      newCallId: () => ids.next('call'),
      customTools: customToolNames(prompt.tools),
      onSkipped: (item) => log.debug('an output item was skipped', item),
    });
    const attempt = new Attempt(signal, clock, limitsOf(provider));
    try {
      const build = () => this.#bodies.build(prompt);
      const response = yield* openWithFallback(this.#parts, attempt, '/responses', prompt.model, build);
      if (await attempt.isDocument(isJson(response))) {
        const events = reader.readDocument(await attempt.document());
        attempt.release();
        yield* events;
        return;
      }
      for await (const batch of attempt.events()) {
        for (const event of joinDeltas(batch, (wire) => reader.read(wire))) {
          // The `completed` event ends the response, not the end of the connection.
          if (event.type === 'completed') attempt.release();
          else if (event.type !== 'created') attempt.progressed();
          yield event;
          if (event.type === 'completed') return;
          signal.throwIfAborted();
        }
      }
      throw streamClosedFault();
    } finally {
      attempt.close();
    }
  }
}
