/**
 * Reads the chunks of one Chat completion (codex-behaviour.md §2.5) in all the shapes real servers give them: fragments
 * of calls belong together by `index`, then by `id`, then by being last.
 */
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { TokenUsage } from '../../protocol/event.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { ReasoningField } from './chatMessages.ts';
import { usageIn } from './chatUsage.ts';
import type { ModelFault, ResponseEvent } from './client.ts';
import { finishReasonFault, inStreamFault, MOST_ITEMS, streamClosedFault, tooManyItemsFault } from './faults.ts';
import { parseJson } from '../util/json.ts';
import { asOffered } from './functionForm.ts';

interface OpenCall {
  readonly key: string;
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  extra: Readonly<Record<string, unknown>> | undefined;
  /** It has become history. */
  told: boolean;
}

export interface ChatReaderOptions {
  readonly newCallId: () => string;
  /** Names of the tools that were offered as free text. */
  readonly customTools: ReadonlySet<string>;
}

/** Fields as they came: their names are those of the `openai` package, their values can be anything. */
type AsItCame<Type, Field extends keyof Type> = { readonly [Name in Field]?: unknown };

interface WireChunk extends AsItCame<ChatCompletionChunk, 'choices' | 'object'> {
  /** Where the chunk itself is an error, `object` is `error`. */
  readonly error?: unknown;
  /** What a framework says of an error in place of the server. */
  readonly detail?: unknown;
}
/** `function_call` is what calls were before there could be several. */
interface WireMessage
  extends AsItCame<ChatCompletionChunk.Choice.Delta, 'content' | 'refusal' | 'tool_calls' | 'function_call'> {
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
}
interface WireCall extends AsItCame<ChatCompletionChunk.Choice.Delta.ToolCall, 'index' | 'id'> {
  readonly function?: AsItCame<ChatCompletionChunk.Choice.Delta.ToolCall.Function, 'name' | 'arguments'>;
  readonly extra_content?: unknown;
}

const TEXT = 'text';
const REASONING = 'reasoning';

export class ChatReader {
  readonly #options: ChatReaderOptions;
  readonly #calls: OpenCall[] = [];
  #text = '';
  #reasoning = '';
  #reasoningField: ReasoningField = 'reasoning';
  #usage: TokenUsage | null = null;
  #created = false;
  #finished = false;
  /** Words and reasoning have become history. */
  #wordsTold = false;
  /** Why the answer is not one although it has ended; thrown when what there is of it was told. */
  #fault: ModelFault | undefined;

  constructor(options: ChatReaderOptions) {
    this.#options = options;
  }

  /** The model has said why it stopped. Usage can still come, and from servers that say so in every chunk all the rest. */
  get finished(): boolean {
    return this.#finished;
  }

  /** What this chunk (or whole completion) says, in order. @throws ModelFault */
  read(wire: unknown): readonly ResponseEvent[] {
    if (typeof wire !== 'object' || wire === null) return [];
    const chunk = wire as WireChunk;
    if (chunk.error || chunk.object === 'error' || (chunk.detail && !chunk.choices)) throw inStreamFault(chunk);
    const events: ResponseEvent[] = [];
    if (!this.#created) {
      this.#created = true;
      events.push({ type: 'created' });
    }
    this.#usage = usageIn(chunk) ?? this.#usage;
    for (const choice of objectsIn(chunk.choices)) {
      if (choice['error']) throw inStreamFault(choice);
      const message = choice['delta'] ?? (this.#finished ? undefined : choice['message']);
      if (!this.#fault && typeof message === 'object' && message !== null) this.#message(message, events);
      // Some servers have an empty one in every chunk before the last.
      if (stringOf(choice['finish_reason']) !== '') this.#finish(stringOf(choice['finish_reason']), events);
    }
    return events;
  }

  /** The stream has said `[DONE]`. @throws ModelFault */
  done(): readonly ResponseEvent[] {
    if (this.#fault) throw this.#fault;
    return [...this.#flush(), { type: 'completed', usage: this.#usage, endTurn: true }];
  }

  /**
   * The stream has ended, in good order or not. Without a word of why the model stopped, only calls whose arguments are
   * whole are taken for an answer; text might be half. @throws ModelFault
   */
  ended(inGoodOrder: boolean): readonly ResponseEvent[] {
    const whole = this.#calls.length > 0 && this.#calls.every((call) => parseJson(call.arguments) !== undefined);
    if (!this.#finished && !(inGoodOrder && whole)) throw streamClosedFault();
    return this.done();
  }

  #message(message: WireMessage, events: ResponseEvent[]): void {
    const [field, reasoning] = thoughtIn(message);
    if (reasoning !== '' && !this.#isLate(reasoning, this.#reasoning)) {
      if (this.#reasoning === '') {
        this.#reasoningField = field;
        events.push({ type: 'item_started', key: REASONING, kind: 'reasoning' });
      }
      this.#reasoning += reasoning;
      events.push({ type: 'reasoning_raw_delta', key: REASONING, text: reasoning });
    }
    const text = contentOf(message.content) + contentOf(message.refusal);
    if (text !== '' && !this.#isLate(text, this.#text)) {
      if (this.#text === '') events.push({ type: 'item_started', key: TEXT, kind: 'message' });
      this.#text += text;
      events.push({ type: 'text_delta', key: TEXT, text });
    }
    if (message.tool_calls) {
      for (const fragment of objectsIn(message.tool_calls)) this.#fragment(fragment, events);
    } else if (message.function_call) {
      this.#fragment({ index: 0, function: message.function_call }, events);
    }
  }

  /** Behind the end the whole may come once more; and it is too late for words when a call has followed them. */
  #isLate(words: string, before: string): boolean {
    return this.#finished && (this.#wordsTold || words === before);
  }

  #fragment(fragment: WireCall, events: ResponseEvent[]): void {
    const name = stringOf(fragment.function?.name);
    const text = argumentsOf(fragment.function?.arguments);
    const call = this.#callOf(fragment, name, text);
    if (call.told) return;
    if (call.id === '') call.id = stringOf(fragment.id);
    if (call.name === '' && name !== '') {
      call.name = name;
      events.push({ type: 'item_started', key: call.key, kind: 'tool_call', name });
      // Arguments that came before the name.
      if (call.arguments !== '') events.push(callDelta(call, call.arguments));
    }
    if (isRecord(fragment.extra_content)) call.extra = fragment.extra_content;
    if (text === '' || saysAgain(call, text)) return;
    if (call.arguments === PLACEHOLDER && text.startsWith('{')) call.arguments = '';
    call.arguments += text;
    if (call.name !== '') events.push(callDelta(call, text));
  }

  #callOf(fragment: WireCall, name: string, text: string): OpenCall {
    const id = stringOf(fragment.id);
    const index = typeof fragment.index === 'number' ? fragment.index : undefined;
    const known =
      index === undefined
        ? this.#withoutIndex(id, name)
        : this.#calls.findLast((call) => call.index === index && !isAnother(call, { id, name, text }));
    if (known) return known;
    if (this.#calls.length >= MOST_ITEMS) throw tooManyItemsFault();
    const key = `call_${this.#calls.length}`;
    const call = { key, index, id: '', name: '', arguments: '', extra: undefined, told: false };
    this.#calls.push(call);
    return call;
  }

  #withoutIndex(id: string, name: string): OpenCall | undefined {
    const byId = id === '' ? undefined : this.#calls.find((call) => call.id === id);
    if (byId) return byId;
    const last = this.#calls.at(-1);
    const begins = name !== '' && last?.name !== '';
    return begins ? undefined : last;
  }

  #finish(reason: string, events: ResponseEvent[]): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#fault = finishReasonFault(reason);
    // What was said stays; a call that was cut off is not run.
    if (this.#fault) this.#calls.length = 0;
    // Not an end at all: the answer is asked for once more.
    if (this.#fault?.retryable) throw this.#fault;
    // Calls need not wait for the usage. Words may still go on: some servers say "stop" in every chunk.
    if (this.#fault || this.#calls.length > 0) events.push(...this.#flush());
  }

  /** Reasoning, words, calls: in this order they become history. */
  #flush(): readonly ResponseEvent[] {
    const events: ResponseEvent[] = [];
    const done = (key: string, item: ResponseItem) => events.push({ type: 'item_done', key, item });
    if (!this.#wordsTold && this.#reasoning !== '') {
      done(REASONING, {
        type: 'reasoning',
        summary: [],
        content: [{ type: 'reasoning_text', text: this.#reasoning }],
        ...(this.#reasoningField === 'reasoning' ? {} : { chat_field: this.#reasoningField }),
      });
    }
    if (!this.#wordsTold && this.#text !== '') {
      done(TEXT, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: this.#text }] });
    }
    this.#wordsTold = true;
    const told = this.#calls.filter((call) => call.told);
    for (const call of this.#calls) {
      const { key, id, name, arguments: args, extra } = call;
      if (call.told || name === '' || (told.length > 0 && isTooLate(call, told))) continue;
      call.told = true;
      const call_id = id === '' ? this.#options.newCallId() : id;
      const beside = extra === undefined ? {} : { extra_content: extra };
      const item = { type: 'function_call', call_id, name, arguments: args, ...beside } as const;
      done(key, asOffered(item, this.#options.customTools));
    }
    return events;
  }
}

/** What has begun to run does not run again because a server says it twice; nor does what the end left in pieces. */
function isTooLate({ name, arguments: args }: OpenCall, told: readonly OpenCall[]): boolean {
  if (args !== '' && parseJson(args) === undefined) return true;
  return told.some((call) => call.name === name && call.arguments === args);
}

function callDelta({ key, name }: OpenCall, text: string): ResponseEvent {
  return { type: 'call_delta', key, name, kind: 'arguments', text };
}

/**
 * Some servers give every call the index 0: a new id together with a name is a new call; where there are no ids, a name
 * behind whole arguments.
 */
function isAnother(
  call: OpenCall,
  said: { readonly id: string; readonly name: string; readonly text: string },
): boolean {
  const { id, name, text } = said;
  if (name === '') return false;
  if (id !== '' && call.id !== '') return call.id !== id;
  if (call.name === '' || !call.arguments.endsWith('}') || parseJson(call.arguments) === undefined) return false;
  if (name !== call.name) return true;
  return text.startsWith('{') && text !== call.arguments && call.arguments !== PLACEHOLDER;
}

/** What some servers say of the arguments before they are known. */
const PLACEHOLDER = '{}';

/** Some servers send a whole call again with every chunk. An object behind itself is nothing else: it is no JSON. */
function saysAgain(call: OpenCall, text: string): boolean {
  return text === call.arguments && text.startsWith('{') && parseJson(text) !== undefined;
}

function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}

/** A string, or parts with text in them. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => stringOf(part['text']))
    .join('');
}

/** What the model thinks, and under which name this server says so. Mistral puts thoughts among the parts of the content. */
function thoughtIn(message: WireMessage): readonly [ReasoningField, string] {
  if (message.reasoning_content) return ['reasoning_content', reasoningOf(message.reasoning_content)];
  if (message.reasoning) return ['reasoning', reasoningOf(message.reasoning)];
  const thoughts = objectsIn(message.content).map(({ thinking }) => contentOf(thinking));
  return ['content', thoughts.join('')];
}

function reasoningOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return '';
  return stringOf(value['text']) || stringOf(value['content']);
}
