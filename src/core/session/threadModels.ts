import type { TurnSettings } from '../../protocol/event.ts';
import { type ModelClient, ModelFault } from '../model/client.ts';
import { UNKNOWN_FAMILY } from '../model/families.ts';
import type { ConnectedModel, ModelClientFactory } from '../model/modelClientFactory.ts';
import type { ThreadHost } from './sessionOptions.ts';

/** A model of a thread, with the tag of its provider's items. */
export interface ThreadModel extends ConnectedModel {
  /** `undefined` for the provider that the thread began with. */
  readonly origin: string | undefined;
}

/** The models of one thread, which may be of several providers. */
export class ThreadModels {
  /** The provider that the thread began with. */
  readonly #first: string;
  readonly #host: Pick<ThreadHost, 'models' | 'modelsOf'>;
  /** Each has a client, which keeps its connections. */
  readonly #others = new Map<string, ModelClientFactory>();

  constructor(first: string, host: Pick<ThreadHost, 'models' | 'modelsOf'>) {
    this.#first = first;
    this.#host = host;
  }

  /** The value of `TurnSettings.provider` for this provider: `undefined` for the one that the thread began with. */
  named(provider: string | undefined): string | undefined {
    return provider === this.#first ? undefined : provider;
  }

  /** Never throws: an unknown provider is reported by the first request. */
  connect({ model, provider }: Pick<TurnSettings, 'model' | 'provider'>): ThreadModel {
    const origin = this.named(provider);
    const id = origin ?? this.#first;
    const factory = this.#factoryOf(id);
    if (factory) return { ...factory.connect(model), origin };
    return { client: unknownProvider(id), family: UNKNOWN_FAMILY, prices: null, origin };
  }

  #factoryOf(id: string): ModelClientFactory | undefined {
    const { models, modelsOf } = this.#host;
    if (id === models.id) return models;
    const factory = this.#others.get(id) ?? modelsOf?.(id);
    if (factory) this.#others.set(id, factory);
    return factory;
  }
}

function unknownProvider(id: string): ModelClient {
  return {
    stream() {
      const message = `The settings have no provider “${id}”.`;
      throw new ModelFault('config', message, { retryable: false, action: 'select_model' });
    },
  };
}
