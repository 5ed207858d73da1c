/** The Responses wire: `POST /v1/responses` (codex-behaviour.md §2.1–2.4). */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { callIdOf, isToolCall, type ResponseItem, responseItemSchema, textOf } from '../../protocol/responseItem.ts';
import { type Answer, type AnswerPart, type Entry, offeredTools } from './conversation.ts';
import { pieces } from './pace.ts';
import type { UsageEstimate } from './usage.ts';
import { BadRequest, type ParsedRequest, type Wire } from './wire.ts';

const requestSchema = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(z.unknown())]),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).nullish(),
  reasoning: z.looseObject({ summary: z.string().nullish() }).nullish(),
  stream: z.boolean().nullish(),
});

export const responsesWire: Wire = {
  path: '/v1/responses',

  parse(body) {
    const request = requestSchema.safeParse(body);
    if (!request.success) throw new BadRequest(z.prettifyError(request.error));
    const { model, input, tools, reasoning, stream } = request.data;
    return {
      model,
      stream: stream ?? false,
      reasoning: Boolean(reasoning?.summary) && reasoning?.summary !== 'none',
      usage: true,
      conversation: {
        tools: offeredTools((tools ?? []).map(({ type, name }) => ({ kind: type, name: name ?? type }))),
        entries: typeof input === 'string' ? [{ type: 'user', texts: [input] }] : input.flatMap(entriesOf),
      },
    };
  },

  *events(answer, request, usage) {
    let sequence = 0;
    for (const { type, pause, ...fields } of payloads(answer, request, usage)) {
      const data = JSON.stringify({ type, sequence_number: sequence, ...fields });
      yield pause ? { event: type, data, pause } : { event: type, data };
      sequence += 1;
    }
  },
};

/** The entries of an item; items of unknown types are skipped. */
function entriesOf(raw: unknown): Entry[] {
  const item = responseItemSchema.safeParse(withType(raw));
  return item.success ? entryOf(item.data) : [];
}

/** A message may omit its type, and its content may be a plain string. */
function withType(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || !('role' in raw) || !('content' in raw)) return raw;
  const content = typeof raw.content === 'string' ? [{ type: 'input_text', text: raw.content }] : raw.content;
  return { type: 'message', ...raw, content };
}

function entryOf(item: ResponseItem): Entry[] {
  if (item.type === 'message') {
    if (item.role === 'assistant') return [{ type: 'assistant', text: textOf(item.content) }];
    return item.role === 'user' ? [{ type: 'user', texts: item.content.map((part) => textOf([part])) }] : [];
  }
  if (isToolCall(item)) {
    if (item.type === 'local_shell_call') return [];
    const input = item.type === 'function_call' ? item.arguments : item.input;
    return [{ type: 'call', callId: callIdOf(item) ?? '', name: item.name, input }];
  }
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
    return [{ type: 'output', callId: item.call_id, text: textOf(item.output) }];
  }
  return [];
}

type Payload = { readonly type: string; readonly pause?: boolean; readonly [field: string]: unknown };

function* payloads(answer: Answer, request: ParsedRequest, usage: UsageEstimate): Generator<Payload> {
  const id = newId('resp');
  const response = { id, object: 'response', created_at: Math.floor(Date.now() / 1000), model: request.model };
  yield { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } };
  const output: object[] = [];
  for (const part of answer) {
    if (part.type === 'reasoning' && !request.reasoning) continue;
    output.push(yield* partPayloads(part, output.length));
  }
  yield {
    type: 'response.completed',
    response: { ...response, status: 'completed', output, usage: usageOf(usage) },
  };
}

/** The events of one output item; returns the item. */
function* partPayloads(part: AnswerPart, index: number): Generator<Payload, object> {
  switch (part.type) {
    case 'reasoning': {
      const id = newId('rs');
      const place = { item_id: id, output_index: index, summary_index: 0 };
      const empty = { type: 'reasoning', id, summary: [] };
      yield { type: 'response.output_item.added', output_index: index, item: empty };
      yield { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } };
      yield* deltas('response.reasoning_summary_text', place, part.summary, 'text');
      const summary = { type: 'summary_text', text: part.summary };
      yield { type: 'response.reasoning_summary_part.done', ...place, part: summary };
      return yield* done(index, { ...empty, summary: [summary] });
    }
    case 'message': {
      const id = newId('msg');
      const place = { item_id: id, output_index: index, content_index: 0 };
      const empty = { type: 'message', id, status: 'in_progress', role: 'assistant', content: [] };
      yield { type: 'response.output_item.added', output_index: index, item: empty };
      const text = { type: 'output_text', text: '', annotations: [] };
      yield { type: 'response.content_part.added', ...place, part: text };
      yield* deltas('response.output_text', place, part.text, 'text');
      const content = { ...text, text: part.text };
      yield { type: 'response.content_part.done', ...place, part: content };
      return yield* done(index, { ...empty, status: 'completed', content: [content] });
    }
    case 'call': {
      const { kind, name, input } = part.call;
      const id = newId(kind === 'custom' ? 'ctc' : 'fc');
      const field = kind === 'custom' ? 'input' : 'arguments';
      const type = kind === 'custom' ? 'custom_tool_call' : 'function_call';
      const empty = { type, id, status: 'in_progress', call_id: newId('call'), name, [field]: '' };
      yield { type: 'response.output_item.added', output_index: index, item: empty };
      const event = kind === 'custom' ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
      yield* deltas(event, { item_id: id, output_index: index }, input, field);
      return yield* done(index, { ...empty, status: 'completed', [field]: input });
    }
  }
}

function* deltas(event: string, place: object, text: string, field: string): Generator<Payload> {
  for (const delta of pieces(text)) yield { type: `${event}.delta`, ...place, delta, pause: true };
  yield { type: `${event}.done`, ...place, [field]: text };
}

function* done(index: number, item: object): Generator<Payload, object> {
  yield { type: 'response.output_item.done', output_index: index, item };
  return item;
}

function usageOf({ input, output, reasoning }: UsageEstimate): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}
