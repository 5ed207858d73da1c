/**
 * Reads the events of one response (codex-behaviour.md §2.4). Unknown events and items are ignored; events that servers
 * omit (the start of an item, its deltas) are added.
 */
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import * as z from 'zod';
import type { TokenUsage } from '../../protocol/event.ts';
import type { ReasoningItem, ResponseItem } from '../../protocol/responseItem.ts';
import { textOf } from '../../protocol/responseItem.ts';
import type { ResponseEvent } from './client.ts';
import { inStreamFault, incompleteFault, malformedFault, MOST_ITEMS, tooManyItemsFault } from './faults.ts';
import { asOffered } from './functionForm.ts';
import { itemFromWire } from './responsesItems.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';
import { isJsonObject } from '../util/json.ts';

type ItemKind = Extract<ResponseEvent, { type: 'item_started' }>['kind'];

/** The state of an item that is not complete yet. */
interface OpenItem {
  readonly key: string;
  readonly kind: ItemKind;
  readonly id: string | undefined;
  readonly outputIndex: number | undefined;
  name: string | undefined;
  /** The item as the server announced it. */
  readonly announced: unknown;
  /** The text, arguments or input that was emitted as deltas. */
  text: string;
  raw: string;
  /** The index of the current summary section. */
  section: number | undefined;
}

export interface ResponsesReaderOptions {
  readonly newCallId: () => string;
  /** Names of tools that were offered as free text. */
  readonly customTools: ReadonlySet<string>;
  /** Called with each skipped item. */
  readonly onSkipped: (item: unknown) => void;
}

/** An event of the wire before validation. */
interface WireEvent {
  readonly type?: ResponseStreamEvent['type'];
  readonly item?: unknown;
  readonly item_id?: unknown;
  readonly output_index?: unknown;
  readonly delta?: unknown;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly summary_index?: unknown;
  readonly response?: unknown;
  readonly error?: unknown;
}

export class ResponsesReader {
  readonly #options: ResponsesReaderOptions;
  readonly #open: OpenItem[] = [];
  #count = 0;

  constructor(options: ResponsesReaderOptions) {
    this.#options = options;
  }

  /** Returns the events for this event of the wire, in order. @throws ModelFault */
  read(wire: unknown): readonly ResponseEvent[] {
    if (typeof wire !== 'object' || wire === null) return NOTHING;
    const event = wire as WireEvent;
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#text(event);
      case 'response.reasoning_summary_text.delta':
        return this.#summary(event);
      case 'response.reasoning_text.delta':
        return this.#raw(event);
      case 'response.function_call_arguments.delta':
        return this.#callDelta(event, 'arguments');
      case 'response.custom_tool_call_input.delta':
        return this.#callDelta(event, 'input');
      case 'response.function_call_arguments.done':
        return this.#callWritten(event, event.arguments);
      case 'response.custom_tool_call_input.done':
        return this.#callWritten(event, event.input);
      case 'response.reasoning_summary_part.added': {
        const events: ResponseEvent[] = [];
        this.#section(this.#find(event, 'reasoning', events), event, events);
        return events;
      }
      case 'response.created':
        return [{ type: 'created' }];
      case 'response.output_item.added':
        return this.#added(event);
      case 'response.output_item.done':
        return this.#done(event);
      case 'response.completed':
        return this.#completed(event.response);
      case 'response.failed':
        throw inStreamFault(event.response);
      case 'response.incomplete':
        throw incompleteFault(incompleteSchema.safeParse(event.response).data?.incomplete_details?.reason);
      case 'error':
        throw inStreamFault(event);
      case undefined:
        // A gateway whose server has failed sends its own error, not an event.
        if (event.error) throw inStreamFault(event);
        return NOTHING;
      default:
        return NOTHING;
    }
  }

  /** Reads a whole response from a server that does not stream. @throws ModelFault */
  readDocument(document: unknown): readonly ResponseEvent[] {
    const { data } = documentSchema.safeParse(document);
    if (!data) throw inStreamFault(document);
    if (data.status === 'failed') throw inStreamFault(document);
    if (data.status === 'incomplete')
      throw incompleteFault(incompleteSchema.parse(document).incomplete_details?.reason);
    return [...data.output.flatMap((item) => this.#done({ item })), completed(document)];
  }

  /**
   * Ignores the items that it repeats. Texts and calls without an end event end here
   * (github.com/NousResearch/hermes-agent/issues/92764), and items without any event are in the response alone.
   */
  #completed(response: unknown): readonly ResponseEvent[] {
    const end = completed(response);
    const items = this.#count === 0 ? outputOf(response) : [];
    return [
      ...items.flatMap((item) => this.#done({ item })),
      ...this.#open.flatMap((item) => this.#settled(item)),
      end,
    ];
  }

  #settled(open: OpenItem): readonly ResponseEvent[] {
    if (open.kind === 'message' && open.text !== '') return [asMessage(open)];
    if (open.kind !== 'tool_call' || !isJsonObject(open.announced)) return NOTHING;
    const written = { ...open.announced, arguments: open.text, input: open.text };
    const item = itemFromWire(written, this.#options.newCallId);
    return item === undefined ? NOTHING : [{ type: 'item_done', key: open.key, item: this.#asOffered(item) }];
  }

  #asOffered(item: ResponseItem): ResponseItem {
    return item.type === 'function_call' ? asOffered(item, this.#options.customTools) : item;
  }

  #text(event: WireEvent): readonly ResponseEvent[] {
    const text = deltaOf(event);
    if (text === '') return NOTHING;
    const events: ResponseEvent[] = [];
    const item = this.#find(event, 'message', events);
    item.text += text;
    events.push({ type: 'text_delta', key: item.key, text });
    return events;
  }

  #summary(event: WireEvent): readonly ResponseEvent[] {
    const text = deltaOf(event);
    if (text === '') return NOTHING;
    const events: ResponseEvent[] = [];
    const item = this.#find(event, 'reasoning', events);
    this.#section(item, event, events);
    item.text += text;
    events.push({ type: 'reasoning_summary_delta', key: item.key, text });
    return events;
  }

  #raw(event: WireEvent): readonly ResponseEvent[] {
    const text = deltaOf(event);
    if (text === '') return NOTHING;
    const events: ResponseEvent[] = [];
    const item = this.#find(event, 'reasoning', events);
    item.raw += text;
    events.push({ type: 'reasoning_raw_delta', key: item.key, text });
    return events;
  }

  #callDelta(event: WireEvent, kind: 'arguments' | 'input'): readonly ResponseEvent[] {
    const text = deltaOf(event);
    if (text === '') return NOTHING;
    const events: ResponseEvent[] = [];
    const item = this.#find(event, 'tool_call', events);
    item.text += text;
    events.push({ type: 'call_delta', key: item.key, name: item.name, kind, text });
    return events;
  }

  /** The whole text of a call, which counts instead of its deltas. */
  #callWritten(event: WireEvent, text: unknown): readonly ResponseEvent[] {
    const events: ResponseEvent[] = [];
    if (typeof text === 'string' && text !== '') this.#find(event, 'tool_call', events).text = text;
    return events;
  }

  /** Emits a break between sections, whether the server announces them or only numbers them. */
  #section(item: OpenItem, event: WireEvent, events: ResponseEvent[]): void {
    const index = typeof event.summary_index === 'number' ? event.summary_index : (item.section ?? 0);
    if (item.section !== undefined && index !== item.section) {
      events.push({ type: 'reasoning_section_break', key: item.key });
    }
    item.section = index;
  }

  #added({ item, output_index }: WireEvent): readonly ResponseEvent[] {
    const head = headSchema.safeParse(item).data;
    const kind = kindOf(head?.type);
    if (!head || !kind) return NOTHING;
    const events: ResponseEvent[] = [];
    this.#start(kind, head, output_index, events, item);
    return events;
  }

  #done({ item: wire, output_index }: WireEvent): readonly ResponseEvent[] {
    const head = headSchema.safeParse(wire).data;
    const kind = kindOf(head?.type);
    const announced =
      this.#open.find(({ id }) => id !== undefined && id === head?.id) ??
      this.#open.find((item) => item.kind === kind && item.outputIndex === output_index) ??
      this.#open.find((item) => item.kind === kind && (item.id === undefined || head?.id === undefined));
    const read = itemFromWire(withNames(wire, announced?.announced), this.#options.newCallId);
    if (!head || !kind || !read) {
      this.#options.onSkipped(wire);
      return NOTHING;
    }
    const events: ResponseEvent[] = [];
    const open = announced ?? this.#start(kind, head, output_index, events);
    this.#open.splice(this.#open.indexOf(open), 1);
    events.push(...missingDeltas(open, read), { type: 'item_done', key: open.key, item: this.#asOffered(read) });
    return events;
  }

  /** The open item of a delta: by id, by index, or the last one of its kind; starts one if none is open. */
  #find({ item_id, output_index }: WireEvent, kind: ItemKind, events: ResponseEvent[]): OpenItem {
    const last = this.#open.at(-1);
    if (last !== undefined && last.id === item_id && last.kind === kind && item_id !== undefined) return last;
    const ofKind = this.#open.filter((item) => item.kind === kind);
    return (
      ofKind.find(({ id }) => id !== undefined && id === item_id) ??
      ofKind.find(({ outputIndex }) => outputIndex !== undefined && outputIndex === output_index) ??
      ofKind.at(-1) ??
      this.#start(kind, { id: typeof item_id === 'string' ? item_id : undefined }, output_index, events)
    );
  }

  #start(
    kind: ItemKind,
    head: { readonly id?: string | undefined; readonly name?: string | undefined },
    outputIndex: unknown,
    events: ResponseEvent[],
    announced?: unknown,
  ): OpenItem {
    if (this.#count >= MOST_ITEMS) throw tooManyItemsFault();
    const item: OpenItem = {
      key: String(this.#count),
      kind,
      id: head.id,
      outputIndex: typeof outputIndex === 'number' ? outputIndex : undefined,
      name: head.name,
      announced,
      text: '',
      raw: '',
      section: undefined,
    };
    this.#count += 1;
    this.#open.push(item);
    const name = kind === 'tool_call' ? { name: head.name } : {};
    events.push({ type: 'item_started', key: item.key, kind, ...name });
    return item;
  }
}

const NOTHING: readonly ResponseEvent[] = [];

function deltaOf({ delta }: WireEvent): string {
  return typeof delta === 'string' ? delta : '';
}

function outputOf(response: unknown): readonly unknown[] {
  return isJsonObject(response) && Array.isArray(response['output']) ? response['output'] : [];
}

/**
 * The complete item with the name and the call id of its announcement, where a gateway has emptied them
 * (github.com/BigPizzaV3/CodexPlusPlus/issues/614, github.com/farion1231/cc-switch/issues/4671).
 */
function withNames(wire: unknown, announced: unknown): unknown {
  if (!isJsonObject(wire) || !isJsonObject(announced) || kindOf(String(wire['type'])) !== 'tool_call') return wire;
  const names = ['name', 'call_id'].filter((field) => wire[field] === '' && announced[field]);
  return names.length === 0
    ? wire
    : { ...wire, ...Object.fromEntries(names.map((field) => [field, announced[field]])) };
}

const headSchema = lazyObject(() => ({
  type: z.string(),
  id: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
}));

function kindOf(type: string | undefined): ItemKind | undefined {
  switch (type) {
    case 'message':
    case 'reasoning':
      return type;
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return 'tool_call';
    case 'web_search_call':
      return 'web_search';
    default:
      return undefined;
  }
}

function asMessage({ key, text }: OpenItem): ResponseEvent {
  const item = {
    type: 'message' as const,
    role: 'assistant' as const,
    content: [{ type: 'output_text' as const, text }],
  };
  return { type: 'item_done', key, item };
}

/** The deltas that are missing from a complete item, so that deltas always add up to it. */
function missingDeltas(open: OpenItem, item: ResponseItem): readonly ResponseEvent[] {
  const { key } = open;
  if (item.type === 'message') {
    const whole = textOf(item.content);
    const text = whole.startsWith(open.text) ? whole.slice(open.text.length) : '';
    return text === '' ? NOTHING : [{ type: 'text_delta', key, text }];
  }
  return item.type === 'reasoning' ? missingReasoning(open, item) : NOTHING;
}

function missingReasoning({ key, text, raw }: OpenItem, item: ReasoningItem): readonly ResponseEvent[] {
  const events: ResponseEvent[] = [];
  if (text === '') {
    item.summary.forEach((section, index) => {
      if (index > 0) events.push({ type: 'reasoning_section_break', key });
      events.push({ type: 'reasoning_summary_delta', key, text: section.text });
    });
  }
  const whole = textOf(item.content ?? '');
  if (raw === '' && whole !== '') events.push({ type: 'reasoning_raw_delta', key, text: whole });
  return events;
}

// ---------------------------------------------------------------- the end

const usageSchema = z
  .object({
    input_tokens: z.number(),
    input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish().catch(undefined),
    output_tokens: z.number(),
    output_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish().catch(undefined),
    total_tokens: z.number().nullish(),
    /** OpenRouter, in credits. */
    cost: z.number().nonnegative().nullish().catch(undefined),
  })
  .nullish()
  .catch(undefined);

/** `id` is required (codex-behaviour.md §2.4): without it the event is not valid. */
const completedSchema = lazyObject(() => ({
  id: z.string(),
  usage: usageSchema,
  end_turn: z.boolean().nullish().catch(undefined),
}));

const incompleteSchema = lazyObject(() => ({
  incomplete_details: z.object({ reason: z.string().optional() }).nullish().catch(undefined),
}));

const documentSchema = lazyObject(() => ({
  id: z.string(),
  status: z.string().nullish(),
  output: z.array(z.unknown()),
}));

function completed(response: unknown): ResponseEvent {
  const { data } = completedSchema.safeParse(response);
  if (!data) throw malformedFault(JSON.stringify(response) ?? 'response.completed');
  return { type: 'completed', usage: usageOf(data.usage), endTurn: data.end_turn ?? true };
}

function usageOf(usage: z.infer<typeof usageSchema>): TokenUsage | null {
  if (!usage) return null;
  const { input_tokens: input, output_tokens: output } = usage;
  return {
    input,
    cachedInput: usage.input_tokens_details?.cached_tokens ?? 0,
    output,
    reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
    total: usage.total_tokens ?? input + output,
    ...(typeof usage.cost === 'number' ? { cost: usage.cost } : {}),
  };
}
