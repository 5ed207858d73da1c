import type { Ports } from '../ports.ts';
import { isLoopback } from '../../protocol/providers.ts';
import { deadline } from '../util/abort.ts';
import { abilitiesOf, type ModelAbilities, modelSettingsOf, type ReportedModel } from './abilities.ts';
import { type ModelClient, ModelFault } from './client.ts';
import { RefusedFields } from './fieldFallback.ts';
import type { ConnectedModel, ModelClientFactory } from './modelClientFactory.ts';
import { listModels, type ModelListing } from './modelList.ts';
import { pricesOf } from './prices.ts';
import { createModelClient, type ModelPorts } from './provider.ts';
import { dialectOf, missingHeaders, type ProviderConfig } from './providerConfig.ts';

/** Fails only with the first request: the user's message is in the thread by then, and `retry` finds it. */
const NO_MODEL: ModelClient = {
  stream() {
    throw new ModelFault('config', 'No model is selected.', { retryable: false, action: 'select_model' });
  },
};

export type HttpModelPorts = Pick<Ports, 'fetch' | 'secrets' | 'clock' | 'ids' | 'log' | 'host'>;

/** Models of HTTP servers that support Responses, Chat Completions or Messages. One per process. */
export class HttpModels {
  readonly #ports: Omit<ModelPorts, 'refused'>;
  /** By server, while the process runs: a field that was refused in one thread is not sent in another. */
  readonly #refused = new Map<string, RefusedFields>();
  /** By server: its reports about its models. */
  readonly #reported = new Map<string, ReadonlyMap<string, ReportedModel>>();

  constructor({ fetch, secrets, clock, ids, log, host }: HttpModelPorts, version: string) {
    const { environment } = host;
    this.#ports = { fetch, secrets, clock, ids, log, environment, userAgent: `tiller/${version}` };
  }

  /** Each factory has its own client, which keeps its connections: make one per thread. */
  of(provider: ProviderConfig): ModelClientFactory {
    const refused = this.#refusedBy(provider);
    const reported = (model: string) => this.#reportedOf(provider, model);
    const client = createModelClient(provider, { ...this.#ports, refused, reported });
    return { id: provider.id, defaultModel: null, connect: (model) => this.#connect(provider, model, client) };
  }

  /** The models of a server, which are known from then on. Never rejects, unless `signal` aborts. */
  async list(provider: ProviderConfig, signal: AbortSignal): Promise<ModelListing> {
    const listing = await listModels(provider, this.#ports, signal);
    if (listing.type === 'models') {
      this.#reported.set(serverKey(provider), new Map(listing.models.map((model) => [model.id, model])));
    }
    return listing;
  }

  /**
   * Asks a server on this machine about the window of its loaded model, unless it is known: for a model that is not
   * loaded it reports the maximum. With `asksRemote` OpenRouter is asked, too, once, and a Messages server about a
   * model of an unknown name: without their lists the window of a model is unknown after a restart. Other servers are
   * asked only when the user chooses a model. Never rejects, and resolves after `withinMs` at the latest.
   */
  async learn(provider: ProviderConfig, model: string, withinMs: number, { asksRemote = false } = {}): Promise<void> {
    if (!URL.canParse(provider.baseUrl)) return;
    const source = this.abilities(provider, model).sources.contextWindow;
    const hasWindows = dialectOf(provider) === 'openrouter' || (provider.wireApi === 'messages' && source === 'guess');
    const isUnread = hasWindows && this.reported(provider).length === 0;
    if (!isLoopback(provider.baseUrl) && !(asksRemote && isUnread)) return;
    const isLoaded = this.#reportedOf(provider, model)?.isLoaded !== false;
    if (source === 'settings' || (source === 'server' && isLoaded)) return;
    const within = deadline(this.#ports.clock, withinMs, new Error(`no answer within ${withinMs} ms`));
    await this.list(provider, within.signal).catch(() => undefined);
    within.end();
  }

  /** The models as the server last reported them; empty before the first answer. */
  reported(provider: ProviderConfig): readonly ReportedModel[] {
    return [...(this.#reported.get(serverKey(provider))?.values() ?? [])];
  }

  /** The abilities of a model, each with its source. */
  abilities(provider: ProviderConfig, model: string): ModelAbilities {
    return abilitiesOf(provider, provider.wireApi, model, this.#reportedOf(provider, model));
  }

  #reportedOf(provider: ProviderConfig, model: string): ReportedModel | undefined {
    const all = this.#reported.get(serverKey(provider));
    // Ollama lists a model that is named without a tag under its default tag.
    return all?.get(model) ?? all?.get(`${model}:latest`);
  }

  #connect(provider: ProviderConfig, model: string, client: ModelClient): ConnectedModel {
    const { family, notes } = this.abilities(provider, model);
    return {
      client: model === '' ? NO_MODEL : client,
      family,
      prices: pricesOf(modelSettingsOf(provider, model)),
      maxAttempts: provider.maxAttempts ?? null,
      notes: [...missingHeaders(provider, this.#ports.environment), ...notes],
    };
  }

  #refusedBy(provider: ProviderConfig): RefusedFields {
    const key = serverKey(provider);
    const refused = this.#refused.get(key) ?? new RefusedFields();
    this.#refused.set(key, refused);
    return refused;
  }
}

function serverKey({ id, baseUrl, wireApi }: ProviderConfig): string {
  return JSON.stringify([id, baseUrl, wireApi]);
}
