/** Servers for models, as data: what the settings say about one, and the servers that Tiller knows by name. */
import * as z from 'zod';
import { reasoningEffortSchema } from './op.ts';
import { ownValue } from './ownValue.ts';

export const wireApiSchema = z.enum(['responses', 'chat']);
/** An API that servers of models have. */
export type WireApi = z.infer<typeof wireApiSchema>;

export const httpUrlSchema = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

export const verbositySchema = z.enum(['low', 'medium', 'high']);

/**
 * What the user knows about a model. Each field takes precedence over what the server reports and what the model's name
 * implies (`abilitiesOf` in core/model). Prices are for a million tokens, in any currency.
 */
const modelSettingsSchema = z.strictObject({
  contextWindow: z.number().int().positive().optional(),
  inputPrice: z.number().min(0).optional(),
  /** Equals `inputPrice` if absent. */
  cachedInputPrice: z.number().min(0).optional(),
  outputPrice: z.number().min(0).optional(),
  /** A model that Tiller knows, where the server has a name of its own for it: a deployment of Azure, an alias. */
  family: z.string().min(1).optional(),
  /** The form in which the patch tool is offered. */
  applyPatch: z.enum(['freeform', 'function']).optional(),
  /** `local_shell` is a tool of Responses; the others are functions. */
  shell: z.enum(['exec_command', 'shell', 'shell_command', 'local_shell']).optional(),
  /** Whether `read_file`, `list_dir` and `grep_files` are offered. */
  fileTools: z.boolean().optional(),
  /** Whether `request_user_input` is offered. */
  userQuestions: z.boolean().optional(),
  parallelToolCalls: z.boolean().optional(),
  images: z.boolean().optional(),
  /** `false`: the model takes no reasoning effort. */
  reasoning: z
    .union([
      z.literal(false),
      z.strictObject({
        efforts: z.array(reasoningEffortSchema).min(1),
        /** Sent when the user has chosen no effort; without it nothing is sent then. */
        defaultEffort: reasoningEffortSchema.optional(),
        summaries: z.boolean().default(false),
      }),
    ])
    .optional(),
  /** The default; `false`: the model takes no verbosity. */
  verbosity: z.union([z.literal(false), verbositySchema]).optional(),
  store: z.boolean().optional(),
  /** Whether the base instructions explain the format of patches. */
  extraInstructions: z.boolean().optional(),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** A server for models. Contains no keys: those are stored under their origin. */
export const providerSettingsSchema = z.strictObject({
  baseUrl: httpUrlSchema,
  wireApi: wireApiSchema.default('responses'),
  headers: z.record(z.string(), z.string()).optional(),
  /** Names of headers and of the environment variables with their values; without the variable the header is not sent. */
  envHeaders: z.record(z.string(), z.string().min(1)).optional(),
  queryParams: z.record(z.string(), z.string()).optional(),
  auth: z.enum(['bearer', 'api_key', 'none']).optional(),
  /** The kind of server, if the host name does not show it: decides what it may be sent. */
  dialect: z.enum(['openai', 'azure', 'openrouter', 'plain']).optional(),
  /** Whether the server stores responses. Without it Azure does, OpenAI does not, and others are not asked. */
  store: z.boolean().optional(),
  /** Where images of tools are sent; `message`: in a user message behind the outputs, as Chat Completions requires. */
  toolImages: z.enum(['output', 'message', 'none']).optional(),
  /** Instead of `retry.maxAttempts`. */
  maxAttempts: z.number().int().min(1).max(100).optional(),
  /** Instead of `stream.idleTimeoutMs`. */
  idleTimeoutMs: z.number().int().positive().optional(),
  /** A model that Tiller knows and that all models of this server resemble whose own names say nothing. */
  family: z.string().min(1).optional(),
  /** By the provider's model name. */
  models: z.record(z.string(), modelSettingsSchema).optional(),
});
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;

/** A server that Tiller knows by name. */
export interface KnownProvider {
  /** Its own name, for display. */
  readonly title: string;
  /** `null`: each account has an address of its own, and the user is asked for it. */
  readonly settings: ProviderSettings | null;
  /** What the user's settings begin with where the address is asked for. */
  readonly template?: Omit<ProviderSettings, 'baseUrl'>;
  /** An example of the address, where it is asked for. */
  readonly addressExample?: string;
  /** The environment variable that usually has the key. It is only read when the user chooses it. */
  readonly keyVariable?: string;
}

/** In display order. `providers` in the settings may add others or replace these. */
export const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: {
    title: 'OpenAI',
    settings: { baseUrl: 'https://api.openai.com/v1', wireApi: 'responses' },
    keyVariable: 'OPENAI_API_KEY',
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
  ollama: {
    title: 'Ollama',
    settings: { baseUrl: 'http://127.0.0.1:11434/v1', wireApi: 'chat', auth: 'none' },
  },
  lmstudio: {
    title: 'LM Studio',
    settings: { baseUrl: 'http://127.0.0.1:1234/v1', wireApi: 'chat', auth: 'none' },
  },
  // Both can be started with `--api-key`: a key that was entered for the origin is sent.
  llamacpp: { title: 'llama.cpp', settings: { baseUrl: 'http://127.0.0.1:8080/v1', wireApi: 'chat' } },
  vllm: { title: 'vLLM', settings: { baseUrl: 'http://127.0.0.1:8000/v1', wireApi: 'chat' } },
};

interface Providers {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
}

/** Those that have an address, in display order: those of the settings first. */
export function providerNames({ providers }: Providers): readonly string[] {
  const known = Object.entries(KNOWN_PROVIDERS).flatMap(([name, { settings }]) => (settings === null ? [] : [name]));
  return [...new Set([...Object.keys(providers), ...known])];
}

/** The server with that name; the settings may replace a built-in one. */
export function providerNamed({ providers }: Providers, name: string): ProviderSettings | undefined {
  return ownValue(providers, name) ?? ownValue(KNOWN_PROVIDERS, name)?.settings ?? undefined;
}

/** Its name for display. */
export function providerTitle(name: string): string {
  return ownValue(KNOWN_PROVIDERS, name)?.title ?? name;
}

/** Whether an address is on this machine, by its host name: such servers are not asked for a key. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}
