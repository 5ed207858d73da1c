import type { ModelClient } from './client.ts';
import type { ModelFamily } from './families.ts';
import type { Prices } from './prices.ts';

/** A model and what is known of it. */
export interface ConnectedModel {
  readonly client: ModelClient;
  readonly family: ModelFamily;
  /** `null` when the settings name none. */
  readonly prices: Prices | null;
}

/** How the models of one provider are reached: over HTTP, from the embedded demo server, from VS Code. */
export interface ModelClientFactory {
  /** The provider as a thread records it; a thread goes on under its own settings only with the same provider. */
  readonly id: string;
  /** The model to use whatever the settings say; `null` when the user chooses one. */
  readonly defaultModel: string | null;
  /** Never throws and connects to nothing: what is missing is reported by the first request. */
  connect(model: string): ConnectedModel;
}
