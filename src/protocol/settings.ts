/**
 * All settings, by key without `tiller.`: those that package.json contributes to VS Code, those of `settings.json` in
 * TILLER_HOME, and those of `-c key=value` (docs/cli.md). VS Code and the command line use this same list.
 */
import * as z from 'zod';
import { hooksSettingSchema } from './hooks.ts';
import { hostPatternSchema } from './hostPattern.ts';
import { mcpServersSettingSchema } from './mcp.ts';
import { PRIVATE_PLACES } from './privatePlaces.ts';
import { reasoningEffortSchema, reasoningSummarySchema } from './op.ts';
import { approvalPolicySchema, approvalReviewerSchema, reviewSettingSchema, sandboxModeSchema } from './policy.ts';
import { httpUrlSchema, providerSettingsSchema, verbositySchema, wireApiSchema } from './providers.ts';

/**
 * Settings are only parsed a few times: compiling a parser for so many fields takes zod 2 ms, parsing without one 0.1
 * ms.
 */
const WITHOUT_COMPILING = { jitless: true } as const;

/** The environment variables that commands get; `*` and `?` are wildcards in names, and case is ignored. */
const environmentSettingsSchema = z.strictObject({
  inherit: z.enum(['all', 'core', 'none']).default('all'),
  /** The variables that are always inherited, even if they look like secrets. */
  keep: z.array(z.string()).default([]),
  exclude: z.array(z.string()).default([]),
  set: z.record(z.string(), z.string()).default({}),
  /** If not empty, only these variables are set. */
  includeOnly: z.array(z.string()).default([]),
});
export type EnvironmentSettings = z.infer<typeof environmentSettingsSchema>;
export const DEFAULT_ENVIRONMENT: EnvironmentSettings = environmentSettingsSchema.parse({}, WITHOUT_COMPILING);

/** A size of server data that must fit into memory. The maximum is about the longest possible JavaScript string. */
const bytesSchema = z
  .int()
  .positive()
  .max(256 * 1024 * 1024);

/**
 * Accepts an empty text as `null`: the settings editor of VS Code has a control for a text, and none for a text or
 * null.
 */
function orNone<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? null : value), schema.nullable()).default(null);
}

const on = z.boolean().default(true);
const off = z.boolean().default(false);
const count = z.int().min(0);
const positive = z.int().positive();
/** Caps; `null` means no cap. */
const cap = positive.nullable().default(null);
const amountCap = z.number().positive().nullable().default(null);
const names = z.array(z.string().min(1));

export const settingsSchema = z.strictObject({
  /** The model, as its provider names it. */
  model: orNone(z.string()),
  /** A key of `providers` or one of the built-in ones. */
  provider: z.string().min(1).default('openai'),
  providers: z.record(z.string(), providerSettingsSchema).default({}),
  /** Replaces the provider's `baseUrl`. */
  baseUrl: orNone(httpUrlSchema),
  /** Replaces the provider's `wireApi`. */
  wireApi: wireApiSchema.nullable().default(null),
  approvalPolicy: approvalPolicySchema.default('on-request'),
  /** `model`: a model answers some approval requests for the user (docs/decisions/0079). */
  'approvals.reviewer': approvalReviewerSchema.default('user'),
  /** A model of the provider of the thread; `null`: the model of the thread. */
  'approvals.reviewerModel': orNone(z.string()),
  /** True if a new thread begins in plan mode: the model only reads and proposes a plan. */
  planMode: off,
  'sandbox.mode': sandboxModeSchema.default('workspace-write'),
  /** Absolute paths in which commands may write, in addition to the workspace. */
  'sandbox.writableRoots': z.array(z.string()).default([]),
  'sandbox.networkAccess': off,
  /** Hosts that commands in the sandbox may reach without `sandbox.networkAccess` (hostPattern.ts). */
  'sandbox.allowedHosts': z.array(hostPatternSchema).default([]),
  'sandbox.excludeTmpdirEnvVar': off,
  'sandbox.excludeSlashTmp': off,
  /**
   * Paths that the model may not read: absolute paths or `~/…`, and globs that begin with `**\/` or `!**\/`, which add
   * to `SECRET_FILES`. TILLER_HOME is never readable.
   */
  'sandbox.unreadable': z
    .array(z.string().regex(/^(!?\*\*\/|~?\/|[A-Za-z]:[\\/])/, 'must be absolute, or begin with ~/ or **/'))
    .default([...PRIVATE_PLACES]),
  environment: environmentSettingsSchema.prefault({}),
  review: reviewSettingSchema.default('before'),
  /** Not named `review.quickDiff`, because VS Code allows no setting within a setting. */
  reviewQuickDiff: on,
  /** True if changes of programs that Tiller does not run are marked, too. */
  reviewOtherPrograms: off,
  /**
   * Comments on lines in the editor, by the user and of reviews. `everywhere`: VS Code draws its + and a bar beside all lines
   * of the workspace; otherwise only in proposals and plans.
   */
  comments: z.enum(['off', 'onRequest', 'everywhere']).default('onRequest'),
  /** The severities of new problems that are reported to the model after a patch. */
  problemsAfterPatch: z.enum(['errors', 'errorsAndWarnings', 'off']).default('errors'),
  saveBeforeCommands: z.enum(['ask', 'always', 'never']).default('ask'),
  /** True if the model is offered `fetch_url`. */
  'web.fetch': on,
  /** The web search of the model's server: not offered, from the server's index, or of current pages. */
  'web.search': z.enum(['off', 'cached', 'live']).default('off'),
  /** A program and its arguments, started at the end of each completed turn with one more argument; empty: none. */
  notify: z
    .array(z.string())
    .refine(([program]) => program !== '', 'must begin with a program')
    .default([]),
  /** Programs that run at points of a turn (docs/hooks.md). */
  hooks: hooksSettingSchema.default({}),
  /** Names of tools that other extensions offer in VS Code and that the model is offered. */
  languageModelTools: names.default([]),
  /** True if the selection of the active editor is sent with each message. */
  attachSelection: on,
  /** The key that sends the message in the composer; with `ctrlEnter`, Enter begins a line. */
  sendKey: z.enum(['enter', 'ctrlEnter']).default('enter'),
  /** When VS Code notifies the user of the end of a turn. */
  'notifications.turnEnd': z.enum(['unfocused', 'never']).default('unfocused'),
  'reasoning.effort': reasoningEffortSchema.nullable().default(null),
  'reasoning.summary': reasoningSummarySchema.default('auto'),
  /** `null`: raw reasoning is shown if the server sends no summary. */
  'reasoning.showRaw': z.boolean().nullable().default(null),
  /** For models with adjustable verbosity; `null`: the default of the model family. */
  verbosity: verbositySchema.nullable().default(null),
  /** `save-all`: the user's messages are saved for the composer's history. */
  'history.persistence': z.enum(['save-all', 'none']).default('save-all'),
  'history.maxBytes': positive.default(1_048_576),
  /** The number of rounds of tool calls after which a turn pauses. */
  maxToolRounds: positive.default(200),
  /** Caps at which a turn pauses with a question, `null` for none: tokens and cost of one turn, one local day, one month. */
  'caps.turnTokens': cap,
  /** Costs are in the currency of the prices under `providers`, else of the server; where neither is known they count as 0. */
  'caps.turnCost': amountCap,
  'caps.dayTokens': cap,
  'caps.dayCost': amountCap,
  'caps.monthTokens': cap,
  'caps.monthCost': amountCap,
  /** Tools for sub-agents: none, `task` alone, or also `spawn_agent`, `send_input`, `wait`, `resume_agent`, `close_agent`. */
  'agents.tools': z.enum(['none', 'task', 'all']).default('task'),
  /** Sub-agents of one thread that are open at the same time. */
  'agents.maxThreads': positive.default(6),
  /** The maximum nesting of sub-agents; at 1 they start none. */
  'agents.maxDepth': positive.default(1),
  /** Caps of one sub-agent, `null` for none: tokens of all its requests, tool rounds of a turn, minutes of a turn. */
  'agents.maxTokens': cap,
  'agents.maxRounds': cap,
  'agents.maxMinutes': amountCap,
  /** `parallel`: a sub-agent that would write while another one of the thread may write works in a side copy. */
  'agents.sideCopies': z.enum(['never', 'parallel']).default('parallel'),
  /** Names of models in agent files, such as "sonnet", with the model of the provider that is used for each. */
  agentModels: z.record(z.string(), z.string().min(1)).default({}),
  /** Estimated tokens of the list of skills that the model gets; 0: no list. */
  'skills.maxTokens': count.default(2_000),
  /** Names or relative paths of ignored folders that a side copy links to the workspace. */
  'sideCopies.links': names.default(['node_modules', '.venv']),
  /** Tokens from which a thread is compacted; `null`: 90 % of 95 % of the window, 0: only when the server refuses. */
  'compaction.tokenLimit': count.nullable().default(null),
  /** The request for a summary when a thread is compacted; empty: Tiller's own. */
  'compaction.prompt': z.string().default(''),
  /** Attempts of one request, including the first. */
  'retry.maxAttempts': z.int().min(1).max(100).default(6),
  /**
   * Milliseconds without data after which an attempt ends. At the default or a higher value, the first byte may take at
   * least 30 minutes.
   */
  'stream.idleTimeoutMs': positive.default(300_000),
  /**
   * Milliseconds within which a response must grow; comments and keep-alives do not count. `null`: six times the idle
   * timeout.
   */
  'stream.progressTimeoutMs': cap,
  /** The maximum bytes to read of an HTTP error. */
  'stream.maxErrorBytes': bytesSchema.default(64 * 1024),
  /** The maximum bytes of one event of a response. */
  'stream.maxEventBytes': bytesSchema.default(32 * 1024 * 1024),
  /** The maximum bytes of one response. */
  'stream.maxResponseBytes': bytesSchema.default(64 * 1024 * 1024),
  /**
   * Maximum bytes of file contents in TILLER_HOME, with which changes of commands and patches can be undone; 0 keeps
   * none.
   */
  'undo.maxBytes': count.default(256 * 1024 * 1024),
  /** True if threads are saved as memories, which later threads can read. */
  'memory.enabled': off,
  /**
   * The MCP servers by name. `parseMcpServers` validates each entry separately, so that a mistake in one does not
   * disable the others.
   */
  mcpServers: mcpServersSettingSchema.default({}),
  /** The https address of a document that describes Tiller to the authorization servers of MCP servers. */
  'mcp.clientMetadataUrl': orNone(z.url({ protocol: /^https$/, error: 'must be an https URL' })),
  /** A file whose text replaces the base instructions. */
  baseInstructionsFile: orNone(z.string()),
  /** A text that is sent to the model after the base instructions. */
  userInstructions: z.string().default(''),
  /** The maximum bytes of AGENTS.md files of the project; 0 turns them off. */
  projectDocMaxBytes: count.default(32_768),
  /**
   * Names or relative paths of files that are used in a folder without AGENTS.md. The first one that exists is used.
   */
  projectDocFallbackFilenames: z
    .array(
      z.string().regex(/^(?!\/)(?!(.*\/)?\.\.(\/|$))[^\\]+$/, 'must be a file below the folder, with / in its path'),
    )
    .default(['CLAUDE.md', '.github/copilot-instructions.md', '.cursorrules']),
});
export type Settings = z.infer<typeof settingsSchema>;
export type SettingKey = keyof Settings;

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({}, WITHOUT_COMPILING);

export const SETTING_KEYS = Object.keys(settingsSchema.shape) as readonly SettingKey[];

export type SettingsResult =
  | { readonly type: 'settings'; readonly settings: Settings }
  | { readonly type: 'invalid'; readonly message: string };

/**
 * Returns the settings from the given values, with defaults for the rest. The caller merges the layers; the last one
 * has precedence.
 */
export function parseSettings(values: Readonly<Record<string, unknown>>): SettingsResult {
  const parsed = settingsSchema.safeParse(values, WITHOUT_COMPILING);
  if (parsed.success) return { type: 'settings', settings: parsed.data };
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys' && issue.path.length === 0) {
    return { type: 'invalid', message: `there is no setting "${issue.keys[0]}"` };
  }
  return { type: 'invalid', message: `setting "${issue?.path.join('.') ?? ''}": ${issue?.message ?? 'is not valid'}` };
}

/**
 * Returns the values with that of `-c a.b=V`: the longest known key matches, and the rest of the path leads into its
 * value. Returns `undefined` if no key matches.
 */
export function placeSetting(
  values: Readonly<Record<string, unknown>>,
  dotted: string,
  value: unknown,
): Record<string, unknown> | undefined {
  const key = SETTING_KEYS.filter((known) => dotted === known || dotted.startsWith(`${known}.`)).toSorted(
    (left, right) => right.length - left.length,
  )[0];
  if (key === undefined) return undefined;
  const path = dotted === key ? [] : dotted.slice(key.length + 1).split('.');
  return { ...values, [key]: placed(values[key], path, value) };
}

function placed(around: unknown, path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const object = typeof around === 'object' && around !== null && !Array.isArray(around) ? around : {};
  return { ...object, [step]: placed((object as Record<string, unknown>)[step], rest, value) };
}
