/** Makes a model client from settings. */
import type { Clock, Fetch, Ids, Log, Secrets } from '../ports.ts';
import type { ReportedModel } from './abilities.ts';
import { ChatClient } from './chat.ts';
import { assertNever } from '../util/assertNever.ts';
import { SecretRedactor } from '../util/secretRedactor.ts';
import { type ModelClient, ModelFault, type ResponseEvent } from './client.ts';
import type { ClientParts } from './clientParts.ts';
import { RefusedFields } from './fieldFallback.ts';
import { MessagesClient } from './messages/messagesClient.ts';
import { type ProviderConfig, withEnvironmentHeaders } from './providerConfig.ts';
import { shownFault } from './faultOf.ts';
import { valuesSentTo } from './providerSecrets.ts';
import { ResponsesClient } from './responses.ts';
import { hasToolImages } from './toolImages.ts';
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
  /** The environment of this process, for headers of providers. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * The fields that this provider has refused so far; keep them while the process runs, so that no field is refused
   * twice.
   */
  readonly refused?: RefusedFields | undefined;
  /** Returns the report of the server about a model. */
  readonly reported?: ((model: string) => ReportedModel | undefined) | undefined;
}

/** Does not load the SDK: the first request does. */
export function createModelClient(provider: ProviderConfig, ports: ModelPorts): ModelClient {
  const { clock, ids, log, refused = new RefusedFields(), reported } = ports;
  const sent = new SecretRedactor();
  const transport = createTransport(provider, ports, sent);
  const parts: ClientParts = { provider, transport, refused, reported, clock, ids, log };
  const client = clientOf(parts);
  let hasWarned = false;
  return {
    async *stream(prompt, signal) {
      if (!hasWarned && provider.toolImages === 'none' && prompt.input.some(hasToolImages)) {
        hasWarned = true;
        yield { type: 'warning', message: `“${provider.id}” takes no images of tools: the model does not see them.` };
      }
      yield* withShownFaults(client.stream(prompt, signal), sent);
    },
  };
}

/** `sent` gets all texts that must be redacted where the server repeats them. */
export function createTransport(
  provider: ProviderConfig,
  { fetch, secrets, clock, userAgent = 'tiller', environment }: Omit<ModelPorts, 'ids' | 'log' | 'refused'>,
  sent: SecretRedactor,
): Transport {
  const resolved = withEnvironmentHeaders(provider, environment);
  for (const value of valuesSentTo(resolved)) sent.hold(value);
  const onKey = (key: string) => sent.hold(key);
  return new Transport(resolved, { fetch, secrets, clock, userAgent, onKey });
}

/** The client of the provider's wire, with unredacted faults. */
export function clientOf(parts: ClientParts): ModelClient {
  const { wireApi } = parts.provider;
  switch (wireApi) {
    case 'chat':
      return new ChatClient(parts);
    case 'messages':
      return new MessagesClient(parts);
    case 'responses':
      return new ResponsesClient(parts);
    default:
      return assertNever(wireApi);
  }
}

/**
 * Redacts faults, because some servers repeat parts of the request. Redacted only here, after the client has evaluated
 * the original message.
 */
async function* withShownFaults(
  events: AsyncIterable<ResponseEvent>,
  sent: SecretRedactor,
): AsyncGenerator<ResponseEvent, void, undefined> {
  try {
    for await (const event of events) {
      // The answer of the server that a refusal repeats.
      yield event.type === 'warning' ? { ...event, message: sent.hide(event.message) } : event;
    }
  } catch (error) {
    throw error instanceof ModelFault ? shownFault(error, sent) : error;
  }
}
