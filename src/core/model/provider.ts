/** From settings to a model that can be talked to. */
import type { Clock, Fetch, Ids, Log, Secrets } from '../ports.ts';
import { ChatClient } from './chat.ts';
import type { ModelClient } from './client.ts';
import type { ClientParts } from './clientParts.ts';
import type { RefusedFields } from './fieldFallback.ts';
import type { ProviderConfig } from './providerConfig.ts';
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
  /** What this provider has refused so far; keep it as long as the host lives, so that nothing is refused twice. */
  readonly refused?: RefusedFields | undefined;
}

/** Loads nothing yet: the SDK comes with the first request. */
export function createModelClient(provider: ProviderConfig, ports: ModelPorts): ModelClient {
  const { fetch, secrets, clock, ids, log, userAgent = 'tiller', refused = new Set() } = ports;
  const transport = new Transport(provider, { fetch, secrets, clock, userAgent });
  const parts: ClientParts = { provider, transport, refused, clock, ids, log };
  return provider.wireApi === 'chat' ? new ChatClient(parts) : new ResponsesClient(parts);
}
