/**
 * Supports servers that implement a wire only in part: a field that a 400 refuses by name is dropped once, visibly, and
 * not sent to that provider again (design decision 2).
 */
import type { ModelFault } from './client.ts';

/** What a request can omit, in the order of the search: more specific names first. */
const DISPENSABLE = {
  'reasoning.effort': /reasoning[._]effort/,
  'reasoning.summary': /reasoning[._]summary|reasoning summar/,
  reasoning: named('reasoning'),
  'text.verbosity': /verbosity/,
  'text.format': /text\.format|response_format|json_schema/,
  include: named('include'),
  store: named('store'),
  prompt_cache_key: /prompt_cache_key/,
  parallel_tool_calls: /parallel_tool_calls/,
  tool_choice: /tool_choice/,
  stream_options: /stream_options|include_usage/,
  developer_role: /\bdeveloper\b.*\brole|\brole\b.*\bdeveloper\b/,
  web_search: /web_search/,
  local_shell: /local_shell/,
  custom_tools: /\bcustom\b/,
} as const satisfies Record<string, RegExp>;

export type Dispensable = keyof typeof DISPENSABLE;

/** Matches a field name that is also an English word only in quotes, as a list element, or after “parameter”. */
function named(field: string): RegExp {
  return new RegExp(
    `['"\`“‘]${field}['"\`”’.[]|(?:parameter|field|argument|property|key)s?:? ${field}\\b|\\(${field}\\)`,
  );
}

const REFUSES =
  /unknown|unrecogni[sz]ed|unsupported|not supported|(?:does not|doesn't) support|unexpected|extra (?:fields|inputs)|not permitted|not allowed|invalid|not a valid|(?:must|should) be|not available|unverified|must be verified/i;

/** “Invalid value: 'x'. Supported values are: 'function' and 'custom'” refuses x alone. */
const WHAT_IS_ALLOWED =
  /\bsupported (?:values|types|roles)|expected one of|must be one of|valid values|allowed values/i;

/** `tools[0].type`, `tools.0.type`, and the path of a validator: `'tools', 0, 'type'`. */
const REFUSES_TOOL_TYPE = /\btools?\W{1,4}\d+\W{1,4}(?:\w+\W{1,4})?type\b|tool type/i;

/** Returns which of the sent fields this fault refuses; `undefined` when the fault is about something else. */
export function refusedBy(fault: ModelFault, sent: readonly Dispensable[]): Dispensable | undefined {
  if (fault.kind !== 'invalid_request' || (fault.status !== 400 && fault.status !== 422)) return undefined;
  const words = fault.detail ?? '';
  if (!REFUSES.test(words)) return undefined;
  const [refusal = ''] = words.split(WHAT_IS_ALLOWED);
  const names = Object.keys(DISPENSABLE) as Dispensable[];
  const refused = names.find((name) => sent.includes(name) && DISPENSABLE[name].test(refusal));
  if (refused || !REFUSES_TOOL_TYPE.test(words)) return refused;
  return (['custom_tools', 'web_search', 'local_shell'] as const).find((name) => sent.includes(name));
}

/** The fields that one provider has refused; kept while the process runs. */
export type RefusedFields = Set<Dispensable>;

export function describeRefusal(providerId: string, refused: Dispensable): string {
  switch (refused) {
    case 'custom_tools':
      return `“${providerId}” does not support free-text tools; they are offered as functions from now on.`;
    case 'local_shell':
      return `“${providerId}” has no shell tool of its own; the model is offered Tiller’s from now on.`;
    case 'developer_role':
      return `“${providerId}” does not support developer messages; they are sent as user messages from now on.`;
    case 'text.format':
      return `“${providerId}” does not support an output schema; the request continues without it.`;
    default:
      return `“${providerId}” does not take “${refused}”; it is left out from now on.`;
  }
}
