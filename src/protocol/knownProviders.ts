/** The providers that Tiller knows by name. This file uses no schema, so that the panel can import it. */
import { ownValue } from './ownValue.ts';
import type { ProviderSettings } from './providers.ts';

/** The id of the embedded scripted provider, which is not a remote server (design decision 3). */
export const DEMO_PROVIDER = 'demo';

/** The id of the models that other extensions offer in VS Code. */
export const VSCODE_PROVIDER = 'vscode';

const IN_PROCESS = [DEMO_PROVIDER, VSCODE_PROVIDER] as const;
/** The providers whose models are not reached by HTTP. Each has a `ModelClientFactory` in extension/createModels.ts. */
export type InProcessProvider = (typeof IN_PROCESS)[number];

/** Returns true for a provider whose models are not reached by HTTP. */
export function isInProcess(id: string): id is InProcessProvider {
  return IN_PROCESS.some((known) => known === id);
}

/** A server that Tiller knows by name. */
export interface KnownProvider {
  /** The server's own name, for display. */
  readonly title: string;
  /**
   * The settings of a server that is always listed. `null`: it is only listed for users who have added it to their
   * settings.
   */
  readonly settings: ProviderSettings | null;
  /**
   * The initial settings for a user who chooses the server. Without `baseUrl`, each account has its own address, and
   * the user is asked for it.
   */
  readonly template?: Omit<ProviderSettings, 'baseUrl'> & Partial<Pick<ProviderSettings, 'baseUrl'>>;
  /** An example of the address, shown if the user is asked for it. */
  readonly addressExample?: string;
  /** The environment variable that usually contains the key. It is only read if the user chooses it. */
  readonly keyVariable?: string;
}

/** The known servers, in display order. `providers` in the settings may add servers or replace these. */
export const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: {
    title: 'OpenAI',
    settings: { baseUrl: 'https://api.openai.com/v1', wireApi: 'responses' },
    keyVariable: 'OPENAI_API_KEY',
  },
  anthropic: {
    title: 'Anthropic',
    settings: { baseUrl: 'https://api.anthropic.com/v1', wireApi: 'messages' },
    keyVariable: 'ANTHROPIC_API_KEY',
  },
  azure: {
    title: 'Azure OpenAI',
    settings: null,
    template: { wireApi: 'responses', dialect: 'azure', auth: 'api_key' },
    addressExample: 'https://NAME.openai.azure.com/openai/v1',
    keyVariable: 'AZURE_OPENAI_API_KEY',
  },
  openrouter: {
    title: 'OpenRouter',
    settings: { baseUrl: 'https://openrouter.ai/api/v1', wireApi: 'chat' },
    keyVariable: 'OPENROUTER_API_KEY',
  },
  // Services that offer Chat Completions, according to their own documentation (docs/models.md).
  gemini: {
    title: 'Google Gemini',
    settings: null,
    template: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', wireApi: 'chat' },
    keyVariable: 'GEMINI_API_KEY',
  },
  deepseek: {
    title: 'DeepSeek',
    settings: null,
    template: { baseUrl: 'https://api.deepseek.com/v1', wireApi: 'chat' },
    keyVariable: 'DEEPSEEK_API_KEY',
  },
  mistral: {
    title: 'Mistral',
    settings: null,
    template: { baseUrl: 'https://api.mistral.ai/v1', wireApi: 'chat' },
    keyVariable: 'MISTRAL_API_KEY',
  },
  xai: {
    title: 'xAI',
    settings: null,
    template: { baseUrl: 'https://api.x.ai/v1', wireApi: 'chat' },
    keyVariable: 'XAI_API_KEY',
  },
  groq: {
    title: 'Groq',
    settings: null,
    template: { baseUrl: 'https://api.groq.com/openai/v1', wireApi: 'chat' },
    keyVariable: 'GROQ_API_KEY',
  },
  ollama: {
    title: 'Ollama',
    settings: { baseUrl: 'http://127.0.0.1:11434/v1', wireApi: 'chat', auth: 'none' },
  },
  lmstudio: {
    title: 'LM Studio',
    settings: { baseUrl: 'http://127.0.0.1:1234/v1', wireApi: 'chat', auth: 'none' },
  },
  // Both servers can be started with `--api-key`: a key that was entered for their origin is sent.
  llamacpp: { title: 'llama.cpp', settings: { baseUrl: 'http://127.0.0.1:8080/v1', wireApi: 'chat' } },
  vllm: { title: 'vLLM', settings: { baseUrl: 'http://127.0.0.1:8000/v1', wireApi: 'chat' } },
};

/** The part of the settings that gives servers a name. */
export interface NamedProviders {
  readonly providers: Readonly<Record<string, Pick<ProviderSettings, 'name'>>>;
}

interface Providers {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
}

/** Returns the providers that have an address, in display order: first those of the settings. */
export function providerNames({ providers }: Providers): readonly string[] {
  const known = Object.entries(KNOWN_PROVIDERS).flatMap(([name, { settings }]) => (settings === null ? [] : [name]));
  return [...new Set([...Object.keys(providers), ...known])];
}

/** Returns the server with that name. A server of the settings replaces a built-in one. */
export function providerNamed({ providers }: Providers, name: string): ProviderSettings | undefined {
  return ownValue(providers, name) ?? ownValue(KNOWN_PROVIDERS, name)?.settings ?? undefined;
}

/**
 * Returns the name of a server for display: the one that the user gave it, else its own name, else its id in the
 * settings.
 */
export function providerTitle({ providers }: NamedProviders, id: string): string {
  return ownValue(providers, id)?.name ?? ownValue(KNOWN_PROVIDERS, id)?.title ?? id;
}
