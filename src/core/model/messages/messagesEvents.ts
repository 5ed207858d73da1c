/**
 * Reads the events of one message (platform.claude.com/docs/en/build-with-claude/streaming). Unknown events and blocks are
 * ignored; what other servers of this wire omit (the end of a block, its start) is added.
 */
import * as z from 'zod';
import type { TokenUsage } from '../../../protocol/event.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';
import type { ReasoningItem, ResponseItem } from '../../../protocol/responseItem.ts';
import { isJsonObject, parseJson } from '../../util/json.ts';
import type { ModelFault, ResponseEvent } from '../client.ts';
import { finishReasonFault, inStreamFault, MOST_ITEMS, streamClosedFault, tooManyItemsFault } from '../faults.ts';
import { asOffered } from '../functionForm.ts';

export interface MessagesReaderOptions {
  readonly newCallId: () => string;
  /** Names of tools that were offered as free text. */
  readonly customTools: ReadonlySet<string>;
  /** Called with each block that is not read. */
  readonly onSkipped: (block: unknown) => void;
}

/** A block that is not complete yet; `ignored` is one of a kind that Tiller does not know, or a call without a name. */
interface OpenBlock {
  readonly key: string;
  readonly index: unknown;
  readonly kind: 'text' | 'thinking' | 'redacted_thinking' | 'tool_use' | 'ignored';
  /** Text, reasoning, or the arguments of a call as the model writes them. */
  text: string;
  signature: string;
  /** The content of `redacted_thinking`. */
  readonly data: string;
  readonly id: string;
  readonly name: string;
  /** Whole arguments in the announcement of a call, from servers that send no deltas. */
  readonly input: unknown;
  isStarted: boolean;
}

/** An event of the wire before validation. */
interface WireEvent {
  readonly type?: unknown;
  readonly message?: unknown;
  readonly index?: unknown;
  readonly content_block?: unknown;
  readonly delta?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

export class MessagesReader {
  readonly #options: MessagesReaderOptions;
  #open: OpenBlock[] = [];
  /** Calls that are run only when the answer is known to be whole, because their arguments are no complete JSON. */
  readonly #held: OpenBlock[] = [];
  #count = 0;
  #created = false;
  #usage: Counts | undefined;
  #stopReason: string | undefined;
  #fault: ModelFault | undefined;

  constructor(options: MessagesReaderOptions) {
    this.#options = options;
  }

  /** True when the model has said why it stopped: only usage and the end mark can still follow. */
  get finished(): boolean {
    return this.#stopReason !== undefined;
  }

  /** Returns the events for this event of the wire, in order. `message_stop` gives those of `done`. @throws ModelFault */
  read(wire: unknown): readonly ResponseEvent[] {
    if (!isJsonObject(wire)) return NOTHING;
    const event: WireEvent = wire;
    switch (event.type) {
      case 'message_start':
        return this.#start(event.message);
      case 'content_block_start':
        return this.#begin(event.index, event.content_block);
      case 'content_block_delta':
        return this.#delta(event.index, event.delta);
      case 'content_block_stop':
        return this.#end(event.index);
      case 'message_delta':
        return this.#messageDelta(event.delta, event.usage);
      case 'message_stop':
        return this.done();
      case 'error':
        throw inStreamFault(event);
      default:
        // A gateway whose server has failed sends its own error, not an event.
        if (event.error) throw inStreamFault(event);
        return NOTHING;
    }
  }

  /** Reads a whole message from a server that does not stream. @throws ModelFault */
  readDocument(document: unknown): readonly ResponseEvent[] {
    const { data } = documentSchema.safeParse(document);
    if (!data) throw inStreamFault(document);
    const events: ResponseEvent[] = [...this.#start(document)];
    for (const [index, block] of data.content.entries()) events.push(...this.#begin(index, block), ...this.#end(index));
    const stop_reason = data.stop_reason ?? 'end_turn';
    events.push(...this.#messageDelta({ stop_reason }, undefined), ...this.done());
    return events;
  }

  /**
   * Call when the stream has ended without its mark. A message whose reason to stop is known is whole.
   * @throws ModelFault
   */
  done(): readonly ResponseEvent[] {
    if (this.#fault) throw this.#fault;
    if (!this.finished) throw streamClosedFault();
    const endTurn = this.#stopReason !== 'pause_turn';
    return [{ type: 'completed', usage: usageOf(this.#usage), endTurn }];
  }

  #start(message: unknown): readonly ResponseEvent[] {
    this.#usage = countsIn(isJsonObject(message) ? message['usage'] : undefined, this.#usage);
    if (this.#created) return NOTHING;
    this.#created = true;
    return [{ type: 'created' }];
  }

  #begin(index: unknown, content: unknown): readonly ResponseEvent[] {
    const { data: head } = blockSchema.safeParse(content);
    const known = KINDS.find((each) => each === head?.type) ?? 'ignored';
    // A call without a name cannot be run.
    const kind = known === 'tool_use' && !head?.name ? 'ignored' : known;
    if (kind === 'ignored') this.#options.onSkipped(content);
    const block = this.#add(index, kind, head);
    const events: ResponseEvent[] = [];
    if (kind === 'tool_use') this.#announce(block, events);
    this.#grow(block, kind === 'thinking' ? (head?.thinking ?? '') : (head?.text ?? ''), events);
    return events;
  }

  #add(index: unknown, kind: OpenBlock['kind'], head: Head | undefined): OpenBlock {
    if (this.#count >= MOST_ITEMS) throw tooManyItemsFault();
    const block: OpenBlock = {
      key: String(this.#count),
      index,
      kind,
      text: '',
      signature: head?.signature ?? '',
      data: head?.data ?? '',
      id: head?.id ?? '',
      name: head?.name ?? '',
      input: head?.input,
      isStarted: false,
    };
    this.#count += 1;
    this.#open.push(block);
    return block;
  }

  #announce(block: OpenBlock, events: ResponseEvent[]): void {
    if (block.isStarted) return;
    block.isStarted = true;
    const kind = ITEM_KINDS[block.kind];
    if (kind) {
      events.push({ type: 'item_started', key: block.key, kind, ...(kind === 'tool_call' && { name: block.name }) });
    }
  }

  #delta(index: unknown, delta: unknown): readonly ResponseEvent[] {
    if (!isJsonObject(delta)) return NOTHING;
    const events: ResponseEvent[] = [];
    switch (delta['type']) {
      case 'text_delta':
        this.#grow(this.#find(index, 'text'), stringOf(delta['text']), events);
        break;
      case 'thinking_delta':
        this.#grow(this.#find(index, 'thinking'), stringOf(delta['thinking']), events);
        break;
      case 'signature_delta':
        this.#find(index, 'thinking').signature += stringOf(delta['signature']);
        break;
      case 'input_json_delta': {
        const block = this.#open.find((each) => each.index === index);
        if (block) this.#grow(block, stringOf(delta['partial_json']), events);
        break;
      }
    }
    return events;
  }

  /** The open block with this index; starts one for servers that do not announce it. */
  #find(index: unknown, kind: 'text' | 'thinking'): OpenBlock {
    return this.#open.find((block) => block.index === index) ?? this.#add(index, kind, undefined);
  }

  #grow(block: OpenBlock, text: string, events: ResponseEvent[]): void {
    if (text === '' || block.kind === 'ignored') return;
    this.#announce(block, events);
    block.text += text;
    const { key, name } = block;
    if (block.kind === 'text') events.push({ type: 'text_delta', key, text });
    else if (block.kind === 'thinking') events.push({ type: 'reasoning_summary_delta', key, text });
    else if (block.kind === 'tool_use') events.push({ type: 'call_delta', key, name, kind: 'arguments', text });
  }

  #end(index: unknown): readonly ResponseEvent[] {
    const block = this.#open.find((each) => each.index === index);
    if (!block) return NOTHING;
    this.#open = this.#open.filter((each) => each !== block);
    if (block.kind === 'tool_use' && !isWhole(block)) {
      this.#held.push(block);
      return NOTHING;
    }
    return this.#complete(block);
  }

  #complete(block: OpenBlock): readonly ResponseEvent[] {
    const item = this.#itemOf(block);
    if (!item) return NOTHING;
    const events: ResponseEvent[] = [];
    this.#announce(block, events);
    events.push({ type: 'item_done', key: block.key, item });
    return events;
  }

  #itemOf(block: OpenBlock): ResponseItem | undefined {
    switch (block.kind) {
      case 'text':
        if (block.text === '') return undefined;
        return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: block.text }] };
      case 'thinking':
        return block.text === '' && block.signature === '' ? undefined : reasoningOf(block);
      case 'redacted_thinking':
        return { type: 'reasoning', summary: [], thinking_block: { type: 'redacted_thinking', data: block.data } };
      case 'tool_use': {
        const call_id = block.id === '' ? this.#options.newCallId() : block.id;
        const call = { type: 'function_call', call_id, name: block.name, arguments: argumentsOf(block) } as const;
        return asOffered(call, this.#options.customTools);
      }
      case 'ignored':
        return undefined;
    }
  }

  #messageDelta(delta: unknown, usage: unknown): readonly ResponseEvent[] {
    this.#usage = countsIn(usage, this.#usage);
    const reason = isJsonObject(delta) ? stringOf(delta['stop_reason']) : '';
    if (reason === '' || this.finished) return NOTHING;
    this.#stopReason = reason;
    this.#fault = finishReasonFault(reason, 'stop_reason');
    // Text stays; a call that was cut off is not run.
    const isCut = this.#fault !== undefined;
    const rest = [...this.#held, ...this.#open].filter((block) => !isCut || block.kind !== 'tool_use');
    this.#open = [];
    if (this.#fault?.retryable) throw this.#fault;
    return rest.flatMap((block) => this.#complete(block));
  }
}

const NOTHING: readonly ResponseEvent[] = [];

const KINDS = ['text', 'thinking', 'redacted_thinking', 'tool_use'] as const;

const ITEM_KINDS = {
  text: 'message',
  thinking: 'reasoning',
  redacted_thinking: 'reasoning',
  tool_use: 'tool_call',
  ignored: undefined,
} as const;

/** Other servers of this wire have no signatures. */
function reasoningOf({ text, signature }: OpenBlock): ReasoningItem {
  return {
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    thinking_block: { type: 'thinking', thinking: text, signature },
  };
}

/** True when the arguments are one JSON document; the answer may have been cut within others, or before the first byte. */
function isWhole(block: OpenBlock): boolean {
  return block.text === '' ? hasInput(block) : parseJson(block.text) !== undefined;
}

function hasInput({ input }: OpenBlock): boolean {
  return isJsonObject(input) && Object.keys(input).length > 0;
}

function argumentsOf(block: OpenBlock): string {
  if (block.text !== '') return block.text;
  return hasInput(block) ? JSON.stringify(block.input) : '{}';
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const word = z.string().optional().catch(undefined);
const blockSchema = lazyObject(() => ({
  type: z.string(),
  text: word,
  thinking: word,
  signature: word,
  data: word,
  id: word,
  name: word,
  input: z.unknown().optional(),
}));
type Head = z.infer<typeof blockSchema>;

const documentSchema = lazyObject(() => ({
  content: z.array(z.unknown()),
  stop_reason: z.string().nullish().catch(undefined),
}));

// ---------------------------------------------------------------- usage

const count = z.number().nonnegative().nullish().catch(undefined);
const usageSchema = lazyObject(() => ({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
  output_tokens_details: z.object({ thinking_tokens: count }).nullish().catch(undefined),
}));
type Counts = z.infer<typeof usageSchema>;

/** Counts are cumulative: a later one replaces an earlier one, and one that is missing does not. */
function countsIn(usage: unknown, before: Counts | undefined): Counts | undefined {
  const { data } = usageSchema.safeParse(usage);
  if (!data) return before;
  const given = Object.entries(data).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}

/** `input_tokens` are only those behind the last mark of the cache. */
function usageOf(counts: Counts | undefined): TokenUsage | null {
  if (counts?.output_tokens == null) return null;
  const cachedInput = counts.cache_read_input_tokens ?? 0;
  const cacheWrite = counts.cache_creation_input_tokens ?? 0;
  const input = (counts.input_tokens ?? 0) + cacheWrite + cachedInput;
  const output = counts.output_tokens;
  const reasoning = counts.output_tokens_details?.thinking_tokens ?? 0;
  const written = cacheWrite === 0 ? {} : { cacheWrite };
  return { input, cachedInput, ...written, output, reasoning, total: input + output };
}
