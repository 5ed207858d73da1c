/** The settings of servers for models. */
import * as z from 'zod';
import { reasoningEffortSchema } from './op.ts';
import { lazyStrictObject } from './lazyObject.ts';

export const wireApiSchema = z.enum(['responses', 'chat', 'messages']);
/** An API that a server of models offers. */
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
  /** The price of cached input; if absent, `inputPrice`. */
  cachedInputPrice: z.number().min(0).optional(),
  /** The price of input that is written to the cache, where the server counts it. A quarter more than `inputPrice` if absent. */
  cacheWritePrice: z.number().min(0).optional(),
  outputPrice: z.number().min(0).optional(),
  /** A model that Tiller knows, if the server uses another name for it, such as a deployment of Azure or an alias. */
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
  /** The maximum tokens of an answer, including reasoning. Messages requires this limit in each request. */
  maxOutput: z.number().int().positive().optional(),
  /** The reasoning efforts; `false` if the model takes none. */
  reasoning: z
    .union([
      z.literal(false),
      z.strictObject({
        efforts: z.array(reasoningEffortSchema).min(1),
        /** The effort that is sent if the user has chosen none. If absent, the field is left out. */
        defaultEffort: reasoningEffortSchema.optional(),
        summaries: z.boolean().default(false),
        /** The form in which reasoning is requested with Messages; if absent, derived from the model's name. */
        thinking: z.enum(['adaptive', 'budget']).optional(),
      }),
    ])
    .optional(),
  /** The default verbosity; `false` if the model takes none. */
  verbosity: z.union([z.literal(false), verbositySchema]).optional(),
  store: z.boolean().optional(),
  /** True if the base instructions explain the format of patches. */
  extraInstructions: z.boolean().optional(),
}));
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** A server for models. Contains no keys: those are stored under their origin. */
export const providerSettingsSchema = lazyStrictObject(() => ({
  /** The name for display, instead of the key in the settings. */
  name: z.string().min(1).optional(),
  baseUrl: httpUrlSchema,
  wireApi: wireApiSchema.default('responses'),
  headers: z.record(z.string(), z.string()).optional(),
  /**
   * Headers, each with the name of the environment variable that has its value. If the variable is not set, the header
   * is not sent.
   */
  envHeaders: z.record(z.string(), z.string().min(1)).optional(),
  queryParams: z.record(z.string(), z.string()).optional(),
  auth: z.enum(['bearer', 'api_key', 'x_api_key', 'none']).optional(),
  /** The kind of server, if the host name does not show it. It determines which fields may be sent. */
  dialect: z.enum(['openai', 'azure', 'openrouter', 'plain']).optional(),
  /** True if the server stores responses. If absent: true for Azure, false for OpenAI, not sent to others. */
  store: z.boolean().optional(),
  /**
   * The place where images of tools are sent. `output`: in the tool's output; `message`: in a user message after the
   * outputs, as Chat Completions requires; `none`: nowhere.
   */
  toolImages: z.enum(['output', 'message', 'none']).optional(),
  /** Replaces `retry.maxAttempts` for this server. */
  maxAttempts: z.number().int().min(1).max(100).optional(),
  /** Replaces `stream.idleTimeoutMs` for this server. */
  idleTimeoutMs: z.number().int().positive().optional(),
  /** A known model whose abilities are assumed for all models of this server that have unknown names. */
  family: z.string().min(1).optional(),
  /** Settings of models, by the provider's name of the model. */
  models: z.record(z.string(), modelSettingsSchema).optional(),
}));
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;

/** Returns true if the host name is this machine; such servers need no key. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}
