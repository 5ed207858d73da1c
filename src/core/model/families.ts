/**
 * The capabilities of models, as data: the first pattern that matches the slug decides (design §2, `ModelFamily`). A
 * model that is not listed gets those that every server understands.
 */
import type { WireApi } from '../../protocol/providers.ts';
import type { ReasoningEffort } from '../../protocol/op.ts';

export type Verbosity = 'low' | 'medium' | 'high';

export interface ReasoningAbility {
  /** Sent when the user has chosen none; `null`: the field is left out then. */
  readonly defaultEffort: ReasoningEffort | null;
  /** The efforts that it takes, the lowest first. `null`: unknown, so any is sent that the user chooses. */
  readonly efforts: readonly ReasoningEffort[] | null;
  readonly summaries: boolean;
  /** The form in which Messages is asked for reasoning; absent for unknown models. */
  readonly thinking?: ThinkingForm | undefined;
}

/**
 * The form in which a request of Messages turns reasoning on and off (platform.claude.com/docs/en/build-with-claude/thinking):
 * `always`: it cannot be turned off · `between_tools`: the least is between the calls of tools · `adaptive`: the model
 * decides, and it can be turned off · `budget`: only by a number of tokens.
 */
export type ThinkingForm = 'always' | 'between_tools' | 'adaptive' | 'budget';

export interface VerbosityAbility {
  /** Sent when the user has chosen none; `null`: the field is left out then. */
  readonly default: Verbosity | null;
}

export interface ModelFamily {
  /** A stable name for logs and snapshots. */
  readonly id: string;
  /** Free text with a grammar, or a function with `{input}`. */
  readonly applyPatch: 'freeform' | 'function';
  /** True when the base instructions explain the patch format, because the model was not trained on it. */
  readonly extraInstructions: boolean;
  /** `local_shell` is a tool of the wire; all other models get `exec_command`. */
  readonly shell: 'exec_command' | 'local_shell';
  /** `null` when the model does not take a reasoning effort. */
  readonly reasoning: ReasoningAbility | null;
  /** `null` when the model does not take a verbosity. */
  readonly verbosity: VerbosityAbility | null;
  /** True when `read_file`, `list_dir` and `grep_files` are offered; other models read files by commands. */
  readonly fileTools: boolean;
  /** True when `request_user_input` is offered. */
  readonly userQuestions: boolean;
  readonly parallelToolCalls: boolean;
  /** True when the model accepts images in messages and tool outputs. */
  readonly images: boolean;
  /** In tokens; `null` where it is unknown. */
  readonly contextWindow: number | null;
  /** The longest answer, in tokens, reasoning included; `null` where it is unknown. */
  readonly maxOutput: number | null;
}

/** The assumptions for a model that is not listed. */
export const UNKNOWN_FAMILY: ModelFamily = {
  id: 'unknown',
  applyPatch: 'function',
  extraInstructions: true,
  shell: 'exec_command',
  reasoning: { defaultEffort: null, efforts: null, summaries: false },
  verbosity: null,
  fileTools: true,
  userQuestions: true,
  parallelToolCalls: true,
  images: true,
  contextWindow: null,
  maxOutput: null,
};

/**
 * The efforts of OpenAI's reasoning models (developers.openai.com/api/docs/guides/reasoning and the pages of the models):
 * `minimal` came with gpt-5, `none` took its place with gpt-5.1, `xhigh` came with gpt-5.1-codex-max and gpt-5.2, `max` with
 * gpt-5.6.
 */
const EFFORTS = {
  gpt5: ['minimal', 'low', 'medium', 'high'],
  oSeries: ['low', 'medium', 'high'],
  newer: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  newest: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
} as const;

/** The context window that Codex uses: newer models accept a million tokens, at twice the price beyond this. */
const GPT_5: Omit<ModelFamily, 'id'> = {
  applyPatch: 'freeform',
  extraInstructions: false,
  shell: 'exec_command',
  reasoning: { defaultEffort: 'medium', efforts: EFFORTS.newer, summaries: true },
  verbosity: { default: 'low' },
  // Trained on reading files by commands.
  fileTools: false,
  userQuestions: true,
  parallelToolCalls: true,
  images: true,
  contextWindow: 272_000,
  maxOutput: null,
};

const O_SERIES: Omit<ModelFamily, 'id'> = {
  ...GPT_5,
  applyPatch: 'function',
  extraInstructions: true,
  reasoning: { defaultEffort: 'medium', efforts: EFFORTS.oSeries, summaries: true },
  verbosity: null,
  fileTools: true,
  parallelToolCalls: false,
  contextWindow: 200_000,
};

const GPT_4: Omit<ModelFamily, 'id'> = {
  ...UNKNOWN_FAMILY,
  reasoning: null,
  contextWindow: 128_000,
};

/** The efforts of models that reason within a budget, which Tiller computes. */
const BUDGET_EFFORTS = ['low', 'medium', 'high', 'xhigh'] as const;
const CLAUDE_EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/**
 * Models of Anthropic (platform.claude.com/docs/en/about-claude/models/overview, and …/build-with-claude/effort and
 * …/thinking for efforts; November 2026): those up to 4.5 reason only within a budget, all later ones as they see fit.
 */
function claude(
  id: string,
  thinking: ThinkingForm | null,
  efforts: readonly ReasoningEffort[] = thinking === 'budget' ? BUDGET_EFFORTS : CLAUDE_EFFORTS,
  limits: Pick<ModelFamily, 'contextWindow' | 'maxOutput'> = { contextWindow: 1_000_000, maxOutput: 128_000 },
): ModelFamily {
  const reasoning = thinking && { defaultEffort: null, efforts, summaries: false, thinking };
  return { ...UNKNOWN_FAMILY, id, reasoning, ...limits };
}

/** True for names of Anthropic's models, also with the prefix of a cloud before them. */
function isClaude({ id }: ModelFamily): boolean {
  return id.startsWith('claude');
}

const CLAUDE_4 = { contextWindow: 200_000, maxOutput: 64_000 };

/** In order: more specific patterns come first. Slugs are compared in lower case, without `vendor/`. */
const FAMILIES: readonly (readonly [pattern: RegExp, family: ModelFamily])[] = [
  [
    /^demo$/,
    {
      ...UNKNOWN_FAMILY,
      id: 'demo',
      reasoning: null,
      extraInstructions: false,
      fileTools: false,
      contextWindow: 128_000,
    },
  ],
  [/^codex-mini/, { ...O_SERIES, id: 'codex-mini', shell: 'local_shell', fileTools: false, images: false }],
  [
    /^gpt-5(?:\.\d+)?-codex-spark/,
    { ...GPT_5, id: 'gpt-5-codex-spark', verbosity: null, images: false, contextWindow: 128_000 },
  ],
  [/^gpt-5(?:\.\d+)?-codex/, { ...GPT_5, id: 'gpt-5-codex', verbosity: null }],
  [
    /^gpt-5(?:\.\d+)?-chat/,
    {
      ...GPT_5,
      id: 'gpt-5-chat',
      applyPatch: 'function',
      extraInstructions: true,
      reasoning: null,
      verbosity: null,
      contextWindow: 128_000,
    },
  ],
  [
    /^gpt-5-pro/,
    {
      ...GPT_5,
      id: 'gpt-5-pro',
      extraInstructions: true,
      // The only effort that it supports.
      reasoning: { defaultEffort: 'high', efforts: ['high'], summaries: true },
      verbosity: { default: 'medium' },
    },
  ],
  [
    /^gpt-5(?:-(?:mini|nano))?(?:-\d|$)/,
    {
      ...GPT_5,
      id: 'gpt-5',
      extraInstructions: true,
      reasoning: { defaultEffort: 'medium', efforts: EFFORTS.gpt5, summaries: true },
      verbosity: { default: 'medium' },
    },
  ],
  [
    /^gpt-5\.(?:[6-9]|\d\d)/,
    {
      ...GPT_5,
      id: 'gpt-5.x',
      reasoning: { defaultEffort: 'medium', efforts: EFFORTS.newest, summaries: true },
    },
  ],
  [/^gpt-(?:5\.\d|[6-9])/, { ...GPT_5, id: 'gpt-5.x' }],
  [
    /^gpt-oss/,
    {
      ...UNKNOWN_FAMILY,
      id: 'gpt-oss',
      reasoning: { defaultEffort: 'medium', efforts: EFFORTS.oSeries, summaries: false },
      images: false,
      contextWindow: 131_072,
    },
  ],
  [/^o[13]-mini/, { ...O_SERIES, id: 'o-mini', images: false }],
  [/^o[134](?:-|$)/, { ...O_SERIES, id: 'o-series' }],
  [/^gpt-4\.1/, { ...GPT_4, id: 'gpt-4.1', contextWindow: 1_047_576 }],
  [/^(?:gpt-4o|chatgpt-4o)/, { ...GPT_4, id: 'gpt-4o' }],
  [/^gpt-4-(?:turbo|vision|\d{4}-preview)/, { ...GPT_4, id: 'gpt-4-turbo' }],
  [/^gpt-4(?:-|$)/, { ...GPT_4, id: 'gpt-4', images: false, contextWindow: 8192 }],
  [/^gpt-4/, { ...GPT_4, id: 'gpt-4.x' }],
  [/claude-(?:fable|mythos)/, claude('claude-fable', 'always')],
  [/claude-haiku-(?:[5-9]|\d\d)/, claude('claude-haiku-5', 'adaptive', ['none', ...CLAUDE_EFFORTS])],
  [/claude-sonnet-(?:5[-.][5-9]|[6-9])/, claude('claude-sonnet-5.5', 'between_tools', ['none', ...CLAUDE_EFFORTS])],
  [/claude-opus-(?:5[-.][5-9]|[6-9])/, claude('claude-opus-5.5', 'always')],
  [/claude-(?:opus|sonnet)-(?:5|4[-.][7-9])(?!\d)/, claude('claude-5', 'adaptive', ['none', ...CLAUDE_EFFORTS])],
  [/claude-(?:opus|sonnet)-4[-.]6(?!\d)/, claude('claude-4.6', 'adaptive', ['none', 'low', 'medium', 'high', 'max'])],
  [/claude-opus-4(?![-.]5(?!\d))/, claude('claude-opus-4', 'budget', undefined, { ...CLAUDE_4, maxOutput: 32_000 })],
  [/claude-(?:opus|sonnet|haiku)-4/, claude('claude-4', 'budget', undefined, CLAUDE_4)],
  [/claude-3[-.]7/, claude('claude-3.7', 'budget', undefined, CLAUDE_4)],
  [/claude-3[-.]5/, claude('claude-3.5', null, undefined, { contextWindow: 200_000, maxOutput: 8192 })],
  [/claude-3/, claude('claude-3', null, undefined, { contextWindow: 200_000, maxOutput: 4096 })],
  [/^gpt-3\.5/, { ...GPT_4, id: 'gpt-3.5', images: false, contextWindow: 16_385 }],
];

/** The effort to send: the user's if the model takes it, else the default. `null`: none. */
export function effortFor(
  { efforts, defaultEffort }: ReasoningAbility,
  chosen: ReasoningEffort | null,
): ReasoningEffort | null {
  const isTaken = chosen !== null && (efforts === null || efforts.includes(chosen));
  return isTaken ? chosen : defaultEffort;
}

/**
 * Finds the family by the last part of the name, `openai/gpt-5` by `gpt-5`; `UNKNOWN_FAMILY` where no pattern matches.
 */
export function familyOf(model: string): ModelFamily {
  const slug = model.toLowerCase().split('/').at(-1) ?? '';
  return FAMILIES.find(([pattern]) => pattern.test(slug))?.[1] ?? UNKNOWN_FAMILY;
}

/**
 * The kind of server: only OpenAI and Azure are known to accept more than functions, and to respect the field `store`;
 * OpenRouter has a form of its own for reasoning on Chat Completions. `plain` is any other server.
 */
export type Dialect = 'openai' | 'azure' | 'openrouter' | 'plain';

interface WireTraits {
  /** As users know it. */
  readonly name: string;
  /** Tools of other types cannot be sent. */
  readonly functionsOnly: boolean;
  /** The server stores a response unless the request forbids it. */
  readonly stores: boolean;
}

/** The features of each API, independent of the model. */
export const WIRE_TRAITS: Readonly<Record<WireApi, WireTraits>> = {
  responses: { name: 'Responses', functionsOnly: false, stores: true },
  chat: { name: 'Chat Completions', functionsOnly: true, stores: false },
  messages: { name: 'Messages', functionsOnly: true, stores: false },
};

/** True for the kinds of server that are known to implement the whole wire. */
export function isComplete(dialect: Dialect): boolean {
  return dialect === 'openai' || dialect === 'azure';
}

/** True when more than functions may be sent: for a known model on a server that is known to accept it. */
export function takesEverything(model: string, dialect: Dialect): boolean {
  const family = familyOf(model);
  return isComplete(dialect) && family.id !== UNKNOWN_FAMILY.id && !isClaude(family);
}

/**
 * The capabilities that remain of a known model on this server and wire. Efforts and verbosities are sent there only
 * when the user has chosen one: the server decides the rest, and it may refuse them (`fieldFallback.ts`).
 */
export function capabilitiesOf(model: string, dialect: Dialect, wireApi: WireApi): ModelFamily {
  const family = familyOf(model);
  if (!WIRE_TRAITS[wireApi].functionsOnly && takesEverything(model, dialect)) return family;
  return {
    ...family,
    applyPatch: 'function',
    extraInstructions: family.extraInstructions || family.applyPatch === 'freeform',
    shell: 'exec_command',
    reasoning: family.reasoning && { ...family.reasoning, defaultEffort: null, summaries: false },
    verbosity: family.verbosity && { default: null },
  };
}
