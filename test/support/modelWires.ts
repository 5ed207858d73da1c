/** Turns the steps of a script into the bytes of each wire (docs/reference/codex-behaviour.md §2.4 and §2.5). */
import type { TokenUsage } from '../../src/protocol/event.ts';
import { assertNever } from '../../src/core/util/assertNever.ts';
import { isAnswerStep, isConnectionStep, type ConnectionStep, type Step } from './modelScript.ts';

/** The actions of the server on an open response, in order. */
export type Piece =
  | { readonly type: 'text'; readonly text: string | Uint8Array }
  | { readonly type: 'wait'; readonly for: number | Promise<unknown> }
  | { readonly type: 'cut' }
  | { readonly type: 'hang' };

/**
 * Returns the next id with this prefix. Ids count up as long as the server exists, so they are unique in a thread and
 * the same in every run.
 */
export type NextId = (prefix: string) => string;

const DEFAULT_USAGE: TokenUsage = { input: 100, cachedInput: 0, output: 10, reasoning: 0, total: 110 };

export function usageOf(steps: readonly Step[]): TokenUsage | null {
  const step = steps.findLast((step) => step.type === 'usage');
  if (step === undefined) return DEFAULT_USAGE;
  if (step.usage === null) return null;
  const counts = { ...DEFAULT_USAGE, ...step.usage };
  return { ...counts, total: step.usage.total ?? counts.input + counts.output };
}

/** Splits a text into `deltas` pieces of about the same length. No piece is empty and no code point is cut. */
export function inPieces(text: string, deltas = 3): readonly string[] {
  if (deltas === 0 || text === '') return [];
  const size = Math.max(1, Math.ceil(text.length / deltas));
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + size;
    const cutsPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length;
    pieces.push(text.slice(start, cutsPair ? end + 1 : end));
    start = cutsPair ? end + 1 : end;
  }
  return pieces;
}

/** Collects pieces and merges adjacent texts, so that 20,000 deltas are a few writes. */
export class PieceList {
  readonly pieces: Piece[] = [];
  #text: string[] = [];

  event(event: unknown): void {
    this.#text.push(`data: ${JSON.stringify(event)}\n\n`);
  }

  text(text: string): void {
    this.#text.push(text);
  }

  control(piece: Piece): void {
    this.flush();
    this.pieces.push(piece);
  }

  pause(delayMs: number | undefined): void {
    if (delayMs !== undefined) this.control({ type: 'wait', for: delayMs });
  }

  flush(): void {
    if (this.#text.length > 0) this.pieces.push({ type: 'text', text: this.#text.join('') });
    this.#text = [];
  }
}

/** Adds a step of the connection, which is the same on all wires. Returns true if it completes the response. */
export function connect(step: ConnectionStep, list: PieceList): boolean {
  switch (step.type) {
    case 'waits':
      list.control({ type: 'wait', for: step.for });
      return false;
    case 'raw':
      list.text(step.text);
      return false;
    case 'cut':
      list.control({ type: 'cut' });
      return true;
    case 'hangs':
      list.control({ type: 'hang' });
      return true;
    case 'closesCleanly':
      return true;
    default:
      return assertNever(step);
  }
}

// ---------------------------------------------------------------- Responses

type CallStep = Extract<Step, { type: 'calls' | 'callsCustom' }>;

/** The form in which one server writes the events of Responses. */
export interface ResponsesDialect {
  /** True if each event also has its name on a line before it, and a sequence number. */
  readonly isNumbered?: boolean;
  /** The fields that the server leaves out of all events. */
  readonly without?: readonly string[];
  /** Fields of each delta in addition to the common ones. */
  readonly extraOfDelta?: Readonly<Record<string, unknown>>;
  /** True if an item has an id only when it is complete. */
  readonly lateIds?: boolean;
  /** A text after the last event. */
  readonly end?: string;
}

/**
 * Returns the pieces of a response on Responses. `functions`: the names of tools that were offered as functions, which
 * a model then calls as functions.
 */
export function responsesPieces(
  steps: readonly Step[],
  nextId: NextId,
  dialect: ResponsesDialect = {},
  functions: ReadonlySet<string> = new Set(),
): readonly Piece[] {
  const list = new ResponsesList(dialect);
  const responseId = nextId('resp');
  const output: unknown[] = [];
  let outputIndex = -1;
  const done = (item: object) => {
    output.push(item);
    list.event({ type: 'response.output_item.done', output_index: outputIndex, item });
  };
  const begin = once(() =>
    list.event({ type: 'response.created', response: { id: responseId, status: 'in_progress', output: [] } }),
  );

  for (const step of steps) {
    if (isAnswerStep(step)) continue;
    if (isConnectionStep(step)) {
      if (connect(step, list)) return finished(list);
      continue;
    }
    begin();
    outputIndex += 1;
    const place = { output_index: outputIndex };
    const added = (item: object) => list.event({ type: 'response.output_item.added', ...place, item });
    const call = (
      { name, callId, deltas, delayMs, lastAfter }: CallStep,
      prefix: string,
      { type, field, text }: { readonly type: string; readonly field: string; readonly text: string },
    ) => {
      const id = nextId(prefix);
      const item = { id, type, call_id: callId ?? nextId('call'), name };
      const event = `response.${type === 'function_call' ? 'function_call_arguments' : 'custom_tool_call_input'}`;
      added({ ...item, status: 'in_progress', [field]: '' });
      const pieces = inPieces(text, deltas);
      for (const [index, delta] of pieces.entries()) {
        list.pause(delayMs);
        if (lastAfter !== undefined && index === pieces.length - 1) list.control({ type: 'wait', for: lastAfter });
        list.event({ type: `${event}.delta`, item_id: id, ...place, delta });
      }
      list.event({ type: `${event}.done`, item_id: id, ...place, [field]: text });
      done({ ...item, status: 'completed', [field]: text });
    };
    switch (step.type) {
      case 'says': {
        const id = nextId('msg');
        const phase = step.phase === undefined ? {} : { phase: step.phase };
        added({ id, type: 'message', status: 'in_progress', role: 'assistant', content: [], ...phase });
        for (const delta of inPieces(step.text, step.deltas)) {
          list.pause(step.delayMs);
          list.event({ type: 'response.output_text.delta', item_id: id, ...place, content_index: 0, delta });
        }
        const annotations = (step.cites ?? []).map(([url, title]) => citation(step.text, url, title));
        annotations.forEach((annotation, annotation_index) => {
          const where = { item_id: id, ...place, content_index: 0, annotation_index };
          list.event({ type: 'response.output_text.annotation.added', ...where, annotation });
        });
        list.event({ type: 'response.output_text.done', item_id: id, ...place, content_index: 0, text: step.text });
        const content = [{ type: 'output_text', text: step.text, annotations, logprobs: [] }];
        done({ id, type: 'message', status: 'completed', role: 'assistant', content, ...phase });
        break;
      }
      case 'reasons': {
        const id = nextId('rs');
        added({ id, type: 'reasoning', summary: [] });
        step.summary.forEach((section, index) => {
          const where = { item_id: id, ...place, summary_index: index };
          list.event({
            type: 'response.reasoning_summary_part.added',
            ...where,
            part: { type: 'summary_text', text: '' },
          });
          for (const delta of inPieces(section, step.deltas)) {
            list.pause(step.delayMs);
            list.event({ type: 'response.reasoning_summary_text.delta', ...where, delta });
          }
          list.event({ type: 'response.reasoning_summary_text.done', ...where, text: section });
        });
        if (step.raw !== undefined) {
          for (const delta of inPieces(step.raw, step.deltas)) {
            list.event({ type: 'response.reasoning_text.delta', item_id: id, ...place, content_index: 0, delta });
          }
        }
        done({
          id,
          type: 'reasoning',
          summary: step.summary.map((text) => ({ type: 'summary_text', text })),
          ...(step.raw === undefined ? {} : { content: [{ type: 'reasoning_text', text: step.raw }] }),
          encrypted_content: step.encrypted ?? null,
        });
        break;
      }
      case 'calls':
        call(step, 'fc', { type: 'function_call', field: 'arguments', text: step.arguments });
        break;
      case 'callsCustom':
        if (functions.has(step.name)) {
          call(step, 'fc', { type: 'function_call', field: 'arguments', text: JSON.stringify({ input: step.input }) });
        } else call(step, 'ctc', { type: 'custom_tool_call', field: 'input', text: step.input });
        break;
      case 'callsLocalShell': {
        const action = { type: 'exec', command: step.command, env: {} };
        const shell = { id: nextId('lsh'), type: 'local_shell_call', call_id: step.callId ?? nextId('call'), action };
        added({ ...shell, status: 'in_progress' });
        done({ ...shell, status: 'completed' });
        break;
      }
      case 'searches': {
        // As recorded in vercel/ai, packages/openai/src/responses/__fixtures__/openai-web-search-tool.1.chunks.txt: the action
        // comes with the end.
        const search = { id: nextId('ws'), type: 'web_search_call' };
        added({ ...search, status: 'in_progress' });
        for (const state of ['in_progress', 'searching', 'completed']) {
          list.event({ type: `response.web_search_call.${state}`, item_id: search.id, ...place });
        }
        done({ ...search, status: step.status, action: step.action });
        break;
      }
      case 'failsInStream':
        list.event({
          type: 'response.failed',
          response: {
            id: responseId,
            status: 'failed',
            error: step.code === null ? null : { code: step.code, message: step.message },
          },
        });
        return finished(list);
      case 'incomplete':
        list.event({
          type: 'response.incomplete',
          response: { id: responseId, status: 'incomplete', incomplete_details: { reason: step.reason } },
        });
        return finished(list);
    }
  }

  begin();
  const counts = usageOf(steps);
  const endTurn = steps.findLast((step) => step.type === 'endTurn');
  list.event({
    type: 'response.completed',
    response: {
      id: responseId,
      status: 'completed',
      output,
      ...(endTurn === undefined ? {} : { end_turn: endTurn.endTurn }),
      usage: counts && {
        input_tokens: counts.input,
        input_tokens_details: { cached_tokens: counts.cachedInput },
        output_tokens: counts.output,
        output_tokens_details: { reasoning_tokens: counts.reasoning },
        total_tokens: counts.total,
        cost: counts.cost,
      },
    },
  });
  if (dialect.end !== undefined) list.text(dialect.end);
  return finished(list);
}

/** Returns an annotation as OpenAI sends it: it cites a page by the link in the text. */
function citation(text: string, url: string, title: string) {
  const start_index = Math.max(0, text.indexOf(`([`));
  return { type: 'url_citation', start_index, end_index: text.length, title, url };
}

/** Writes each event as the server does. */
class ResponsesList extends PieceList {
  readonly #dialect: ResponsesDialect;
  #count = 0;

  constructor(dialect: ResponsesDialect) {
    super();
    this.#dialect = dialect;
  }

  override event(event: { readonly type: string; readonly [field: string]: unknown }): void {
    const { isNumbered = false, without = [], extraOfDelta = {}, lateIds = false } = this.#dialect;
    const { type, ...rest } = event;
    const isDelta = type.endsWith('.delta');
    const shaped: Record<string, unknown> = {
      type,
      ...(isNumbered ? { sequence_number: this.#count } : {}),
      ...rest,
      ...(isDelta ? extraOfDelta : {}),
    };
    this.#count += 1;
    if (lateIds && 'item_id' in shaped) shaped['item_id'] = '';
    if (lateIds && type === 'response.output_item.added') shaped['item'] = { ...(shaped['item'] as object), id: '' };
    for (const field of without) delete shaped[field];
    if (isNumbered) this.text(`event: ${type}\n`);
    super.event(shaped);
  }
}

/**
 * Returns a function that calls `act` at its first call only: the beginning of a response is sent once, and not at all
 * if the script begins with a pause or its own bytes.
 */
export function once(act: () => void): () => void {
  let acted = false;
  return () => {
    if (!acted) act();
    acted = true;
  };
}

export function finished(list: PieceList): readonly Piece[] {
  list.flush();
  return list.pieces;
}

// ---------------------------------------------------------------- Chat Completions

/** The form in which one server writes the chunks of a Chat completion. */
export interface ChatDialect {
  /** A text before the first chunk, such as comments. */
  readonly prelude?: string;
  /** The name of the field with reasoning; by default `reasoning_content`. */
  readonly reasoning?: 'reasoning' | 'reasoning_content';
  /** True if a call arrives as a whole, in one chunk. */
  readonly wholeCalls?: boolean;
  /** Fields of each chunk in addition to the common ones. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Fields of each choice in addition to the common ones. */
  readonly extraOfChoice?: Readonly<Record<string, unknown>>;
  /** True if usage is sent without a request for it. */
  readonly alwaysUsage?: boolean;
}

export function chatPieces(
  steps: readonly Step[],
  nextId: NextId,
  includeUsage: boolean,
  dialect: ChatDialect = {},
): readonly Piece[] {
  const list = new PieceList();
  if (dialect.prelude !== undefined) list.text(dialect.prelude);
  const base = {
    id: nextId('chatcmpl'),
    object: 'chat.completion.chunk',
    created: 0,
    model: 'scripted',
    ...dialect.extra,
  };
  const chunk = (delta: object, finishReason: string | null = null) =>
    list.event({ ...base, choices: [{ index: 0, delta, finish_reason: finishReason, ...dialect.extraOfChoice }] });
  let callIndex = -1;
  const call = (
    name: string,
    args: string,
    callId: string | undefined,
    deltas: number | undefined,
    delayMs?: number,
  ) => {
    callIndex += 1;
    const index = callIndex;
    const head = { index, id: callId ?? nextId('call'), type: 'function' };
    if (deltas === 0 || dialect.wholeCalls) {
      chunk({ tool_calls: [{ ...head, function: { name, arguments: args } }] });
      return;
    }
    chunk({ tool_calls: [{ ...head, function: { name, arguments: '' } }] });
    for (const piece of inPieces(args, deltas)) {
      list.pause(delayMs);
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  };
  const begin = once(() => chunk({ role: 'assistant', content: '' }));

  for (const step of steps) {
    if (isAnswerStep(step)) continue;
    if (isConnectionStep(step)) {
      if (connect(step, list)) return finished(list);
      continue;
    }
    begin();
    switch (step.type) {
      case 'says':
        for (const content of step.deltas === 0 ? [step.text] : inPieces(step.text, step.deltas)) {
          list.pause(step.delayMs);
          chunk({ content });
        }
        break;
      case 'reasons':
        for (const reasoning of inPieces(step.raw ?? step.summary.join('\n\n'), step.deltas)) {
          list.pause(step.delayMs);
          chunk({ [dialect.reasoning ?? 'reasoning_content']: reasoning });
        }
        break;
      case 'calls':
        call(step.name, step.arguments, step.callId, step.deltas, step.delayMs);
        break;
      case 'callsCustom':
        call(step.name, JSON.stringify({ input: step.input }), step.callId, step.deltas, step.delayMs);
        break;
      case 'callsLocalShell':
        call('shell', JSON.stringify({ command: step.command }), step.callId, undefined);
        break;
      case 'failsInStream':
        list.event({ error: { code: step.code, message: step.message } });
        return finished(list);
      case 'incomplete':
        chunk({}, step.reason === 'max_output_tokens' ? 'length' : step.reason);
        list.text('data: [DONE]\n\n');
        return finished(list);
      case 'searches':
        break;
    }
  }

  begin();
  chunk({}, callIndex >= 0 ? 'tool_calls' : 'stop');
  const counts = usageOf(steps);
  if ((includeUsage || dialect.alwaysUsage) && counts) list.event({ ...base, choices: [], usage: chatUsage(counts) });
  list.text('data: [DONE]\n\n');
  return finished(list);
}

/** Returns the response as one document, for servers that ignore `stream`. */
export function chatDocument(steps: readonly Step[], nextId: NextId): string {
  const text = steps.flatMap((step) => (step.type === 'says' ? [step.text] : [])).join('');
  const toolCalls = steps.flatMap((step) => {
    if (step.type !== 'calls' && step.type !== 'callsCustom') return [];
    const args = step.type === 'calls' ? step.arguments : JSON.stringify({ input: step.input });
    return [{ id: step.callId ?? nextId('call'), type: 'function', function: { name: step.name, arguments: args } }];
  });
  const counts = usageOf(steps);
  return JSON.stringify({
    id: nextId('chatcmpl'),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' ? null : text,
          ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
        },
        finish_reason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    ...(counts ? { usage: chatUsage(counts) } : {}),
  });
}

function chatUsage(counts: TokenUsage) {
  return {
    prompt_tokens: counts.input,
    prompt_tokens_details: { cached_tokens: counts.cachedInput },
    completion_tokens: counts.output,
    completion_tokens_details: { reasoning_tokens: counts.reasoning },
    total_tokens: counts.total,
    cost: counts.cost,
  };
}
