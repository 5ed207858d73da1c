import type { IncomingHttpHeaders } from 'node:http';
import type { ModelRequest } from './modelRequest.ts';
import type { ChatDialect, ResponsesDialect } from './modelWires.ts';

/** A response with an HTTP error. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

/** The differences between the server of a provider and one that accepts every request. */
export interface Imitation {
  readonly name: string;
  readonly wires: readonly ModelRequest['wire'][];
  /** A model that the server has. */
  readonly model: string;
  /** The documents that it serves at other paths. */
  readonly routes: Readonly<Record<string, unknown>>;
  /** Returns the response to a wrong key; it is called first. */
  readonly denies?: (headers: IncomingHttpHeaders) => Refusal | undefined;
  readonly refuses: (request: ModelRequest) => Refusal | undefined;
  readonly chat?: ChatDialect;
  readonly responses?: ResponsesDialect;
  /** The configuration of the provider in Tiller, besides its address. */
  readonly provider: { readonly dialect?: 'openai' | 'azure' | 'openrouter' | 'plain' };
}
