import type { ModelSettings } from '../../protocol/settings.ts';
import type { Dialect, WireApi } from './families.ts';

/** A server that models are reached through. Comes from settings that a workspace cannot touch (design decision 12). */
export interface ProviderConfig {
  readonly id: string;
  /** Up to and including `/v1`; may carry query parameters. */
  readonly baseUrl: string;
  readonly wireApi: WireApi;
  /** Told by the host name unless given. */
  readonly dialect?: Dialect | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly queryParams?: Readonly<Record<string, string>> | undefined;
  /** How the key that is stored for the origin travels; `api_key` is Azure's header. By dialect unless given. */
  readonly auth?: 'bearer' | 'api_key' | 'none' | undefined;
  /** Silence that ends an attempt; before the first byte `FIRST_BYTE_PATIENCE` times as long. */
  readonly streamIdleTimeoutMs?: number | undefined;
  /** What the settings say of its models, by their names. */
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined;
}

export const DEFAULT_STREAM_IDLE_TIMEOUT_MS = 300_000;

/** A server on a desk may read a long prompt for ten minutes before it says a word. */
export const FIRST_BYTE_PATIENCE = 6;

const AZURE_HOST =
  /(?:^|\.)(?:(?:openai|cognitiveservices|aoai)\.azure\.(?:com|us|cn)|services\.ai\.azure\.com|azure-api\.net|azurefd\.net)$/;

export function dialectOf({ dialect, baseUrl }: Pick<ProviderConfig, 'dialect' | 'baseUrl'>): Dialect {
  if (dialect !== undefined) return dialect;
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  if (host === 'openai.com' || host.endsWith('.openai.com')) return 'openai';
  return AZURE_HOST.test(host) ? 'azure' : 'plain';
}
