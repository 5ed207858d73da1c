import type { Clock, FetchResponse, Ids, Log } from '../ports.ts';
import type { ReportedModel } from './abilities.ts';
import type { RefusedFields } from './fieldFallback.ts';
import type { ProviderConfig } from './providerConfig.ts';
import type { Transport } from './transport.ts';

/** The dependencies of all clients. */
export interface ClientParts {
  readonly provider: ProviderConfig;
  readonly transport: Pick<Transport, 'post'>;
  readonly refused: RefusedFields;
  /** Returns the report of the server about a model. */
  readonly reported?: ((model: string) => ReportedModel | undefined) | undefined;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly ids: Pick<Ids, 'next'>;
  readonly log: Log;
}

/** Some servers answer with one JSON document although a stream was requested. */
export function isJson(response: Pick<FetchResponse, 'headers'>): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
}
