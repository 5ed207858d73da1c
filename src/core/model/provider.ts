/** Makes a model client from settings. */
import type { Clock, Fetch, Ids, Log, Secrets } from '../ports.ts';
import { ChatClient } from './chat.ts';
import { assertNever } from '../util/assertNever.ts';
import { SecretRedactor } from '../util/secretRedactor.ts';
import { type ModelClient, ModelFault, type ResponseEvent } from './client.ts';
import type { ClientParts } from './clientParts.ts';
import type { RefusedFields } from './fieldFallback.ts';
import type { ProviderConfig } from './providerConfig.ts';
import { shownFault } from './faults.ts';
import { valuesSentTo } from './providerSecrets.ts';
import { ResponsesClient } from './responses.ts';
import { Transport } from './transport.ts';

export { dialectOf, type ProviderConfig } from './providerConfig.ts';

export interface ModelPorts {
  readonly fetch: Fetch;
  readonly secrets: Secrets;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly ids: Pick<Ids, 'next'>;
  readonly log: Log;
  /** E.g. `tiller/0.1.0`. */
  readonly userAgent?: string | undefined;
  /**
   * The fields that this provider has refused so far; keep the set while the process runs, so that nothing is refused
   * twice.
   */
  readonly refused?: RefusedFields | undefined;
}

/** Does not load the SDK: the first request does. */
export function createModelClient(provider: ProviderConfig, ports: ModelPorts): ModelClient {
  const { fetch, secrets, clock, ids, log, userAgent = 'tiller', refused = new Set() } = ports;
  const sent = new SecretRedactor();
  for (const value of valuesSentTo(provider)) sent.hold(value);
  const transport = new Transport(provider, { fetch, secrets, clock, userAgent, onKey: (key) => sent.hold(key) });
  const parts: ClientParts = { provider, transport, refused, clock, ids, log };
  const client = clientOf(parts);
  return { stream: (prompt, signal) => withShownFaults(client.stream(prompt, signal), sent) };
}

function clientOf(parts: ClientParts): ModelClient {
  const { wireApi } = parts.provider;
  switch (wireApi) {
    case 'chat':
      return new ChatClient(parts);
    case 'responses':
      return new ResponsesClient(parts);
    default:
      return assertNever(wireApi);
  }
}

/**
 * Redacts faults, because some servers repeat what they were sent. Redacted only here, after the client has evaluated
 * the original message.
 */
async function* withShownFaults(
  events: AsyncIterable<ResponseEvent>,
  sent: SecretRedactor,
): AsyncGenerator<ResponseEvent, void, undefined> {
  try {
    yield* events;
  } catch (error) {
    throw error instanceof ModelFault ? shownFault(error, sent) : error;
  }
}
