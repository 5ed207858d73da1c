/** Servers for models, as data: their settings. */
import * as z from 'zod';
import { reasoningEffortSchema } from './op.ts';
import { lazyStrictObject } from './lazyObject.ts';

export const wireApiSchema = z.enum(['responses', 'chat', 'messages']);
/** An API that servers of models have. */
export type WireApi = z.infer<typeof wireApiSchema>;

export const httpUrlSchema = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

export const verbositySchema = z.enum(['low', 'medium', 'high']);

/**
 * The user's settings for a model. Each field takes precedence over the server's report and the guess from the model's
 * name (`abilitiesOf` in core/model). Prices are for a million tokens, in any currency.
 */
const modelSettingsSchema = lazyStrictObject(() => ({
  contextWindow: z.number().int().positive().optional(),
  inputPrice: z.number().min(0).optional(),
  /** Equals `inputPrice` if absent. */
  cachedInputPrice: z.number().min(0).optional(),
  /** Of input that is written to the cache, where the server counts it. A quarter more than `inputPrice` if absent. */
  cacheWritePrice: z.number().min(0).optional(),
  outputPrice: z.number().min(0).optional(),
  /** A model that Tiller knows, where the server has a name of its own for it: a deployment of Azure, an alias. */
  family: z.string().min(1).optional(),
  /** The form in which the patch tool is offered. */
  applyPatch: z.enum(['freeform', 'function']).optional(),
  /** `local_shell` is a tool of Responses; the others are functions. */
  shell: z.enum(['exec_command', 'shell', 'shell_command', 'local_shell']).optional(),
  /** True if `read_file`, `list_dir` and `grep_files` are offered. */
  fileTools: z.boolean().optional(),
  /** True if `request_user_input` is offered. */
  userQuestions: z.boolean().optional(),
  parallelToolCalls: z.boolean().optional(),
  images: z.boolean().optional(),
  /** The longest answer that the model writes, in tokens, reasoning included. Messages requires a limit in each request. */
  maxOutput: z.number().int().positive().optional(),
  /** `false`: the model takes no reasoning effort. */
  reasoning: z
    .union([
      z.literal(false),
      z.strictObject({
        efforts: z.array(reasoningEffortSchema).min(1),
        /** Sent when the user has chosen no effort; without it the field is left out then. */
        defaultEffort: reasoningEffortSchema.optional(),
        summaries: z.boolean().default(false),
        /** The form in which Messages is asked for reasoning; that of the model's name if absent. */
        thinking: z.enum(['adaptive', 'budget']).optional(),
      }),
    ])
    .optional(),
  /** The default; `false`: the model takes no verbosity. */
  verbosity: z.union([z.literal(false), verbositySchema]).optional(),
  store: z.boolean().optional(),
  /** True if the base instructions explain the format of patches. */
  extraInstructions: z.boolean().optional(),
}));
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** A server for models. Contains no keys: those are stored under their origin. */
export const providerSettingsSchema = lazyStrictObject(() => ({
  /** Shown instead of the key under which the server is in the settings. */
  name: z.string().min(1).optional(),
  baseUrl: httpUrlSchema,
  wireApi: wireApiSchema.default('responses'),
  headers: z.record(z.string(), z.string()).optional(),
  /** Names of headers and of the environment variables with their values; without the variable the header is not sent. */
  envHeaders: z.record(z.string(), z.string().min(1)).optional(),
  queryParams: z.record(z.string(), z.string()).optional(),
  auth: z.enum(['bearer', 'api_key', 'x_api_key', 'none']).optional(),
  /** The kind of server, if the host name does not show it: decides which fields it may be sent. */
  dialect: z.enum(['openai', 'azure', 'openrouter', 'plain']).optional(),
  /** True if the server stores responses. If absent: true for Azure, false for OpenAI, not sent to others. */
  store: z.boolean().optional(),
  /**
   * The field in which images of tools are sent; `message`: in a user message behind the outputs, as Chat Completions
   * requires.
   */
  toolImages: z.enum(['output', 'message', 'none']).optional(),
  /** Instead of `retry.maxAttempts`. */
  maxAttempts: z.number().int().min(1).max(100).optional(),
  /** Instead of `stream.idleTimeoutMs`. */
  idleTimeoutMs: z.number().int().positive().optional(),
  /** A known model that all models of this server with unknown names resemble. */
  family: z.string().min(1).optional(),
  /** By the provider's model name. */
  models: z.record(z.string(), modelSettingsSchema).optional(),
}));
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;

/** Returns true if the host name is this machine; such servers need no key. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}
