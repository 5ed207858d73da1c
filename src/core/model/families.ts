/**
 * What models can do, as data: the first pattern that matches the slug tells (design §2, `ModelFamily`). A model that is
 * not listed gets what every server understands.
 */
import type { ReasoningEffort } from '../../protocol/op.ts';

export type Verbosity = 'low' | 'medium' | 'high';

export interface ModelFamily {
  /** Stable name, for logs and snapshots. */
  readonly id: string;
  /** Free text in a grammar of its own, or a function with `{input}`. */
  readonly applyPatch: 'freeform' | 'function';
  /** The base instructions explain the patch format: the model was not trained on it. */
  readonly extraInstructions: boolean;
  /** `local_shell` is the wire's own tool; everybody else gets `exec_command`. */
  readonly shell: 'exec_command' | 'local_shell';
  /** `null`: the model takes no `reasoning` field. */
  readonly reasoning: { readonly defaultEffort: ReasoningEffort; readonly summaries: boolean } | null;
  /** `null`: the model takes no `verbosity`. */
  readonly verbosity: Verbosity | null;
  readonly parallelToolCalls: boolean;
  /** Images in messages and tool outputs are understood. */
  readonly images: boolean;
  /** Tokens; `null` where nobody said. */
  readonly contextWindow: number | null;
}

/** What is assumed of a model nobody has described. */
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

/** The window is as much of it as Codex uses: newer models take a million tokens, at twice the price beyond this. */
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

/** In order: the more particular pattern stands first. Slugs are compared in lower case, without `vendor/`. */
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
      // It knows no other.
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
 * Whose server it is: only OpenAI and Azure are known to take more than functions, and to keep what we say about storing.
 * `plain` is everybody else.
 */
export type Dialect = 'openai' | 'azure' | 'plain';

export type WireApi = 'responses' | 'chat';

/** Whether more than functions may be said: to a model we know, at a server that is known to take it. */
export function takesEverything(model: string, dialect: Dialect): boolean {
  return dialect !== 'plain' && familyOf(model).id !== UNKNOWN_FAMILY.id;
}

/**
 * The family as far as server and wire let it show: whoever builds prompts and tools asks here (design decision 2).
 * `stream` adapts by itself what does not fit, so a mistake costs a tool, not a turn.
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
