import { RefusedFields } from '../../../src/core/model/fieldFallback.ts';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { ProviderConfig } from '../../../src/core/model/provider.ts';
import { ResponsesBodies } from '../../../src/core/model/responsesBody.ts';
import type { ResponseItem } from '../../../src/protocol/responseItem.ts';
import type { ToolSpec } from '../../../src/protocol/toolSpec.ts';
import {
  callsLocalShell,
  closesCleanly,
  emits,
  endsTurn,
  incomplete,
  ModelServer,
  prefixBreaches,
  reasons,
  says,
  searches,
  type ModelScript,
  type Step,
} from '../../support/modelServer.ts';
import { clientFor, collectResponse, prompt, textIn, userSays } from './harness.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(script: ModelScript, provider: Partial<ProviderConfig> = {}) {
  const server = await ModelServer.start(script, { wire: 'responses' });
  open.push(server);
  return { server, client: clientFor({ baseUrl: server.baseUrl, ...provider }) };
}

async function answer(...steps: Step[]) {
  const { client } = await start([steps]);
  return collectResponse(client);
}

const TOOLS: readonly ToolSpec[] = [
  { type: 'function', name: 'exec_command', description: 'Runs.', strict: false, parameters: { type: 'object' } },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Edits.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
  },
  { type: 'web_search', external_web_access: false },
];

const EVERY_ITEM: readonly ResponseItem[] = [
  userSays('Hello'),
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'sealed' },
  { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'exec_command', arguments: '{}' },
  { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'apply_patch', input: '***' },
  { type: 'local_shell_call', id: 'lsh_1', status: 'completed', action: { type: 'exec', command: ['ls'] } },
  { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
  { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'ok' }] },
  { type: 'function_call_output', call_id: 'lsh_1', output: 'ok' },
];

describe('the request', () => {
  test('has every field for a model and a server that support them', async () => {
    const { server, client } = await start([[says('a')]], { dialect: 'openai' });
    await collectResponse(
      client,
      prompt({ input: EVERY_ITEM, tools: TOOLS, outputSchema: { type: 'object' }, effort: 'high' }),
    );
    expect(server.lastRequest.body).toEqual({
      model: 'gpt-5.1-codex',
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'sealed' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
        { type: 'function_call', call_id: 'call_1', name: 'exec_command', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'apply_patch', input: '***' },
        { type: 'local_shell_call', id: 'lsh_1', status: 'completed', action: { type: 'exec', command: ['ls'] } },
        { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
        { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'ok' }] },
        { type: 'function_call_output', call_id: 'lsh_1', output: 'ok' },
      ],
      tools: TOOLS,
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'high', summary: 'auto' },
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'thread-1',
      text: {
        format: { type: 'json_schema', name: 'codex_output_schema', strict: true, schema: { type: 'object' } },
      },
    });
  });

  test('has only common fields for other models and servers', async () => {
    const { server, client } = await start([[says('a')]]);
    await collectResponse(client, prompt({ input: EVERY_ITEM, tools: TOOLS, effort: 'high' }));
    const { body, toolNames, input } = server.lastRequest;
    expect(Object.keys(body)).toEqual([
      'model',
      'instructions',
      'input',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'reasoning',
      'stream',
      'prompt_cache_key',
    ]);
    // Because the user has chosen it; the server may refuse it.
    expect(body['reasoning']).toEqual({ effort: 'high' });
    expect(toolNames).toEqual(['exec_command', 'apply_patch']);
    expect(input[4]).toEqual({
      type: 'function_call',
      call_id: 'call_2',
      name: 'apply_patch',
      arguments: '{"input":"***"}',
    });
    expect(input[7]).toMatchObject({ type: 'function_call_output', call_id: 'call_2' });
  });

  test('lets Azure store, and keeps the ids of its items', async () => {
    const { server, client } = await start([[says('a')]], { dialect: 'azure' });
    await collectResponse(client, prompt({ input: EVERY_ITEM }));
    const { body, input, headers } = server.lastRequest;
    expect(body['store']).toBe(true);
    expect(input.map((item) => item['id'])).toEqual([
      undefined,
      'rs_1',
      'msg_1',
      'fc_1',
      'ctc_1',
      'lsh_1',
      undefined,
      undefined,
      undefined,
    ]);
    expect([headers['api-key'], headers.authorization]).toEqual(['sk-test', undefined]);
  });

  test('has a verbosity for models that support it', async () => {
    const { server, client } = await start([[says('a')], [says('b')]], { dialect: 'openai' });
    await collectResponse(client, prompt({ model: 'gpt-5.2', summary: 'none' }));
    expect(server.lastRequest.body).toMatchObject({ text: { verbosity: 'low' }, reasoning: { effort: 'medium' } });
    expect(server.lastRequest.body['reasoning']).not.toHaveProperty('summary');
    await collectResponse(client, prompt({ model: 'gpt-5.2', verbosity: 'high' }));
    expect(server.lastRequest.body).toMatchObject({ text: { verbosity: 'high' } });
  });

  test('has no header or field that Tiller does not set', async () => {
    process.env['OPENAI_CUSTOM_HEADERS'] = 'x-stray: yes';
    process.env['OPENAI_ORG_ID'] = 'org-stray';
    try {
      const { server, client } = await start([[says('a')]], { headers: { 'X-Mine': '1' } });
      await collectResponse(client);
      const names = Object.keys(server.lastRequest.headers).filter(
        (name) => !['host', 'connection', 'content-length', 'accept-encoding'].includes(name),
      );
      expect(names.toSorted()).toEqual(
        ['accept', 'authorization', 'content-type', 'user-agent', 'x-mine', ...FETCH_HEADERS].toSorted(),
      );
    } finally {
      delete process.env['OPENAI_CUSTOM_HEADERS'];
      delete process.env['OPENAI_ORG_ID'];
    }
  });

  test('keeps an element the same bytes however the thread grows', () => {
    const item = fc.constantFrom(...EVERY_ITEM).map((one) => structuredClone(one));
    fc.assert(
      fc.property(
        fc.array(item),
        fc.array(item),
        fc.constantFrom('openai', 'azure', 'plain'),
        (before, added, dialect) => {
          const bodies = new ResponsesBodies({ baseUrl: '', dialect }, new RefusedFields());
          const first = inputOf(bodies.build(prompt({ input: before })).text);
          // The same thread after a resume: equal items that are not the same objects.
          const resumed = new ResponsesBodies({ baseUrl: '', dialect }, new RefusedFields());
          const input = [...structuredClone(before), ...added];
          expect(inputOf(resumed.build(prompt({ input })).text).slice(0, before.length)).toEqual(first);
        },
      ),
    );
  });

  test('shares its prefix with that of the turn before', async () => {
    const { server, client } = await start([[reasons('Hm', { encrypted: 'x' }), says('Hi')], [says('b')]], {
      dialect: 'openai',
    });
    const { items } = await collectResponse(client);
    await collectResponse(client, prompt({ input: [userSays('Hello'), ...items, userSays('More')] }));
    const [earlier, later] = server.requests;
    expect(earlier && later && prefixBreaches(earlier, later)).toEqual([]);
  });
});

/** Headers that Node’s fetch always sends. */
const FETCH_HEADERS = ['accept-language', 'sec-fetch-mode'];

function inputOf(body: string): readonly string[] {
  return (JSON.parse(body) as { input: unknown[] }).input.map((element) => JSON.stringify(element));
}

describe('the response', () => {
  test('keeps the sections and the encrypted content of a reasoning item', async () => {
    const { events, items } = await answer(reasons(['One', 'Two'], { encrypted: 'sealed', deltas: 1 }));
    expect(items).toEqual([
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [
          { type: 'summary_text', text: 'One' },
          { type: 'summary_text', text: 'Two' },
        ],
        encrypted_content: 'sealed',
      },
    ]);
    expect(events.map((event) => event.type)).toEqual([
      'created',
      'item_started',
      'reasoning_summary_delta',
      'reasoning_section_break',
      'reasoning_summary_delta',
      'item_done',
      'completed',
    ]);
  });

  test('may have the wire’s own shell calls and searches', async () => {
    const { items } = await answer(callsLocalShell(['ls', '-l']), searches('tiller'));
    expect(items).toMatchObject([
      { type: 'local_shell_call', call_id: 'call_1', action: { command: ['ls', '-l'] } },
      { type: 'web_search_call', action: { type: 'search', query: 'tiller' } },
    ]);
  });

  test('may request that the turn continues', async () => {
    expect((await answer(says('a'), endsTurn(false))).completed?.endTurn).toBe(false);
  });

  test('is complete with whole items without a start or deltas', async () => {
    const item = { type: 'message', content: [{ type: 'output_text', text: 'All at once' }] };
    const { events, items } = await answer(emits({ type: 'response.output_item.done', item }));
    expect(textIn(events)).toBe('All at once');
    expect(events.map((event) => event.type)).toEqual([
      'item_started',
      'text_delta',
      'item_done',
      'created',
      'completed',
    ]);
    expect(items).toMatchObject([{ role: 'assistant' }]);
  });

  test('starts an item at deltas without a start', async () => {
    const item = { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'abc' }] };
    const { events } = await answer(
      emits({ type: 'response.output_text.delta', delta: 'a' }),
      emits({ type: 'response.output_text.delta', delta: 'b' }),
      emits({ type: 'response.output_item.done', item }),
    );
    expect(textIn(events)).toBe('abc');
    expect(events.filter((event) => event.type === 'item_started')).toHaveLength(1);
  });

  test('ends a text without an end', async () => {
    const { events, items } = await answer(
      emits({ type: 'response.output_text.delta', delta: 'H' }),
      emits({ type: 'response.output_text.delta', delta: 'i' }),
    );
    expect(textIn(events)).toBe('Hi');
    expect(items).toEqual([{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }]);
  });

  describe('has a call', () => {
    const added = (item: object) => emits({ type: 'response.output_item.added', output_index: 0, item });
    const announced = { type: 'function_call', id: 'fc', call_id: 'c', name: 'exec_command', arguments: '' };
    const delta = (text: string) =>
      emits({ type: 'response.function_call_arguments.delta', item_id: 'fc', output_index: 0, delta: text });
    const written = (text: string) =>
      emits({ type: 'response.function_call_arguments.done', item_id: 'fc', output_index: 0, arguments: text });
    const end = (...output: readonly object[]) => emits({ type: 'response.completed', response: { id: 'r', output } });
    const whole = { ...announced, arguments: '{"cmd":"ls"}' };

    // github.com/NousResearch/hermes-agent/issues/92764
    test.each<[string, Step[]]>([
      ['deltas', [added(announced), delta('{"cmd":'), delta('"ls"}'), end()]],
      ['deltas and their sum', [added(announced), delta('{"cmd":"ls"}'), written('{"cmd":"ls"}'), end(whole)]],
      ['the sum alone', [added(announced), written('{"cmd":"ls"}'), end()]],
      ['nothing but the response', [end(whole)]],
    ])('of which it has %s, but no end', async (_case, steps) => {
      const { items, completed } = await answer(...steps);
      expect(items).toEqual([whole]);
      expect(completed).toBeDefined();
    });

    test('of a free-text tool without an end', async () => {
      const call = { type: 'custom_tool_call', id: 'ctc', call_id: 'c', name: 'apply_patch', input: '' };
      const { items } = await answer(
        added(call),
        emits({ type: 'response.custom_tool_call_input.delta', item_id: 'ctc', output_index: 0, delta: '***' }),
        end(),
      );
      expect(items).toEqual([{ ...call, input: '***' }]);
    });

    test('not when it breaks off', async () => {
      const { items, fault } = await answer(added(announced), delta('{"cmd":"ls"}'), closesCleanly());
      expect(items).toEqual([]);
      expect(fault).toMatchObject({ kind: 'stream_closed' });
    });

    // github.com/BigPizzaV3/CodexPlusPlus/issues/614, github.com/farion1231/cc-switch/issues/4671
    test('whose name and call id only its start has', async () => {
      const emptied = { ...whole, name: '', call_id: '' };
      const done = emits({ type: 'response.output_item.done', output_index: 0, item: emptied });
      const { items } = await answer(added(announced), delta('{"cmd":"ls"}'), done, end());
      expect(items).toEqual([whole]);
    });
  });

  test('keeps an item whole whose ids differ between events', async () => {
    const place = { output_index: 0 };
    const { events } = await answer(
      emits({ type: 'response.output_item.added', ...place, item: { id: 'x1', type: 'message', content: [] } }),
      emits({ type: 'response.output_text.delta', ...place, item_id: 'x2', delta: 'Hi' }),
      emits({
        type: 'response.output_item.done',
        ...place,
        item: { id: 'x3', type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
      }),
    );
    expect(events.map((event) => event.type)).toEqual([
      'item_started',
      'text_delta',
      'item_done',
      'created',
      'completed',
    ]);
  });

  test.each([
    ['no call_id', {}],
    ['an empty call_id', { call_id: '' }],
    ['a null call_id', { call_id: null }],
  ])('%s is made up for', async (_case, id) => {
    const item = { type: 'function_call', name: 'x', arguments: { a: 1 }, ...id };
    const { items } = await answer(emits({ type: 'response.output_item.done', item }));
    expect(items).toEqual([{ type: 'function_call', name: 'x', arguments: '{"a":1}', call_id: 'call_made_1' }]);
  });

  test('has a refusal as the message of the model', async () => {
    const item = { id: 'm', type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] };
    const { events, items } = await answer(
      emits({ type: 'response.refusal.delta', delta: 'No' }),
      emits({ type: 'response.output_item.done', item }),
    );
    expect(textIn(events)).toBe('No.');
    expect(items).toMatchObject([{ content: [{ type: 'output_text', text: 'No.' }] }]);
  });

  test('may have unknown events, which are ignored', async () => {
    const { items, completed } = await answer(
      emits({ type: 'codex.rate_limits', limits: [] }),
      emits({ type: 'response.output_item.done', item: { type: 'image_generation_call', id: 'ig' } }),
      emits({ type: 'response.output_item.done', item: null }),
      emits({ type: 'response.output_item.added' }),
      emits([]),
      emits(null),
      emits({ error: null }),
      says('still here'),
    );
    expect(items).toHaveLength(1);
    expect(completed).toBeDefined();
  });

  test('ends at the terminal event: later events and an open socket change nothing', async () => {
    const item = { id: 'm', type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
    const done = emits({ type: 'response.output_item.done', item });
    const terminal = emits({ type: 'response.completed', response: { id: 'r', output: [item] } });
    const late = emits({ type: 'response.failed', response: { error: { code: 'server_error' } } });
    const { events } = await answer(done, terminal, late, { type: 'hangs' });
    expect(events.map(({ type }) => type)).toEqual(['item_started', 'text_delta', 'item_done', 'completed']);
  });

  test.each([
    ['a completed response without an id', emits({ type: 'response.completed', response: {} }), true],
    ['an incomplete one', incomplete('max_output_tokens'), false],
    ['one the filter stopped', incomplete('content_filter'), true],
    ['an error event', emits({ type: 'error', code: 'context_length_exceeded', message: 'x' }), false],
    ['a gateway’s own error', emits({ error: { code: 'insufficient_quota', message: 'x' } }), false],
    ['[DONE] alone', { type: 'raw', text: 'data: [DONE]\n\n' } as const, true],
  ])('%s is a fault', async (_case, step, retryable) => {
    const { fault } = await answer(step, closesCleanly());
    expect(fault).toMatchObject({ retryable });
  });

  // github.com/openclaw/openclaw/issues/96497
  test('may be a stream that calls itself a document', async () => {
    const text = `data: ${JSON.stringify({ type: 'response.output_text.delta', delta: 'Hi' })}\n\ndata: ${JSON.stringify({ type: 'response.completed', response: { id: 'r' } })}\n\n`;
    const fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } });
    const { events, fault } = await collectResponse(clientFor({ baseUrl: 'http://127.0.0.1:1/v1' }, { fetch }));
    expect(fault).toBeUndefined();
    expect(textIn(events)).toBe('Hi');
  });

  test('may be one document instead of a stream', async () => {
    const document = {
      id: 'r',
      status: 'completed',
      output: [{ id: 'm', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
      usage: { input_tokens: 3, output_tokens: 4 },
    };
    const fetch = async () => Response.json(document);
    const { events, completed } = await collectResponse(clientFor({ baseUrl: 'http://127.0.0.1:1/v1' }, { fetch }));
    expect(textIn(events)).toBe('Hi');
    expect(completed?.usage).toMatchObject({ input: 3, output: 4, total: 7 });
  });
});
