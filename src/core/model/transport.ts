/**
 * Sends one request to one provider and returns the open response. Decides what is sent: only the headers of this
 * module, and the key only to the origin that it was entered for (design decision 12).
 */
import type { Clock, Fetch, FetchInit, FetchResponse, Secrets } from '../ports.ts';
import { ModelFault } from './client.ts';
import { readBeginning } from './boundedBody.ts';
import { describeBytes, httpFault } from './faults.ts';
import { networkFault } from './networkFaults.ts';
import { deadline } from '../util/abort.ts';
import { HeaderList } from '../util/headerList.ts';
import { parseJson } from '../util/json.ts';
import { withoutUndefined } from '../util/withoutUndefined.ts';
import { authOf, limitsOf, type ProviderConfig } from './providerConfig.ts';

type Sdk = typeof import('./openaiSdk.ts');
type Client = InstanceType<Sdk['OpenAI']>;
type Sent = { asResponse(): Promise<FetchResponse> };

export interface TransportPorts {
  readonly fetch: Fetch;
  readonly secrets: Secrets;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** E.g. `tiller/0.1.0`. */
  readonly userAgent: string;
  /** Called with each key before it is sent. */
  readonly onKey: (key: string) => void;
}

/** All headers are in `headers`: those of the environment are resolved (`withEnvironmentHeaders`). */
export type AddressedProvider = Omit<ProviderConfig, 'envHeaders'>;

export class Transport {
  readonly #provider: AddressedProvider;
  readonly #ports: TransportPorts;
  #loaded: Promise<Client> | undefined;

  constructor(provider: AddressedProvider, ports: TransportPorts) {
    this.#provider = provider;
    this.#ports = ports;
  }

  /** @throws ModelFault when the response is not 2xx or there is none. */
  post(path: string, body: string, signal: AbortSignal): Promise<FetchResponse> {
    return this.#send((client, headers) => client.post(path, { body, signal, headers }));
  }

  /** `path`: below the base URL, or a URL of the same origin. @throws ModelFault as `post` does. */
  get(path: string, signal: AbortSignal): Promise<FetchResponse> {
    return this.#send((client, headers) =>
      client.get(path, { signal, headers: { ...headers, accept: 'application/json' } }),
    );
  }

  async #send(request: (client: Client, headers: Record<string, string>) => Sent): Promise<FetchResponse> {
    const origin = originOf(this.#provider.baseUrl);
    const key = this.#provider.auth === 'none' ? undefined : await this.#ports.secrets.keyFor(origin);
    if (key !== undefined) this.#ports.onKey(key);
    this.#loaded ??= this.#load();
    const client = await this.#loaded;
    try {
      return await request(client, this.#headers(key)).asResponse();
    } catch (error) {
      const fault = networkFault(error, 'connecting');
      throw fault.status === 401 && key === undefined ? keyMissing(origin, fault) : fault;
    }
  }

  async #load() {
    const sdk = await import('./openaiSdk.ts');
    const { baseUrl, queryParams } = this.#provider;
    const send = guardedFetch(this.#ports.fetch, new Set(Object.keys(this.#headers('key'))));
    const { address, query } = splitQuery(baseUrl);
    return new sdk.OpenAI({
      baseURL: address,
      // Never the key of the environment: the key, if any, is in the headers of each request.
      apiKey: 'unused',
      adminAPIKey: null,
      organization: null,
      project: null,
      maxRetries: 0,
      logLevel: 'off',
      // The SDK's own timeout would end the response of a slow server; attempt.ts measures silence instead.
      timeout: LONGEST_TIMER_MS,
      fetch: async (input, init = {}) => {
        const response = await send(input as string | URL, init);
        // Thrown here, it becomes a cause of the SDK's error; the SDK itself would read the error without a limit.
        if (!response.ok) throw await this.#faultOf(response, placeOf(input as string | URL));
        // The SDK does not parse it (`asResponse`), and needs nothing else of it.
        return response as Response;
      },
      defaultQuery: { ...query, ...queryParams },
    });
  }

  /** Reads a limited part of the error, and only for a short time, because its status is known. */
  async #faultOf({ status, headers, body }: FetchResponse, address: string): Promise<ModelFault> {
    const { maxErrorBytes } = limitsOf(this.#provider);
    const { clock } = this.#ports;
    const within = deadline(clock, ERROR_WITHIN_MS, new Error('the error took too long'));
    const { text, isCut } = await readBeginning(body, maxErrorBytes, within.signal).finally(() => within.end());
    const note = within.signal.aborted ? 'incomplete' : `its first ${describeBytes(maxErrorBytes)}`;
    const document = parseJson(text) ?? (text || undefined);
    return httpFault(status, headers, document, clock.now(), { address, note: isCut ? note : undefined });
  }

  #headers(key: string | undefined): Record<string, string> {
    const { headers = {}, wireApi } = this.#provider;
    const auth = authOf(this.#provider);
    const result: Record<string, string> = {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'user-agent': this.#ports.userAgent,
    };
    if (key !== undefined && auth === 'bearer') result['authorization'] = `Bearer ${key}`;
    if (key !== undefined && auth === 'api_key') result['api-key'] = key;
    if (key !== undefined && auth === 'x_api_key') result['x-api-key'] = key;
    if (wireApi === 'messages') result['anthropic-version'] = MESSAGES_VERSION;
    for (const [name, value] of Object.entries(headers)) result[name.toLowerCase()] = value;
    return result;
  }
}

/** The SDK appends paths to the end of its base URL, behind a query. */
function splitQuery(baseUrl: string): { readonly address: string; readonly query: Readonly<Record<string, string>> } {
  const url = new URL(baseUrl);
  const query = Object.fromEntries(url.searchParams);
  url.search = '';
  return { address: url.href.replace(/\/$/, ''), query };
}

/** The address of a request as it may be shown: a query or a name in it can be a key. */
function placeOf(address: string | URL): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

/** The only version of Messages (platform.claude.com/docs/en/api/versioning); a header of the settings replaces it. */
const MESSAGES_VERSION = '2023-06-01';

/** Maximum time to wait for the text of an HTTP error. */
const ERROR_WITHIN_MS = 5000;

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Allows only the headers of this module (the SDK adds its own, and those of `OPENAI_CUSTOM_HEADERS`), and follows
 * redirects only within the origin.
 */
function guardedFetch(fetch: Fetch, allowed: ReadonlySet<string>) {
  return async (address: string | URL, init: RequestInit): Promise<FetchResponse> => {
    // The SDK always gives a list of them (scripts/build.mjs).
    const given = new HeaderList((init.headers ?? []) as Iterable<[string, string]>);
    if (given.get('authorization') === 'Bearer unused') given.delete('authorization');
    const headers = Object.fromEntries([...given].filter(([name]) => allowed.has(name)));
    const { method, body, signal } = init as FetchInit;

    let url = new URL(address);
    for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
      const response = await fetch(url, { ...withoutUndefined({ method, body, signal }), headers, redirect: 'manual' });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) return response;
      await response.body?.cancel();
      const target = new URL(location, url);
      if (target.origin !== url.origin) throw redirectFault(url, target);
      url = target;
    }
    throw new ModelFault('config', 'The server redirects in a loop.', { retryable: false, action: 'check_settings' });
  };
}

const MOST_REDIRECTS = 5;

function redirectFault(from: URL, to: URL): ModelFault {
  // An address of another scheme has no origin.
  const origin = to.origin === 'null' ? to.protocol : to.origin;
  return new ModelFault(
    'config',
    `${from.origin} redirects to ${origin}, and your key was not entered for that origin.`,
    {
      retryable: false,
      detail: `Redirect from ${from.href} to ${origin}${to.pathname}. If that is right, make it the base URL.`,
      action: 'check_settings',
    },
  );
}

function keyMissing(origin: string, fault: ModelFault): ModelFault {
  return new ModelFault('no_key', `${origin} requires an API key, and none was entered for it.`, {
    retryable: false,
    status: fault.status,
    detail: fault.detail,
    action: 'set_api_key',
  });
}

/** @throws ModelFault */
function originOf(baseUrl: string): string {
  if (URL.canParse(baseUrl)) return new URL(baseUrl).origin;
  throw new ModelFault('config', `“${baseUrl}” is not a URL.`, { retryable: false, action: 'check_settings' });
}
