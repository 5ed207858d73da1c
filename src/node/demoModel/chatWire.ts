/** The Chat Completions wire: `POST /v1/chat/completions` (codex-behaviour.md §2.5). */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { textOf } from '../../protocol/responseItem.ts';
import { type Answer, type Call, callsOf, type Entry, offeredTools } from './conversation.ts';
import { pieces } from './pace.ts';
import type { UsageEstimate } from './usage.ts';
import { BadRequest, type Wire, type WireEvent } from './wire.ts';

const contentSchema = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .nullish();

const messageSchema = z.object({
  role: z.string(),
  content: contentSchema,
  tool_call_id: z.string().nullish(),
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }).optional() }))
    .nullish(),
});

const requestSchema = z.object({
  model: z.string(),
  messages: z.array(messageSchema),
  tools: z.array(z.object({ type: z.string(), function: z.looseObject({ name: z.string() }).optional() })).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

export const chatWire: Wire = {
  path: '/v1/chat/completions',

  parse(body) {
    const request = requestSchema.safeParse(body);
    if (!request.success) throw new BadRequest(z.prettifyError(request.error));
    const { model, messages, tools, stream, stream_options: options } = request.data;
    const named = (tools ?? []).flatMap((tool) => tool.function ?? []);
    return {
      model,
      stream: stream ?? false,
      reasoning: false,
      usage: options?.include_usage ?? false,
      conversation: {
        tools: offeredTools(named.map(({ name }) => ({ kind: 'function', name }))),
        entries: messages.flatMap(entriesOf),
      },
    };
  },

  *events(answer, request, usage) {
    const envelope = {
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1000),
      model: request.model,
    };
    const chunk = (fields: object): string => JSON.stringify({ ...envelope, ...fields });
    const choice = (delta: object, finish: string | null = null): string =>
      chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });

    yield { data: choice({ role: 'assistant', content: '' }) };
    for (const delta of deltasOf(answer)) yield { data: choice(delta), pause: true };
    yield { data: choice({}, callsOf(answer).length > 0 ? 'tool_calls' : 'stop') };
    if (request.usage) yield { data: chunk({ choices: [], usage: usageOf(usage) }) };
    yield { data: '[DONE]' } satisfies WireEvent;
  },
};

function entriesOf(message: z.infer<typeof messageSchema>): Entry[] {
  const text = textOf(message.content ?? '');
  switch (message.role) {
    case 'user':
      return [{ type: 'user', texts: [text] }];
    case 'tool':
      return [{ type: 'output', callId: message.tool_call_id ?? '', text }];
    case 'assistant': {
      const calls = (message.tool_calls ?? []).flatMap(({ id, function: called }): Entry[] =>
        called ? [{ type: 'call', callId: id, name: called.name, input: called.arguments }] : [],
      );
      return text === '' ? calls : [{ type: 'assistant', text }, ...calls];
    }
    default:
      return [];
  }
}

/** Text first, then the calls: this wire has no other order. It has no reasoning. */
function* deltasOf(answer: Answer): Generator<object> {
  const texts = answer.flatMap((part) => (part.type === 'message' ? [part.text] : []));
  for (const content of pieces(texts.join('\n\n'))) yield { content };
  for (const [index, call] of callsOf(answer).entries()) yield* callDeltas(call, index);
}

function* callDeltas({ name, input }: Call, index: number): Generator<object> {
  const id = `call_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  yield { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] };
  for (const piece of pieces(input)) yield { tool_calls: [{ index, function: { arguments: piece } }] };
}

function usageOf({ input, output, reasoning }: UsageEstimate): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
