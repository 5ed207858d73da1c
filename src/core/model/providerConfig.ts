import type { ModelSettings, WireApi } from '../../protocol/providers.ts';
import type { Dialect } from './families.ts';

/** The header in which a key is sent: `authorization`, `api-key` or `x-api-key`. */
export type KeyHeader = 'bearer' | 'api_key' | 'x_api_key';

/** A server for models. Comes from settings that a workspace cannot change (design decision 12). */
export interface ProviderConfig {
  readonly id: string;
  /** Up to and including `/v1`; may have query parameters. */
  readonly baseUrl: string;
  readonly wireApi: WireApi;
  /** Derived from the host name if absent. */
  readonly dialect?: Dialect | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Names of headers and of the environment variables with their values. */
  readonly envHeaders?: Readonly<Record<string, string>> | undefined;
  readonly queryParams?: Readonly<Record<string, string>> | undefined;
  /**
   * The header for the key that is stored for the origin; `api_key` is Azure's, `x_api_key` Anthropic's. Derived from the
   * wire and the dialect if absent.
   */
  readonly auth?: KeyHeader | 'none' | undefined;
  /** True if the server stores responses; derived from the dialect if absent. */
  readonly store?: boolean | undefined;
  /** The field in which images of tools are sent; derived from the wire if absent. */
  readonly toolImages?: 'output' | 'message' | 'none' | undefined;
  /** Attempts of one request, instead of those of the thread. */
  readonly maxAttempts?: number | undefined;
  /** A known model that all models of this server with unknown names resemble. */
  readonly family?: string | undefined;
  /** The silence that ends an attempt, see `ResponseLimits`. */
  readonly streamIdleTimeoutMs?: number | undefined;
  readonly progressTimeoutMs?: number | undefined;
  readonly maxErrorBytes?: number | undefined;
  readonly maxEventBytes?: number | undefined;
  readonly maxResponseBytes?: number | undefined;
  /** Settings of its models, by model name. */
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined;
}

/** Limits for one attempt: sizes in bytes without compression, and times. */
export interface ResponseLimits {
  /** Between two pieces of a response. */
  readonly idleTimeoutMs: number;
  /** From the request to the first byte of the response. */
  readonly firstByteTimeoutMs: number;
  /** From one part of a response to the next: comments, keep-alives and parts of an event do not count. */
  readonly progressTimeoutMs: number;
  /** For an HTTP error: the rest is not read. */
  readonly maxErrorBytes: number;
  readonly maxEventBytes: number;
  readonly maxResponseBytes: number;
}

const MIB = 1024 * 1024;
export const DEFAULT_STREAM_IDLE_TIMEOUT_MS = 300_000;
/** A local server may process a long prompt for ten minutes before it sends a byte. */
const DEFAULT_FIRST_BYTE_TIMEOUT_MS = 1_800_000;
/** The progress timeout in idle timeouts, unless the provider sets it. */
const PROGRESS_FACTOR = 6;
export const DEFAULT_MAX_ERROR_BYTES = 64 * 1024;
export const DEFAULT_MAX_EVENT_BYTES = 32 * MIB;
export const DEFAULT_MAX_RESPONSE_BYTES = 64 * MIB;

/**
 * An idle timeout below the default also applies before the first byte, because the user does not want to wait longer.
 */
export function limitsOf(provider: ProviderConfig): ResponseLimits {
  const idleTimeoutMs = provider.streamIdleTimeoutMs ?? DEFAULT_STREAM_IDLE_TIMEOUT_MS;
  const isShortened = idleTimeoutMs < DEFAULT_STREAM_IDLE_TIMEOUT_MS;
  return {
    idleTimeoutMs,
    firstByteTimeoutMs: isShortened ? idleTimeoutMs : Math.max(idleTimeoutMs, DEFAULT_FIRST_BYTE_TIMEOUT_MS),
    progressTimeoutMs: provider.progressTimeoutMs ?? idleTimeoutMs * PROGRESS_FACTOR,
    maxErrorBytes: provider.maxErrorBytes ?? DEFAULT_MAX_ERROR_BYTES,
    maxEventBytes: provider.maxEventBytes ?? DEFAULT_MAX_EVENT_BYTES,
    maxResponseBytes: provider.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
  };
}

const AZURE_HOST =
  /(?:^|\.)(?:(?:openai|cognitiveservices|aoai)\.azure\.(?:com|us|cn)|services\.ai\.azure\.com|azure-api\.net|azurefd\.net)$/;

/** Returns the dialect of the settings, else that of the host of the address. */
export function dialectOf({ dialect, baseUrl }: Pick<ProviderConfig, 'dialect' | 'baseUrl'>): Dialect {
  if (dialect !== undefined) return dialect;
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  if (host === 'openai.com' || host.endsWith('.openai.com')) return 'openai';
  if (host === 'openrouter.ai' || host.endsWith('.openrouter.ai')) return 'openrouter';
  return AZURE_HOST.test(host) ? 'azure' : 'plain';
}

/** Returns the header of the settings for the key, else the one that the wire or the dialect has. */
export function authOf(provider: Pick<ProviderConfig, 'auth' | 'wireApi' | 'dialect' | 'baseUrl'>): KeyHeader | 'none' {
  const { auth, wireApi } = provider;
  if (auth !== undefined) return auth;
  if (wireApi === 'messages') return 'x_api_key';
  return dialectOf(provider) === 'azure' ? 'api_key' : 'bearer';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The headers whose values are in the environment; empty and missing variables give none. */
export function environmentHeaders(
  { envHeaders = {} }: Pick<ProviderConfig, 'envHeaders'>,
  environment: Environment = {},
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(envHeaders).flatMap(([header, variable]) => {
      const value = environment[variable]?.trim();
      return value ? [[header, value]] : [];
    }),
  );
}

/** The provider with the headers of the environment among its own, which they replace. */
export function withEnvironmentHeaders<Provider extends Pick<ProviderConfig, 'headers' | 'envHeaders'>>(
  { envHeaders, ...provider }: Provider,
  environment?: Environment,
) {
  return { ...provider, headers: { ...provider.headers, ...environmentHeaders({ envHeaders }, environment) } };
}

/** The headers that are not sent because their variables are not set, as sentences. */
export function missingHeaders(
  { id, envHeaders = {} }: Pick<ProviderConfig, 'id' | 'envHeaders'>,
  environment: Environment = {},
): readonly string[] {
  return Object.entries(envHeaders).flatMap(([header, variable]) =>
    environment[variable]?.trim()
      ? []
      : [`“${id}” gets no header “${header}”: the environment variable ${variable} is not set.`],
  );
}
