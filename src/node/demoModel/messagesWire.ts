/** The Messages wire: `POST /v1/messages` (platform.claude.com/docs/en/api/messages). */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { textOf } from '../../protocol/responseItem.ts';
import { type Answer, type AnswerPart, callsOf, type Entry, offeredTools } from './conversation.ts';
import { pieces } from './pace.ts';
import { BadRequest, type ParsedRequest, type Wire } from './wire.ts';

const textSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: textSchema.optional(),
});

const requestSchema = z.object({
  model: z.string(),
  max_tokens: z.number().int().positive(),
  messages: z.array(
    z.object({ role: z.enum(['user', 'assistant']), content: z.union([z.string(), z.array(blockSchema)]) }),
  ),
  tools: z.array(z.looseObject({ name: z.string() })).nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
  stream: z.boolean().nullish(),
});
type Message = z.infer<typeof requestSchema>['messages'][number];

export const messagesWire: Wire = {
  path: '/v1/messages',

  parse(body) {
    const request = requestSchema.safeParse(body);
    if (!request.success) throw new BadRequest(z.prettifyError(request.error));
    const { model, messages, tools, thinking, stream } = request.data;
    return {
      model,
      stream: stream ?? false,
      reasoning: thinking !== null && thinking !== undefined && thinking.type !== 'disabled',
      usage: true,
      conversation: {
        tools: offeredTools((tools ?? []).map(({ name }) => ({ kind: 'function', name }))),
        entries: messages.flatMap(entriesOf),
      },
    };
  },

  *events(answer, request, { input, output, reasoning }) {
    const usage = { input_tokens: input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const message = { id: newId('msg'), type: 'message', role: 'assistant', model: request.model, content: [] };
    yield named({
      type: 'message_start',
      message: { ...message, stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    });
    for (const [index, part] of partsOf(answer, request).entries()) {
      const { block, deltas } = blockOf(part);
      yield named({ type: 'content_block_start', index, content_block: block });
      for (const delta of deltas) yield { ...named({ type: 'content_block_delta', index, delta }), pause: true };
      yield named({ type: 'content_block_stop', index });
    }
    const stop_reason = callsOf(answer).length > 0 ? 'tool_use' : 'end_turn';
    const written = { output_tokens: output, output_tokens_details: { thinking_tokens: reasoning } };
    yield named({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: written });
    yield named({ type: 'message_stop' });
  },
};

function named(event: { readonly type: string; readonly [field: string]: unknown }) {
  return { event: event.type, data: JSON.stringify(event) };
}

function entriesOf({ role, content }: Message): Entry[] {
  if (typeof content === 'string')
    return [role === 'user' ? { type: 'user', texts: [content] } : { type: 'assistant', text: content }];
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []));
  if (role === 'user') {
    const outputs = content.flatMap((block): Entry[] =>
      block.type === 'tool_result'
        ? [{ type: 'output', callId: block.tool_use_id ?? '', text: textOf(block.content ?? '') }]
        : [],
    );
    return texts.length === 0 ? outputs : [...outputs, { type: 'user', texts }];
  }
  const calls = content.flatMap((block): Entry[] =>
    block.type === 'tool_use'
      ? [{ type: 'call', callId: block.id ?? '', name: block.name ?? '', input: JSON.stringify(block.input) }]
      : [],
  );
  return texts.length === 0 ? calls : [{ type: 'assistant', text: texts.join('') }, ...calls];
}

function partsOf(answer: Answer, request: ParsedRequest): Answer {
  return answer.filter((part) => part.type !== 'reasoning' || request.reasoning);
}

function blockOf(part: AnswerPart): { readonly block: object; readonly deltas: readonly object[] } {
  switch (part.type) {
    case 'reasoning': {
      const thoughts = pieces(part.summary).map((thinking) => ({ type: 'thinking_delta', thinking }));
      const signature = { type: 'signature_delta', signature: newId('sig') };
      return { block: { type: 'thinking', thinking: '', signature: '' }, deltas: [...thoughts, signature] };
    }
    case 'message':
      return {
        block: { type: 'text', text: '' },
        deltas: pieces(part.text).map((text) => ({ type: 'text_delta', text })),
      };
    case 'call': {
      const { name, input } = part.call;
      const deltas = pieces(input).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
      return { block: { type: 'tool_use', id: newId('toolu'), name, input: {} }, deltas };
    }
  }
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}
