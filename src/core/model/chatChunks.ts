/**
 * Reads the chunks of one Chat completion (codex-behaviour.md §2.5) in all the shapes that real servers send: fragments
 * of a call are matched by `index`, then by `id`, then to the last call.
 */
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { TokenUsage } from '../../protocol/event.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { ReasoningField } from './chatMessages.ts';
import { usageIn } from './chatUsage.ts';
import type { ModelFault, ResponseEvent } from './client.ts';
import { finishReasonFault, inStreamFault, MOST_ITEMS, streamClosedFault, tooManyItemsFault } from './faults.ts';
import { isJsonObject, parseJson } from '../util/json.ts';
import { asOffered } from './functionForm.ts';
import { ReasoningDetails } from './reasoningDetails.ts';

interface OpenCall {
  readonly key: string;
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  extra: Readonly<Record<string, unknown>> | undefined;
  /** Its `item_done` was emitted. */
  isEmitted: boolean;
}

export interface ChatReaderOptions {
  readonly newCallId: () => string;
  /** Names of tools that were offered as free text. */
  readonly customTools: ReadonlySet<string>;
}

/** Fields before validation: names from the `openai` package, values of any type. */
type AsItCame<Type, Field extends keyof Type> = { readonly [Name in Field]?: unknown };

interface WireChunk extends AsItCame<ChatCompletionChunk, 'choices' | 'object'> {
  /** `object` is `error` when the chunk itself is an error. */
  readonly error?: unknown;
  /** The error of a web framework in front of the server. */
  readonly detail?: unknown;
  /** MiniMax: `{status_code, status_msg}`, where 0 is success. */
  readonly base_resp?: unknown;
}
/** `function_call`: the form of a call before there could be several. */
interface WireMessage
  extends AsItCame<ChatCompletionChunk.Choice.Delta, 'content' | 'refusal' | 'tool_calls' | 'function_call'> {
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning_details?: unknown;
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
  readonly #details = new ReasoningDetails();
  #usage: TokenUsage | null = null;
  /** The server has counted the tokens of the text in a chunk of its own, as servers do behind the last one. */
  #isCounted = false;
  #created = false;
  #finished = false;
  /** Text and reasoning were emitted as complete items. */
  #isTextEmitted = false;
  /** The failure of a response that has ended; thrown after its content was emitted. */
  #fault: ModelFault | undefined;

  constructor(options: ChatReaderOptions) {
    this.#options = options;
  }

  /**
   * True when the finish reason has arrived. Usage can still follow, and all other content from servers that send the
   * reason in every chunk.
   */
  get finished(): boolean {
    return this.#finished;
  }

  /** Returns the events of this chunk (or whole completion), in order. @throws ModelFault */
  read(wire: unknown): readonly ResponseEvent[] {
    if (typeof wire !== 'object' || wire === null) return [];
    const chunk = wire as WireChunk;
    if (isError(chunk)) throw inStreamFault(chunk);
    const events: ResponseEvent[] = [];
    if (!this.#created) {
      this.#created = true;
      events.push({ type: 'created' });
    }
    const usage = usageIn(chunk);
    this.#usage = usage ?? this.#usage;
    if (usage && usage.output > 0 && this.#text !== '' && objectsIn(chunk.choices).length === 0) this.#isCounted = true;
    for (const choice of objectsIn(chunk.choices)) {
      if (choice['error']) throw inStreamFault(choice);
      const message = choice['delta'] ?? (this.#finished ? undefined : choice['message']);
      if (!this.#fault && typeof message === 'object' && message !== null) this.#message(message, events);
      // Some servers send an empty reason in every chunk before the last.
      if (stringOf(choice['finish_reason']) !== '') this.#finish(stringOf(choice['finish_reason']), events);
    }
    return events;
  }

  /** Call at `[DONE]`. @throws ModelFault */
  done(): readonly ResponseEvent[] {
    if (this.#fault) throw this.#fault;
    return [...this.#flush(), { type: 'completed', usage: this.#usage, endTurn: true }];
  }

  /**
   * Call at the end of the stream, proper or broken off. Without a finish reason, only calls with complete arguments and a text
   * whose tokens were counted are a response; other text might be incomplete. @throws ModelFault
   */
  ended(end: 'ended' | 'broken'): readonly ResponseEvent[] {
    const isWhole = this.#hasWholeCalls && (this.#calls.length > 0 || this.#isCounted);
    if (!this.#finished && !(end === 'ended' && isWhole)) throw streamClosedFault();
    return this.done();
  }

  /** True for a text that may be complete, although the server has sent no mark of its end. */
  get isUnmarked(): boolean {
    return !this.#finished && !this.#isCounted && this.#text !== '' && this.#calls.length === 0;
  }

  get #hasWholeCalls(): boolean {
    return this.#calls.every((call) => parseJson(call.arguments) !== undefined);
  }

  #message(message: WireMessage, events: ResponseEvent[]): void {
    const isRepeated = this.#finished && (this.#isTextEmitted || this.#details.all.length > 0);
    const detailed = isRepeated ? '' : this.#details.add(message.reasoning_details);
    const [field, thought] = thoughtIn(message);
    const reasoning = thought || detailed;
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

  /** True for text after the end that repeats the whole, and for text after a call that was already emitted. */
  #isLate(words: string, before: string): boolean {
    return this.#finished && (this.#isTextEmitted || words === before);
  }

  #fragment(fragment: WireCall, events: ResponseEvent[]): void {
    const name = stringOf(fragment.function?.name);
    const text = argumentsOf(fragment.function?.arguments);
    const call = this.#callOf(fragment, name, text);
    if (call.isEmitted) return;
    if (call.id === '') call.id = stringOf(fragment.id);
    if (call.name === '' && name !== '') {
      call.name = name;
      events.push({ type: 'item_started', key: call.key, kind: 'tool_call', name });
      // Arguments that arrived before the name.
      if (call.arguments !== '') events.push(callDelta(call, call.arguments));
    }
    if (isJsonObject(fragment.extra_content)) call.extra = fragment.extra_content;
    if (text === '' || isRepeated(call, text)) return;
    if (call.arguments === PLACEHOLDER && text.startsWith('{')) call.arguments = '';
    call.arguments += text;
    if (call.name !== '') events.push(callDelta(call, text));
  }

  #callOf(fragment: WireCall, name: string, text: string): OpenCall {
    const id = stringOf(fragment.id);
    const index = typeof fragment.index === 'number' ? fragment.index : undefined;
    const known =
      index === undefined
        ? this.#withoutIndex(id, name, text)
        : this.#calls.findLast((call) => call.index === index && !isAnother(call, { id, name, text }));
    if (known) return known;
    if (this.#calls.length >= MOST_ITEMS) throw tooManyItemsFault();
    const key = `call_${this.#calls.length}`;
    const call = { key, index, id: '', name: '', arguments: '', extra: undefined, isEmitted: false };
    this.#calls.push(call);
    return call;
  }

  #withoutIndex(id: string, name: string, text: string): OpenCall | undefined {
    const byId = id === '' ? undefined : this.#calls.findLast((call) => call.id === id);
    if (byId) return isAnother(byId, { id, name, text }) ? undefined : byId;
    const last = this.#calls.at(-1);
    const begins = name !== '' && last?.name !== '';
    return begins ? undefined : last;
  }

  #finish(reason: string, events: ResponseEvent[]): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#fault = finishReasonFault(reason);
    // Text stays; a call that was cut off is not run.
    if (this.#fault) this.#calls.length = 0;
    // This is not a proper end: the request is retried.
    if (this.#fault?.retryable) throw this.#fault;
    // Calls need not wait for the usage. Text may still continue: some servers send "stop" in every chunk.
    if (this.#fault || this.#calls.length > 0) events.push(...this.#flush());
  }

  /** Emits the complete items in the order in which they are recorded: reasoning, text, calls. */
  #flush(): readonly ResponseEvent[] {
    const events: ResponseEvent[] = [];
    const done = (key: string, item: ResponseItem) => events.push({ type: 'item_done', key, item });
    const chat_details = [...this.#details.all];
    if (!this.#isTextEmitted && (this.#reasoning !== '' || chat_details.length > 0)) {
      done(REASONING, {
        type: 'reasoning',
        summary: [],
        content: this.#reasoning === '' ? [] : [{ type: 'reasoning_text', text: this.#reasoning }],
        ...(this.#reasoningField === 'reasoning' ? {} : { chat_field: this.#reasoningField }),
        ...(chat_details.length === 0 ? {} : { chat_details }),
      });
    }
    if (!this.#isTextEmitted && this.#text !== '') {
      done(TEXT, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: this.#text }] });
    }
    this.#isTextEmitted = true;
    const emitted = this.#calls.filter((call) => call.isEmitted);
    for (const call of this.#calls) {
      const { key, id, name, arguments: args, extra } = call;
      if (call.isEmitted || name === '' || (emitted.length > 0 && isTooLate(call, emitted))) continue;
      call.isEmitted = true;
      const call_id = id === '' ? this.#options.newCallId() : id;
      const beside = extra === undefined ? {} : { extra_content: extra };
      const item = { type: 'function_call', call_id, name, arguments: args, ...beside } as const;
      done(key, asOffered(item, this.#options.customTools));
    }
    return events;
  }
}

function isError(chunk: WireChunk): boolean {
  if (chunk.error || chunk.object === 'error') return true;
  if (chunk.choices) return false;
  const { base_resp } = chunk;
  return Boolean(chunk.detail) || (isJsonObject(base_resp) && Boolean(base_resp['status_code']));
}

/** True for a repetition of a call that was already started, and for a call with incomplete arguments. */
function isTooLate({ name, arguments: args }: OpenCall, emitted: readonly OpenCall[]): boolean {
  if (args !== '' && parseJson(args) === undefined) return true;
  return emitted.some((call) => call.name === name && call.arguments === args);
}

function callDelta({ key, name }: OpenCall, text: string): ResponseEvent {
  return { type: 'call_delta', key, name, kind: 'arguments', text };
}

/**
 * True when the fragment starts another call although it has the same index, because some servers give every call the
 * index 0 or the same id: a new id together with a name, or a name after complete arguments.
 */
function isAnother(
  call: OpenCall,
  fragment: { readonly id: string; readonly name: string; readonly text: string },
): boolean {
  const { id, name, text } = fragment;
  if (name === '') return false;
  if (id !== '' && call.id !== '' && call.id !== id) return true;
  if (call.name === '' || !call.arguments.endsWith('}') || parseJson(call.arguments) === undefined) return false;
  if (name !== call.name) return true;
  return text.startsWith('{') && text !== call.arguments && call.arguments !== PLACEHOLDER;
}

/** Arguments that some servers send as a placeholder. */
const PLACEHOLDER = '{}';

/**
 * True when the server sends the whole call again, as some do in every chunk. The same object twice in a row would not
 * be JSON, so it must be a repetition.
 */
function isRepeated(call: OpenCall, text: string): boolean {
  return text === call.arguments && text.startsWith('{') && parseJson(text) !== undefined;
}

function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}

/** The text of a string, or of parts with text in them. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => stringOf(part['text']))
    .join('');
}

/**
 * The reasoning in a message, and the field in which this server sends it. Mistral sends it among the parts of the
 * content.
 */
function thoughtIn(message: WireMessage): readonly [ReasoningField, string] {
  if (message.reasoning_content) return ['reasoning_content', reasoningOf(message.reasoning_content)];
  if (message.reasoning) return ['reasoning', reasoningOf(message.reasoning)];
  const thoughts = objectsIn(message.content).map(({ thinking }) => contentOf(thinking));
  return ['content', thoughts.join('')];
}

function reasoningOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return '';
  return stringOf(value['text']) || stringOf(value['content']);
}
