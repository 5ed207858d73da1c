/**
 * The capabilities of models, as data: the first pattern that matches the slug decides (design §2, `ModelFamily`). A
 * model that is not listed gets what every server understands.
 */
import type { ReasoningEffort } from '../../protocol/op.ts';

export type Verbosity = 'low' | 'medium' | 'high';

export interface ModelFamily {
  /** A stable name for logs and snapshots. */
  readonly id: string;
  /** Free text with a grammar, or a function with `{input}`. */
  readonly applyPatch: 'freeform' | 'function';
  /** True when the base instructions explain the patch format, because the model was not trained on it. */
  readonly extraInstructions: boolean;
  /** `local_shell` is a tool of the wire; all other models get `exec_command`. */
  readonly shell: 'exec_command' | 'local_shell';
  /** `null` when the model does not accept the field `reasoning`. */
  readonly reasoning: { readonly defaultEffort: ReasoningEffort; readonly summaries: boolean } | null;
  /** `null` when the model does not accept `verbosity`. */
  readonly verbosity: Verbosity | null;
  readonly parallelToolCalls: boolean;
  /** True when the model accepts images in messages and tool outputs. */
  readonly images: boolean;
  /** In tokens; `null` where it is unknown. */
  readonly contextWindow: number | null;
}

/** The assumptions for a model that is not listed. */
export const UNKNOWN_FAMILY: ModelFamily = {
  id: 'unknown',
  applyPatch: 'function',
  extraInstructions: true,
  shell: 'exec_command',
  reasoning: null,
  verbosity: null,
  parallelToolCalls: true,
  images: true,
  contextWindow: null,
};

/** The context window that Codex uses: newer models accept a million tokens, at twice the price beyond this. */
const GPT_5: Omit<ModelFamily, 'id'> = {
  applyPatch: 'freeform',
  extraInstructions: false,
  shell: 'exec_command',
  reasoning: { defaultEffort: 'medium', summaries: true },
  verbosity: 'low',
  parallelToolCalls: true,
  images: true,
  contextWindow: 272_000,
};

const O_SERIES: Omit<ModelFamily, 'id'> = {
  ...GPT_5,
  applyPatch: 'function',
  extraInstructions: true,
  verbosity: null,
  parallelToolCalls: false,
  contextWindow: 200_000,
};

const GPT_4: Omit<ModelFamily, 'id'> = {
  ...UNKNOWN_FAMILY,
  contextWindow: 128_000,
};

/** In order: more specific patterns come first. Slugs are compared in lower case, without `vendor/`. */
const FAMILIES: readonly (readonly [pattern: RegExp, family: ModelFamily])[] = [
  [/^demo$/, { ...UNKNOWN_FAMILY, id: 'demo', extraInstructions: false, contextWindow: 128_000 }],
  [/^codex-mini/, { ...O_SERIES, id: 'codex-mini', shell: 'local_shell', images: false }],
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
      reasoning: { defaultEffort: 'high', summaries: true },
      verbosity: 'medium',
    },
  ],
  [/^gpt-5(?:-(?:mini|nano))?(?:-\d|$)/, { ...GPT_5, id: 'gpt-5', extraInstructions: true, verbosity: 'medium' }],
  [/^gpt-(?:5\.\d|[6-9])/, { ...GPT_5, id: 'gpt-5.x' }],
  [
    /^gpt-oss/,
    {
      ...UNKNOWN_FAMILY,
      id: 'gpt-oss',
      reasoning: { defaultEffort: 'medium', summaries: false },
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
  [/^gpt-3\.5/, { ...GPT_4, id: 'gpt-3.5', images: false, contextWindow: 16_385 }],
];

export function familyOf(model: string): ModelFamily {
  const slug = model.toLowerCase().split('/').at(-1) ?? '';
  return FAMILIES.find(([pattern]) => pattern.test(slug))?.[1] ?? UNKNOWN_FAMILY;
}

/**
 * The kind of server: only OpenAI and Azure are known to accept more than functions, and to respect the field `store`.
 * `plain` is any other server.
 */
export type Dialect = 'openai' | 'azure' | 'plain';

export type WireApi = 'responses' | 'chat';

/** True when more than functions may be sent: for a known model on a server that is known to accept it. */
export function takesEverything(model: string, dialect: Dialect): boolean {
  return dialect !== 'plain' && familyOf(model).id !== UNKNOWN_FAMILY.id;
}

/**
 * The capabilities that remain on this server and wire; code that builds prompts and tools uses this (design decision
 * 2). `stream` itself adapts what does not fit, so a mistake costs a tool, not a turn.
 */
export function capabilitiesOf(model: string, dialect: Dialect, wireApi: WireApi): ModelFamily {
  const family = familyOf(model);
  if (wireApi === 'responses' && takesEverything(model, dialect)) return family;
  return {
    ...family,
    applyPatch: 'function',
    extraInstructions: family.extraInstructions || family.applyPatch === 'freeform',
    shell: 'exec_command',
    reasoning: null,
    verbosity: null,
  };
}
