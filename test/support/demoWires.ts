/**
 * A minimal client for each wire: sends one request and reads the whole response. It does not check the events in
 * between.
 */
import type { ResponseItem, ToolCallItem } from '../../src/protocol/responseItem.ts';

export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

export interface DemoAnswer {
  /** Reasoning, messages and calls, in the order they were made. */
  readonly items: readonly ResponseItem[];
  readonly events: readonly SseEvent[];
}

export type AskDemo = (
  baseUrl: string,
  history: readonly ResponseItem[],
  tools: readonly DemoTool[],
) => Promise<DemoAnswer>;

export interface DemoTool {
  readonly type: 'function' | 'custom';
  readonly name: string;
}

export async function postForEvents(url: string, body: object): Promise<SseEvent[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => ({
      event: /^event: (.*)$/m.exec(block)?.[1],
      data: /^data: (.*)$/m.exec(block)?.[1] ?? '',
    }));
}

export const askByResponses: AskDemo = async (baseUrl, history, tools) => {
  const body = { model: 'demo', instructions: 'Be useful.', input: history, tools, stream: true, store: false };
  const events = await postForEvents(`${baseUrl}/responses`, {
    ...body,
    reasoning: { effort: 'low', summary: 'auto' },
  });
  const items = events
    .map(({ data }) => JSON.parse(data) as { type: string; item: ResponseItem })
    .flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []));
  return { items, events };
};

interface ChatDelta {
  readonly content?: string;
  readonly tool_calls?: readonly { index: number; id?: string; function: { name?: string; arguments: string } }[];
}

export const askByChat: AskDemo = async (baseUrl, history, tools) => {
  const messages = [{ role: 'system', content: 'Be useful.' }, ...history.flatMap(chatMessage)];
  const named = tools.map(({ name }) => ({ type: 'function', function: { name, parameters: {} } }));
  const body = { model: 'demo', messages, tools: named, stream: true, stream_options: { include_usage: true } };
  const events = await postForEvents(`${baseUrl}/chat/completions`, body);
  const deltas = events
    .filter(({ data }) => data !== '[DONE]')
    .flatMap(({ data }) => (JSON.parse(data) as { choices: { delta: ChatDelta }[] }).choices)
    .map(({ delta }) => delta);

  const text = deltas.map(({ content }) => content ?? '').join('');
  const calls: { call_id: string; name: string; arguments: string }[] = [];
  for (const { index, id, function: piece } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const call = (calls[index] ??= { call_id: id ?? '', name: piece.name ?? '', arguments: '' });
    call.arguments += piece.arguments;
  }
  const message: ResponseItem = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
  const items = calls.map((call): ToolCallItem => ({ type: 'function_call', ...call }));
  return { items: text === '' ? items : [message, ...items], events };
};

function chatMessage(item: ResponseItem): object[] {
  switch (item.type) {
    case 'message':
      return [{ role: item.role, content: item.content.map((part) => ('text' in part ? part.text : '')).join('') }];
    case 'function_call': {
      const call = { id: item.call_id, type: 'function', function: { name: item.name, arguments: item.arguments } };
      return [{ role: 'assistant', content: null, tool_calls: [call] }];
    }
    case 'function_call_output':
      return [{ role: 'tool', tool_call_id: item.call_id, content: item.output }];
    default:
      return [];
  }
}
