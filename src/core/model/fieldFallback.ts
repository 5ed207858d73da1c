/**
 * Supports servers that implement a wire only in part: a field that a server refuses by name is dropped once, visibly,
 * and not sent to that model of that provider again (design decision 2). `refusalWordings.ts` has the wordings.
 */
import type { ModelFault } from './client.ts';
import { WORDINGS } from './refusalWordings.ts';

/** The fields that a request can omit, in the order of the search: more specific names first. */
const DISPENSABLE = {
  'reasoning.effort': /reasoning[._]?effort|output_config(?!\.format)|\beffort parameter/i,
  /** Reasoning in a request with tools on Chat Completions, also that of the model's default. Only by a wording of the table. */
  reasoning_beside_tools: /^$/,
  'reasoning.summary': /reasoning[._]summary|reasoning summar/,
  /** Reasoning of earlier responses, in the messages of the assistant. */
  reasoning_history: /messages\W.*\breasoning(?:_content|_details)?\b/,
  /** Messages. */
  thinking: /\bthinking\b/,
  reasoning: quoted('reasoning'),
  'text.verbosity': /verbosity/,
  'text.format': /text\.format|response_format|json_schema|output_config\.format|output_format/,
  cache_control: /cache_control/,
  /** Messages: the longest answer, which is asked for in every request; a shorter one is asked for instead. */
  max_tokens: /max_tokens/,
  include: quoted('include'),
  store: quoted('store'),
  prompt_cache_key: /prompt_cache_key/,
  parallel_tool_calls: /parallel_tool_(?:calls|use)/,
  tool_choice: /tool_choice/,
  stream_options: /stream_options|include_usage/,
  developer_role: /\bdeveloper\b.*\brole|\brole\b.*\bdeveloper\b/,
  web_search: /web_search|external_web_access/,
  local_shell: /local_shell/,
  custom_tools: /\bcustom\b/,
  /** Images in the outputs of tools; they follow in a user message then. Only by a wording of the table. */
  tool_images: /^$/,
  /** Messages of the user in any order on Chat Completions. Only by a wording of the table. */
  message_order: /^$/,
  /** All tools. Only by a wording of the table. */
  tools: /^$/,
} as const satisfies Record<string, RegExp>;

export type Dispensable = keyof typeof DISPENSABLE;

/** Matches a field name that is also an English word only in quotes, as a list element, or after “parameter”. */
function quoted(field: string): RegExp {
  return new RegExp(
    `['"\`“‘]${field}['"\`”’.[]|(?:parameter|field|argument|property|key)s?:? ${field}\\b|\\(${field}\\)`,
  );
}

const REFUSES =
  /unknown|unrecogni[sz]ed|unsupported|not supported|(?:does not|doesn't) support|unexpected|extra (?:fields|inputs)|not permitted|not allowed|invalid|not a valid|is not one of|(?:must|should) be|not available|unavailable|unverified|must be verified/i;

/** “Invalid value: 'x'. Supported values are: 'function' and 'custom'” refuses x alone. */
const WHAT_IS_ALLOWED =
  /\bsupported (?:values|types|roles)|expected one of|is not one of|must be one of|valid values|allowed values/i;

/** The parameter that the server names beside its message, see `httpFault`. */
const PARAMETER = /\(([\w.[\]]+)\)$/;

/** `tools[0].type`, `tools.0.type`, and the path of a validator: `'tools', 0, 'type'`. */
const REFUSES_TOOL_TYPE = /\btools?\W{1,4}\d+\W{1,4}(?:\w+\W{1,4})?type\b|tool type/i;

/** The special tools of a wire, in the order in which they are dropped when a server names none of them. */
const SPECIAL_TOOLS = ['custom_tools', 'web_search', 'local_shell'] as const satisfies readonly Dispensable[];

/** Returns which of the sent fields this fault refuses; `undefined` when the fault is about something else. */
export function refusedBy(fault: ModelFault, sent: readonly Dispensable[]): Dispensable | undefined {
  const serverText = fault.detail ?? '';
  const wording = WORDINGS.find(({ says, statuses = [400, 422] }) =>
    fault.status !== undefined && statuses.includes(fault.status) ? says.test(serverText) : false,
  );
  const named = wording?.fields.find((name) => sent.includes(name));
  if (named) return named;
  if (fault.kind !== 'invalid_request' || (fault.status !== 400 && fault.status !== 422)) return undefined;
  if (!REFUSES.test(serverText)) return undefined;
  const [refusal = ''] = serverText.split(WHAT_IS_ALLOWED);
  const [, parameter = ''] = PARAMETER.exec(serverText) ?? [];
  const names = Object.keys(DISPENSABLE) as Dispensable[];
  const isRefused = (name: Dispensable) =>
    sent.includes(name) && (DISPENSABLE[name].test(refusal) || DISPENSABLE[name].test(`'${parameter}'`));
  const refused = names.find(isRefused);
  if (refused || !REFUSES_TOOL_TYPE.test(serverText)) return refused;
  return SPECIAL_TOOLS.find((name) => sent.includes(name));
}

/** The fields that the models of one provider have refused; kept while the process runs. */
export class RefusedFields {
  readonly #byModel = new Map<string, Set<Dispensable>>();

  of(model: string): ReadonlySet<Dispensable> {
    return this.#byModel.get(model) ?? NOTHING;
  }

  add(model: string, field: Dispensable): void {
    this.#byModel.set(model, new Set([...this.of(model), field]));
  }
}

const NOTHING: ReadonlySet<Dispensable> = new Set();

/** `detail`: the answer of the server. */
export function describeRefusal(providerId: string, model: string, refused: Dispensable, detail = ''): string {
  switch (refused) {
    case 'custom_tools':
      return `“${providerId}” does not support free-text tools; they are offered as functions from now on.`;
    case 'local_shell':
      return `“${providerId}” has no shell tool of its own; the model is offered Tiller’s from now on.`;
    case 'developer_role':
      return `“${providerId}” does not support developer messages; they are sent as user messages from now on.`;
    case 'text.format':
      return `“${providerId}” does not support an output schema; the request continues without it.`;
    case 'reasoning.effort':
      return `“${providerId}” does not take this reasoning effort for ${model}; none is sent from now on.`;
    case 'reasoning_beside_tools':
      return `“${providerId}” takes no tools from ${model} on Chat Completions while it reasons; reasoning is turned off from now on. With Responses it can do both.`;
    case 'reasoning_history':
      return `“${providerId}” does not take earlier reasoning of ${model}; it is left out from now on.`;
    case 'thinking':
      return `“${providerId}” does not take this form of reasoning for ${model}; none is asked for from now on.`;
    case 'cache_control':
      return `“${providerId}” does not take “cache_control”: each request is sent and paid without a prompt cache.`;
    case 'max_tokens':
      return `“${providerId}” does not allow such long answers of ${model}; shorter ones are asked for from now on. The setting maxOutput of the model sets their length.`;
    case 'tool_images':
      return `“${providerId}” takes no images in the outputs of tools; they follow in a message from now on.`;
    case 'message_order':
      return `“${providerId}” requires that messages of user and assistant alternate; messages are joined from now on.`;
    case 'tools':
      return `“${providerId}” takes no tools for ${model}: it can answer, but neither read, run nor change anything. The server’s answer: ${detail}`;
    default:
      return `“${providerId}” does not take “${refused}”; it is left out from now on.`;
  }
}
