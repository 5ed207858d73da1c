import type { ModelClient } from './client.ts';
import type { ModelFamily } from './families.ts';
import type { Prices } from './prices.ts';

/** A model client with the model's capabilities and prices. */
export interface ConnectedModel {
  readonly client: ModelClient;
  readonly family: ModelFamily;
  /** `null` when the settings have no prices. */
  readonly prices: Prices | null;
  /** Attempts of one request; `null`: those of the thread's settings. */
  readonly maxAttempts?: number | null;
  /** Notes for the user about the settings of this model; each sentence is shown once in a thread. */
  readonly notes?: readonly string[];
}

/** Makes clients for the models of one provider: over HTTP, from the embedded demo server, from VS Code. */
export interface ModelClientFactory {
  /** The provider's id in a rollout; a thread continues under its own settings only with the same provider. */
  readonly id: string;
  /** The model to use regardless of the settings; `null` when the user chooses one. */
  readonly defaultModel: string | null;
  /** Never throws and does not connect yet: a missing setting is reported by the first request. */
  connect(model: string): ConnectedModel;
}
