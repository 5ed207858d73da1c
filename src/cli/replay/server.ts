/** The model server of a replay: listens on loopback, and answers with the recorded responses on all wires. */
import type { WireApi } from '../../protocol/providers.ts';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordedAnswer } from '../../core/replay/recording.ts';
import { isToolCall, type ResponseItem, textOf } from '../../protocol/responseItem.ts';
import type { ErrorKind } from '../../protocol/policy.ts';

export interface ReplayServer {
  /** The address, up to and including `/v1`. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Returns the answer to a request; `undefined` refuses it. Called once for each request, in their order. */
export type AnswerRequest = (body: Readonly<Record<string, unknown>>) => Promise<RecordedAnswer | undefined>;

export async function startReplayServer(answer: AnswerRequest): Promise<ReplayServer> {
  const server = http.createServer((request, response) => {
    serve(request, response, answer).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  decide: AnswerRequest,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await decide(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>);
  const wire = wireOf(request.url ?? '');
  switch (answer?.type) {
    case undefined:
      return fail(response, 400, 'This request is not the recorded one.');
    case 'image_refused':
      return fail(response, 400, 'The image data you provided does not represent a valid image.');
    case 'failure':
      if (answer.kind === 'network') response.destroy();
      else fail(response, STATUS[answer.kind] ?? 400, answer.detail, CODES[answer.kind]);
      return;
    case 'items': {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const event of EVENTS[wire](answer))
        response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
      if (answer.end !== 'waits') response.end();
    }
  }
}

function wireOf(url: string): WireApi {
  if (url.includes('/chat/')) return 'chat';
  return url.includes('/messages') ? 'messages' : 'responses';
}

const EVENTS: Readonly<Record<WireApi, (answer: ItemsAnswer) => Iterable<object | string>>> = {
  chat: chatEvents,
  messages: messagesEvents,
  responses: responsesEvents,
};

/** The HTTP status of each kind of error whose status is not 400. */
const STATUS: Partial<Record<ErrorKind, number>> = {
  no_key: 401,
  quota: 402,
  auth: 403,
  model_not_found: 404,
  timeout: 408,
  rate_limited: 429,
  bad_response: 500,
  overloaded: 503,
};
const CODES: Partial<Record<ErrorKind, string>> = { context_exceeded: 'context_length_exceeded' };

function fail(response: http.ServerResponse, status: number, message: string, code: string | null = null): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type: null, param: null, code } }));
}

type ItemsAnswer = Extract<RecordedAnswer, { type: 'items' }>;

function* responsesEvents({ items, end }: ItemsAnswer): Generator<object> {
  const response = { id: 'resp_replay', status: 'in_progress', output: [] };
  yield { type: 'response.created', response };
  for (const [index, item] of items.entries()) {
    yield { type: 'response.output_item.added', output_index: index, item: started(item) };
    yield { type: 'response.output_item.done', output_index: index, item };
  }
  if (end === 'waits') return;
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  yield {
    type: 'response.completed',
    response: { ...response, status: 'completed', output: items, end_turn: end === 'end_turn', usage },
  };
}

function started(item: ResponseItem): object {
  switch (item.type) {
    case 'message':
      return { ...item, content: [] };
    case 'reasoning':
      return { ...item, summary: [], content: undefined };
    case 'function_call':
      return { ...item, arguments: '' };
    case 'custom_tool_call':
      return { ...item, input: '' };
    default:
      return item;
  }
}

function* chatEvents({ items, end }: ItemsAnswer): Generator<object | string> {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: 'chatcmpl_replay',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  yield chunk({ role: 'assistant', content: '' });
  let calls = 0;
  for (const item of items) {
    if (item.type === 'message') yield chunk({ content: textOf(item.content) });
    else if (item.type === 'reasoning') {
      yield chunk({ [item.chat_field ?? 'reasoning']: (item.content ?? []).map(({ text }) => text).join('') });
    } else if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      const args = item.type === 'function_call' ? item.arguments : JSON.stringify({ input: item.input });
      const extra = item.type === 'function_call' ? item.extra_content : undefined;
      const call = {
        index: calls++,
        id: item.call_id,
        type: 'function',
        function: { name: item.name, arguments: args },
      };
      yield chunk({ tool_calls: [extra === undefined ? call : { ...call, extra_content: extra }] });
    }
  }
  if (end === 'waits') return;
  yield chunk({}, items.some(isToolCall) ? 'tool_calls' : 'stop');
  yield '[DONE]';
}

function* messagesEvents({ items, end }: ItemsAnswer): Generator<object> {
  const usage = { input_tokens: 1, output_tokens: 1 };
  yield {
    type: 'message_start',
    message: { id: 'msg_replay', type: 'message', role: 'assistant', content: [], usage },
  };
  for (const [index, item] of items.entries()) {
    const [content_block, deltas] = blockOf(item);
    yield { type: 'content_block_start', index, content_block };
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  if (end === 'waits') return;
  const stop_reason = end !== 'end_turn' ? 'pause_turn' : items.some(isToolCall) ? 'tool_use' : 'end_turn';
  yield { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } };
  yield { type: 'message_stop' };
}

/** Returns the event that starts a block, and the deltas of its content. */
function blockOf(item: ResponseItem): readonly [block: object, deltas: readonly object[]] {
  switch (item.type) {
    case 'message':
      return [{ type: 'text', text: '' }, [{ type: 'text_delta', text: textOf(item.content) }]];
    case 'reasoning': {
      const { thinking_block: block, summary } = item;
      if (block?.type === 'redacted_thinking') return [block, []];
      const text = { type: 'thinking_delta', thinking: summary.map((part) => part.text).join('') };
      const signature = block === undefined ? [] : [{ type: 'signature_delta', signature: block.signature }];
      return [{ type: 'thinking', thinking: '', signature: '' }, [text, ...signature]];
    }
    case 'function_call':
    case 'custom_tool_call': {
      const partial_json = item.type === 'function_call' ? item.arguments : JSON.stringify({ input: item.input });
      const { call_id: id, name } = item;
      return [{ type: 'tool_use', id, name, input: {} }, [{ type: 'input_json_delta', partial_json }]];
    }
    default:
      return [{ type: item.type }, []];
  }
}
