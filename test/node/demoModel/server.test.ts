/** The demo model over HTTP. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type DemoModel, startDemoModel } from '../../../src/node/demoModel/server.ts';
import type { ResponseItem } from '../../../src/protocol/responseItem.ts';
import { DEMO_TOOLS } from '../../support/demoJob.ts';
import { askByChat, askByResponses, postForEvents, type SseEvent } from '../../support/demoWires.ts';

let model: DemoModel;
beforeAll(async () => {
  model = await startDemoModel({ port: 0, paceMs: 5 });
});
afterAll(() => model.close());

const asked: ResponseItem[] = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the failing test.' }] },
];

interface Payload {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta: string;
  readonly item_id: string;
  readonly item: ResponseItem;
  readonly response: { readonly id: string; readonly usage: Record<string, number>; readonly output: ResponseItem[] };
}

function payloads(events: readonly SseEvent[]): Payload[] {
  return events.map(({ data }) => JSON.parse(data) as Payload);
}

describe('the Responses wire', () => {
  it('streams a response from created to completed, without gaps, every event with its own name', async () => {
    const { events } = await askByResponses(model.baseUrl, asked, DEMO_TOOLS);
    const told = payloads(events);
    assert.deepEqual([told[0]?.type, told.at(-1)?.type], ['response.created', 'response.completed']);
    assert.deepEqual(
      told.map((each) => each.sequence_number),
      [...told.keys()],
    );
    assert.deepEqual(
      events.map(({ event }) => event),
      told.map(({ type }) => type),
    );
  });

  it('sends deltas that join up to the items, and the items once more at the end', async () => {
    const { events, items } = await askByResponses(model.baseUrl, asked, DEMO_TOOLS);
    const told = payloads(events);
    assert.deepEqual(
      items.map(({ type }) => type),
      ['reasoning', 'message', 'function_call', 'function_call'],
    );
    assert.deepEqual(told.at(-1)?.response.output, items);
    for (const item of items) {
      const deltas = told.filter(
        (each) => each.item_id === ('id' in item ? item.id : '') && each.type.endsWith('.delta'),
      );
      assert.equal(deltas.map(({ delta }) => delta).join(''), wholeText(item));
      assert.ok(deltas.length > 1);
    }
  });

  it('estimates the usage by bytes', async () => {
    const { events } = await askByResponses(model.baseUrl, asked, DEMO_TOOLS);
    const usage = payloads(events).at(-1)?.response.usage;
    assert.ok(usage && (usage['input_tokens'] ?? 0) > 50 && (usage['output_tokens'] ?? 0) > 20);
    assert.equal(usage['total_tokens'], (usage['input_tokens'] ?? 0) + (usage['output_tokens'] ?? 0));
  });

  it('sends reasoning only when requested', async () => {
    const events = await postForEvents(`${model.baseUrl}/responses`, {
      model: 'demo',
      input: asked,
      tools: DEMO_TOOLS,
      stream: true,
    });
    assert.ok(!events.some(({ data }) => data.includes('reasoning_summary')));
  });

  it('takes a plain string as input', async () => {
    const events = await postForEvents(`${model.baseUrl}/responses`, {
      model: 'demo',
      input: 'Who are you?',
      stream: true,
    });
    assert.match(
      payloads(events)
        .map(({ delta }) => delta ?? '')
        .join(''),
      /demo model/,
    );
  });
});

describe('the Chat wire', () => {
  it('streams text, then calls in pieces, then the finish reason, the usage and the end', async () => {
    const { events, items } = await askByChat(model.baseUrl, asked, DEMO_TOOLS);
    assert.deepEqual(
      items.map(({ type }) => type),
      ['message', 'function_call', 'function_call'],
    );
    assert.equal(events.at(-1)?.data, '[DONE]');
    const [stop, usage] = events.slice(-3, -1).map(({ data }) => JSON.parse(data) as Record<string, unknown>);
    assert.deepEqual(stop?.['choices'], [{ index: 0, delta: {}, finish_reason: 'tool_calls' }]);
    assert.deepEqual(usage?.['choices'], []);
    assert.ok(usage?.['usage']);
  });

  it('ends with "stop" when no work is left', async () => {
    const hello: ResponseItem[] = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello!' }] },
    ];
    const { events } = await askByChat(model.baseUrl, hello, DEMO_TOOLS);
    assert.match(events.at(-3)?.data ?? '', /"finish_reason":"stop"/);
  });
});

describe('the server', () => {
  it('lists its one model', async () => {
    const list = (await (await fetch(`${model.baseUrl}/models`)).json()) as { data: { id: string }[] };
    assert.deepEqual(
      list.data.map(({ id }) => id),
      ['demo'],
    );
  });

  it('refuses unsupported requests, with the reason', async () => {
    const post = async (path: string, body: string) => {
      const response = await fetch(`${model.baseUrl}${path}`, { method: 'POST', body });
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message];
    };
    assert.deepEqual(await post('/responses', '{'), [400, 'The body is not JSON.']);
    assert.deepEqual(await post('/embeddings', '{}'), [404, 'Nothing answers POST /v1/embeddings here.']);
    assert.deepEqual(await post('/responses', '{"model":"x","input":"","stream":true}'), [
      404,
      'The only model here is "demo".',
    ]);
    assert.equal((await post('/chat/completions', '{"model":"demo"}'))[0], 400);
  });

  it('can be closed in the middle of a response', async () => {
    const slow = await startDemoModel({ port: 0, paceMs: 60_000 });
    const body = JSON.stringify({ model: 'demo', input: 'Hello', stream: true });
    const response = await fetch(`${slow.baseUrl}/responses`, { method: 'POST', body });
    await slow.close();
    await assert.rejects(response.text());
  });
});

function wholeText(item: ResponseItem): string {
  switch (item.type) {
    case 'message':
      return item.content.map((part) => ('text' in part ? part.text : '')).join('');
    case 'reasoning':
      return item.summary.map(({ text }) => text).join('');
    case 'function_call':
      return item.arguments;
    default:
      return '';
  }
}
