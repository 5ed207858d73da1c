/** The record of a request to a model server, and the invariants that every request must satisfy. */
import type { WireApi } from '../../src/protocol/providers.ts';
import { messagesBreaches } from './messagesRules.ts';
import type { IncomingHttpHeaders } from 'node:http';

export type Wire = WireApi;

/** The field of a request that holds the conversation. */
export const INPUT_KEY: Readonly<Record<Wire, string>> = {
  responses: 'input',
  chat: 'messages',
  messages: 'messages',
};

export interface ModelRequest {
  readonly wire: Wire;
  /** The path and query of the request. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The unchanged text of the body. */
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The elements of `input` or `messages`. */
  readonly input: readonly Readonly<Record<string, unknown>>[];
  /** The same elements as the exact characters of the request: a prompt cache compares these. */
  readonly elements: readonly string[];
  /** The value of `tools` as the exact characters of the request. */
  readonly tools: string | undefined;
  /** The names of the tools that were offered. */
  readonly toolNames: readonly string[];
  /** The client's port of the connection. */
  readonly remotePort: number | undefined;
  /** The time of its arrival, by `performance.now()`. */
  readonly at: number;
  /** Resolves when the client has disconnected or the response is sent. */
  readonly closed: Promise<void>;
}

/** Returns the exact characters of the value under a top-level key. */
export function rawValue(json: string, key: string): string | undefined {
  let result: string | undefined;
  forEachMember(json, skipSpace(json, 0), (name, start, end) => {
    if (name === key) result = json.slice(start, end);
  });
  return result;
}

export function rawElements(array: string | undefined): readonly string[] {
  const elements: string[] = [];
  if (array === undefined) return elements;
  let at = skipSpace(array, 1);
  while (at < array.length && array[at] !== ']') {
    const end = endOfValue(array, at);
    elements.push(array.slice(at, end));
    at = skipSpace(array, end);
    if (array[at] === ',') at = skipSpace(array, at + 1);
  }
  return elements;
}

function forEachMember(json: string, open: number, visit: (name: string, start: number, end: number) => void): void {
  let at = skipSpace(json, open + 1);
  while (at < json.length && json[at] !== '}') {
    const nameEnd = endOfValue(json, at);
    const start = skipSpace(json, skipSpace(json, nameEnd) + 1);
    const end = endOfValue(json, start);
    visit(JSON.parse(json.slice(at, nameEnd)) as string, start, end);
    at = skipSpace(json, end);
    if (json[at] === ',') at = skipSpace(json, at + 1);
  }
}

function skipSpace(json: string, at: number): number {
  let next = at;
  while (' \t\r\n'.includes(json[next] ?? 'x')) next += 1;
  return next;
}

/** Returns the end of the JSON value that begins at `start`. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < json.length; at += 1) {
    const character = json[at] as string;
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') {
        quoted = false;
        if (depth === 0) return at + 1;
      }
      continue;
    }
    if (character === '"') quoted = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && ', \t\r\n:'.includes(character)) return at;
  }
  return json.length;
}

/**
 * Checks that every call has exactly one output and every output one call (design §1, invariant 5). On Chat, the
 * outputs must directly follow their assistant message. On Messages, all rules of the server must be satisfied. On
 * Responses, reasoning before another item must be followed by an item of the model. Returns a sentence for each
 * breach.
 */
export function pairingBreaches(
  request: Pick<ModelRequest, 'wire' | 'input'> & Partial<Pick<ModelRequest, 'body'>>,
): readonly string[] {
  return BREACHES[request.wire](request.input, request.body);
}

const BREACHES: Readonly<
  Record<Wire, (input: ModelRequest['input'], body: ModelRequest['body'] | undefined) => readonly string[]>
> = {
  responses: responsesBreaches,
  chat: chatBreaches,
  messages: messagesBreaches,
};

function textIn(record: Readonly<Record<string, unknown>>, key: string): string {
  const value = record[key];
  return typeof value === 'string' ? value : '';
}

function responsesBreaches(input: ModelRequest['input']): readonly string[] {
  const open = new Set<string>();
  const seen = new Set<string>();
  const breaches: string[] = [];
  let thought: string | undefined;
  for (const item of input) {
    const type = textIn(item, 'type');
    const isFromModel = textIn(item, 'role') === 'assistant' || /^reasoning$|_call$/.test(type);
    if (thought !== undefined && !isFromModel) breaches.push(`the reasoning ${thought} stands alone before a ${type}`);
    thought = type === 'reasoning' ? textIn(item, 'id') : undefined;
    if (/^(function_call|custom_tool_call|local_shell_call)$/.test(type)) {
      const id = textIn(item, 'call_id') || textIn(item, 'id');
      if (id === '') breaches.push(`a ${type} has no call_id`);
      if (seen.has(id)) breaches.push(`two calls share the id ${id}`);
      seen.add(id);
      open.add(id);
    } else if (/^(function_call_output|custom_tool_call_output)$/.test(type)) {
      const id = textIn(item, 'call_id');
      if (!open.delete(id)) breaches.push(`an output for ${id} answers no open call`);
    }
  }
  for (const id of open) breaches.push(`the call ${id} has no output`);
  return breaches;
}

function chatBreaches(messages: ModelRequest['input']): readonly string[] {
  const breaches: string[] = [];
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const message of messages) {
    if (message['role'] === 'tool') {
      const id = textIn(message, 'tool_call_id');
      if (!open.delete(id)) breaches.push(`a tool message for ${id} answers no open call`);
      continue;
    }
    for (const id of open) breaches.push(`the call ${id} has no output before the next message`);
    const toolCalls = (message['tool_calls'] ?? []) as readonly { readonly id: string }[];
    for (const { id } of toolCalls) {
      if (seen.has(id)) breaches.push(`two calls share the id ${id}`);
      seen.add(id);
    }
    open = new Set(toolCalls.map(({ id }) => id));
  }
  for (const id of open) breaches.push(`the call ${id} has no output`);
  return breaches;
}

/**
 * Returns the elements that a prompt cache compares. On Messages these are the blocks with the role of their message,
 * but without cache marks, which are not part of the prompt.
 */
export function comparedElements(wire: Wire, input: string | undefined): readonly string[] {
  const elements = rawElements(input);
  if (wire !== 'messages') return elements;
  return elements.flatMap((message) =>
    rawElements(rawValue(message, 'content')).map((block) => `${rawValue(message, 'role')}: ${withoutMark(block)}`),
  );
}

function withoutMark(json: string): string {
  return json.replace(/,"cache_control":\{"type":"ephemeral"\}(?=\}$)/, '');
}

type SentPrefix = Pick<ModelRequest, 'body' | 'tools' | 'elements'>;

/** Returns the parts of a body that a prompt cache compares. */
export function sentPrefix(wire: Wire, text: string): SentPrefix {
  return {
    body: JSON.parse(text) as Record<string, unknown>,
    tools: rawValue(text, 'tools'),
    elements: comparedElements(wire, rawValue(text, INPUT_KEY[wire])),
  };
}

/**
 * Checks that the prompt cache can be used from one request to the next (design §5): each earlier element, the
 * instructions and the tools are byte-identical, and new elements are at the end. Returns a sentence for each breach.
 */
export function prefixBreaches(earlier: SentPrefix, later: SentPrefix): readonly string[] {
  const breaches: string[] = [];
  const instructionsOf = ({ body }: SentPrefix) => JSON.stringify([body['instructions'], body['system']]);
  if (instructionsOf(earlier) !== instructionsOf(later)) breaches.push('instructions changed');
  if (earlier.tools !== later.tools) breaches.push('tools changed');
  earlier.elements.forEach((element, index) => {
    if (later.elements[index] !== element) breaches.push(`element ${index} changed: ${element.slice(0, 120)}`);
  });
  return breaches;
}
