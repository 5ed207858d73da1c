import type { IncomingHttpHeaders } from 'node:http';
import type { ModelRequest } from './modelRequest.ts';
import type { ChatDialect, ResponsesDialect } from './modelWires.ts';

/** An answer with an error of HTTP. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

/** The differences between the server of a provider and one that accepts everything. */
export interface Imitation {
  readonly name: string;
  readonly wires: readonly ModelRequest['wire'][];
  /** A model that it has. */
  readonly model: string;
  /** Documents at other paths. */
  readonly routes: Readonly<Record<string, unknown>>;
  /** Before all else: a wrong key. */
  readonly denies?: (headers: IncomingHttpHeaders) => Refusal | undefined;
  readonly refuses: (request: ModelRequest) => Refusal | undefined;
  readonly chat?: ChatDialect;
  readonly responses?: ResponsesDialect;
  /** Its configuration in Tiller, besides its address. */
  readonly provider: { readonly dialect?: 'openai' | 'azure' | 'openrouter' | 'plain' };
}
