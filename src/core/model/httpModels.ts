import type { Ports } from '../ports.ts';
import { type ModelClient, ModelFault } from './client.ts';
import { capabilitiesOf } from './families.ts';
import type { RefusedFields } from './fieldFallback.ts';
import type { ConnectedModel, ModelClientFactory } from './modelClientFactory.ts';
import { pricesOf } from './prices.ts';
import { createModelClient, dialectOf, type ProviderConfig } from './provider.ts';

/** Fails only with the first request: the user's message is in the thread by then, and `retry` finds it. */
const NO_MODEL: ModelClient = {
  stream() {
    throw new ModelFault('config', 'No model is selected.', { retryable: false, action: 'select_model' });
  },
};

export type HttpModelPorts = Pick<Ports, 'fetch' | 'secrets' | 'clock' | 'ids' | 'log'>;

/** Models of HTTP servers that support Responses or Chat Completions. One per process. */
export class HttpModels {
  readonly #ports: HttpModelPorts;
  readonly #userAgent: string;
  /** By provider, while the process runs: a field that was refused in one thread is not sent in another. */
  readonly #refused = new Map<string, RefusedFields>();

  constructor(ports: HttpModelPorts, version: string) {
    this.#ports = ports;
    this.#userAgent = `tiller/${version}`;
  }

  /** Each factory has its own client, which keeps its connections: make one per thread. */
  of(provider: ProviderConfig): ModelClientFactory {
    const { fetch, secrets, clock, ids, log } = this.#ports;
    const refused = this.#refusedBy(provider);
    const client = createModelClient(provider, {
      fetch,
      secrets,
      clock,
      ids,
      log,
      userAgent: this.#userAgent,
      refused,
    });
    return { id: provider.id, defaultModel: null, connect: (model) => connect(provider, model, client) };
  }

  #refusedBy({ id, baseUrl, wireApi }: ProviderConfig): RefusedFields {
    const key = JSON.stringify([id, baseUrl, wireApi]);
    const refused: RefusedFields = this.#refused.get(key) ?? new Set();
    this.#refused.set(key, refused);
    return refused;
  }
}

function connect(provider: ProviderConfig, model: string, client: ModelClient): ConnectedModel {
  const family = capabilitiesOf(model, dialectOf(provider), provider.wireApi);
  const configured = Object.hasOwn(provider.models ?? {}, model) ? provider.models?.[model] : undefined;
  return {
    client: model === '' ? NO_MODEL : client,
    family: { ...family, contextWindow: configured?.contextWindow ?? family.contextWindow },
    prices: pricesOf(configured),
  };
}
