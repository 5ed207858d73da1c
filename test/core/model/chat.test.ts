import { RefusedFields } from '../../../src/core/model/fieldFallback.ts';
import { afterEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { ChatBodies } from '../../../src/core/model/chatBody.ts';
import { groupItems, messagesOf } from '../../../src/core/model/chatMessages.ts';
import { type ResponseItem, responseItemSchema } from '../../../src/protocol/responseItem.ts';
import {
  answersWhole,
  calls,
  closesCleanly,
  cuts,
  emits,
  hangs,
  incomplete,
  ModelServer,
  raw,
  reasons,
  says,
  usage,
  type Step,
} from '../../support/modelServer.ts';
import { pairingBreaches } from '../../support/modelServer.ts';
import { clientFor, collectResponse, prompt, textIn, userSays } from './harness.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(...script: (readonly Step[])[]) {
  const server = await ModelServer.start(script, { wire: 'chat' });
  open.push(server);
  return { server, client: clientFor({ baseUrl: server.baseUrl, wireApi: 'chat' }) };
}

async function answer(...steps: Step[]) {
  const { client } = await start(steps);
  return collectResponse(client);
}

function messages(items: readonly ResponseItem[]) {
  return groupItems(items).flatMap((group) =>
    messagesOf(group, {
      origin: undefined,
      developerRole: true,
      reasoning: true,
      toolImages: 'message',
      strictOrder: false,
    }),
  );
}

const said = (text: string): ResponseItem => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const thought = (text: string): ResponseItem => ({
  type: 'reasoning',
  summary: [],
  content: [{ type: 'reasoning_text', text }],
});
const call = (call_id: string): ResponseItem => ({ type: 'function_call', call_id, name: 'x', arguments: '{}' });
const output = (call_id: string): ResponseItem => ({ type: 'function_call_output', call_id, output: `of ${call_id}` });
const shows = (call_id: string): ResponseItem => ({
  type: 'function_call_output',
  call_id,
  output: [{ type: 'input_image', image_url: `data:image/png;base64,${call_id}` }],
});
const callPart = (id: string) => ({ id, type: 'function', function: { name: 'x', arguments: '{}' } });
const toolMessage = (id: string) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` });

describe('history as messages', () => {
  test('text, reasoning and calls of one response are one message', () => {
    expect(
      messages([userSays('Go'), thought('Hm'), said('Looking.'), call('a'), call('b'), output('a'), output('b')]),
    ).toEqual([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Looking.', reasoning: 'Hm', tool_calls: [callPart('a'), callPart('b')] },
      toolMessage('a'),
      toolMessage('b'),
    ]);
  });

  test('calls alone have no content', () => {
    expect(messages([call('a'), output('a')])).toEqual([
      { role: 'assistant', content: null, tool_calls: [callPart('a')] },
      toolMessage('a'),
    ]);
  });

  test('a message sent while a tool runs follows its output', () => {
    const items = [call('a'), call('b'), output('a'), userSays('Wait'), said('Yes'), output('b')];
    expect(messages(items)).toEqual([
      { role: 'assistant', content: null, tool_calls: [callPart('a'), callPart('b')] },
      toolMessage('a'),
      toolMessage('b'),
      { role: 'user', content: 'Wait' },
      { role: 'assistant', content: 'Yes' },
    ]);
  });

  test('a call that came while another ran is followed by its own output', () => {
    const items = [call('a'), call('b'), output('a'), call('c'), output('b'), userSays('Wait'), output('c')];
    expect(messages(items)).toEqual([
      { role: 'assistant', content: null, tool_calls: [callPart('a'), callPart('b')] },
      toolMessage('a'),
      toolMessage('b'),
      { role: 'assistant', content: null, tool_calls: [callPart('c')] },
      toolMessage('c'),
      { role: 'user', content: 'Wait' },
    ]);
  });

  test('images are sent in user messages, and after the outputs in a message of their own', () => {
    const image_url = 'data:image/png;base64,AA==';
    expect(
      messages([
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url },
          ],
        },
        call('a'),
        call('b'),
        call('c'),
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [
            { type: 'input_text', text: 'The page:' },
            { type: 'input_image', image_url, detail: 'low' },
          ],
        },
        { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'plain' }] },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url }] },
        userSays('Wait'),
      ]),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: image_url } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [callPart('a'), callPart('b'), callPart('c')] },
      { role: 'tool', tool_call_id: 'a', content: 'The page:\n[image: in the user message below]' },
      { role: 'tool', tool_call_id: 'b', content: 'plain' },
      { role: 'tool', tool_call_id: 'c', content: '[image: in the user message below]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[images of the tool output a]' },
          { type: 'image_url', image_url: { url: image_url, detail: 'low' } },
          { type: 'text', text: '[images of the tool output c]' },
          { type: 'image_url', image_url: { url: image_url } },
        ],
      },
      { role: 'user', content: 'Wait' },
    ]);
  });

  test('every kind of call becomes a function', () => {
    const [message] = messages([
      { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '***' },
      { type: 'local_shell_call', id: 'b', status: 'completed', action: { type: 'exec', command: ['ls'] } },
    ]);
    expect(message).toMatchObject({
      tool_calls: [
        { id: 'a', function: { name: 'apply_patch', arguments: '{"input":"***"}' } },
        { id: 'b', function: { name: 'shell', arguments: '{"command":["ls"]}' } },
      ],
    });
  });

  test('text that a retry repeated is sent once; searches are not sent', () => {
    const search: ResponseItem = { type: 'web_search_call', action: { type: 'search' } };
    expect(messages([said('Hi'), search, said('Hi')])).toEqual([{ role: 'assistant', content: 'Hi' }]);
  });

  test('in every thread, pairs are complete, and messages once sent stay the same bytes', () => {
    const turn = fc.constantFrom<readonly (readonly ResponseItem[])[]>(
      [[userSays('Go')], [said('Done')]],
      [[userSays('Go')], [thought('Hm'), call('1'), call('2'), output('1'), output('2')], [said('Done')]],
      [[userSays('Go')], [said('A'), call('1'), userSays('Steer'), output('1')], [thought('Hm'), said('B')]],
      [[userSays('Go')], [call('1'), output('1'), call('2'), output('2')], [call('3'), output('3')]],
      [[userSays('Go')], [call('1'), call('2'), shows('1'), userSays('Steer'), shows('2')], [call('3'), shows('3')]],
    );
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 6 }), (turns) => {
        const bodies = new ChatBodies({ baseUrl: '' }, new RefusedFields());
        let sent: readonly string[] = [];
        const input: ResponseItem[] = [];
        turns.forEach((steps, index) => {
          for (const step of steps) {
            // A request is sent after a message of the user or an output, not while the model streams.
            input.push(...step.map((item) => renamed(item, index)));
            const last = input.at(-1);
            if (last?.type === 'message' && last.role === 'assistant') continue;
            const { messages } = JSON.parse(bodies.build(prompt({ input: [...input] })).text) as {
              messages: Record<string, unknown>[];
            };
            expect(pairingBreaches({ wire: 'chat', input: messages })).toEqual([]);
            const elements = messages.map((message) => JSON.stringify(message));
            const fresh = new ChatBodies({ baseUrl: '' }, new RefusedFields()).build(
              prompt({ input: structuredClone(input) }),
            );
            expect(JSON.parse(fresh.text)).toMatchObject({ messages });
            expect(elements.slice(0, sent.length)).toEqual(sent);
            sent = elements;
          }
        });
      }),
    );
  });
});

/** Calls of each turn, with unique ids. */
function renamed(item: ResponseItem, turn: number): ResponseItem {
  return 'call_id' in item ? { ...item, call_id: `${turn}-${item.call_id}` } : item;
}

describe('the request', () => {
  test('has the fields that every server knows', async () => {
    const { server, client } = await start([says('a')]);
    const spec = {
      type: 'function',
      name: 'x',
      description: 'X.',
      strict: false,
      parameters: { type: 'object' },
    } as const;
    const tools = [spec, { type: 'web_search' } as const];
    await collectResponse(client, prompt({ tools, outputSchema: { type: 'object' } }));
    expect(server.lastRequest.body).toEqual({
      model: 'gpt-5.1-codex',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      tools: [
        { type: 'function', function: { name: 'x', description: 'X.', parameters: { type: 'object' }, strict: false } },
      ],
      stream: true,
      stream_options: { include_usage: true },
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'codex_output_schema', strict: true, schema: { type: 'object' } },
      },
    });
  });

  test('has reasoning in the field that the server uses', async () => {
    const { server, client } = await start([reasons('Hm'), calls('x', {}, { callId: 'a' })], [says('b')]);
    const { items } = await collectResponse(client);
    await collectResponse(client, prompt({ input: [userSays('Hello'), ...items, output('a')] }));
    expect(server.lastRequest.input[2]).toMatchObject({ role: 'assistant', reasoning_content: 'Hm' });
  });
});

const chunk = (delta: object, finish_reason: string | null = null) =>
  emits({ choices: [{ index: 0, delta, finish_reason }] });
const fragment = (part: object) => chunk({ tool_calls: [part] });
const DONE = raw('data: [DONE]\n\n');

describe('a client of real servers', () => {
  test.each<[string, Step[], string[]]>([
    [
      'fragments with the id in the first only',
      [
        fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n"' } }),
        fragment({ index: 0, function: { arguments: ':1}' } }),
        fragment({ index: 1, id: 'b', function: { name: 'y', arguments: '{}' } }),
      ],
      ['a x {"n":1}', 'b y {}'],
    ],
    [
      'interleaved fragments',
      [
        fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n"' } }),
        fragment({ index: 1, id: 'b', function: { name: 'y', arguments: '{"m"' } }),
        fragment({ index: 0, function: { arguments: ':1}' } }),
        fragment({ index: 1, function: { arguments: ':2}' } }),
      ],
      ['a x {"n":1}', 'b y {"m":2}'],
    ],
    [
      'index 0 for every call',
      [
        fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }),
        fragment({ index: 0, id: 'b', function: { name: 'y', arguments: '{}' } }),
      ],
      ['a x {}', 'b y {}'],
    ],
    [
      'neither index nor id after the first fragment',
      [
        fragment({ id: 'a', function: { name: 'x', arguments: '{"n"' } }),
        fragment({ function: { arguments: ':1}' } }),
        fragment({ id: 'b', function: { name: 'y', arguments: '{}' } }),
      ],
      ['a x {"n":1}', 'b y {}'],
    ],
    [
      'the id and name again in every fragment',
      [
        fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n"' } }),
        fragment({ index: 0, id: 'a', function: { name: 'x', arguments: ':1}' } }),
      ],
      ['a x {"n":1}'],
    ],
    [
      'arguments before the name',
      [
        fragment({ index: 0, id: 'a', function: { arguments: '{"n"' } }),
        fragment({ index: 0, function: { name: 'x', arguments: ':1}' } }),
      ],
      ['a x {"n":1}'],
    ],
    [
      'arguments as an object',
      [fragment({ index: 0, id: 'a', function: { name: 'x', arguments: { n: 1 } } })],
      ['a x {"n":1}'],
    ],
    [
      'index 0 for every call, and no ids',
      [
        fragment({ index: 0, function: { name: 'x', arguments: '{"n":1}' } }),
        fragment({ index: 0, function: { name: 'x', arguments: '{"n":2}' } }),
        fragment({ index: 0, id: '', function: { name: 'y', arguments: '{}' } }),
      ],
      ['call_made_1 x {"n":1}', 'call_made_2 x {"n":2}', 'call_made_3 y {}'],
    ],
    [
      'empty arguments before the real ones',
      [
        fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }),
        fragment({ index: 0, function: { arguments: '{"n"' } }),
        fragment({ index: 0, function: { arguments: ':1}' } }),
      ],
      ['a x {"n":1}'],
    ],
    ['no id at all', [fragment({ index: 0, function: { name: 'x', arguments: '{}' } })], ['call_made_1 x {}']],
    ['a call without a name', [fragment({ index: 0, id: 'a', function: { arguments: '{}' } })], []],
    [
      'the same id for each',
      [
        chunk({
          tool_calls: [
            { id: 'a', function: { name: 'x', arguments: '{"n":1}' } },
            { id: 'a', function: { name: 'x', arguments: '{"n":2}' } },
          ],
        }),
      ],
      ['a x {"n":1}', 'a x {"n":2}'],
    ],
    [
      'the same id and index for each',
      [
        fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":1}' } }),
        fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":2}' } }),
      ],
      ['a x {"n":1}', 'a x {"n":2}'],
    ],
    [
      'all in one chunk',
      [
        chunk({
          tool_calls: [
            { index: 0, id: 'a', function: { name: 'x', arguments: '{}' } },
            { index: 1, id: 'b', function: { name: 'y', arguments: '{}' } },
          ],
        }),
      ],
      ['a x {}', 'b y {}'],
    ],
  ])('calls: %s', async (_case, steps, expected) => {
    for (const end of [
      [chunk({}, 'tool_calls'), DONE],
      // Servers that send “stop”, or nothing, in place of “tool_calls”.
      [chunk({}, 'stop'), DONE],
      [DONE],
    ]) {
      const { items } = await answer(...steps, ...end, closesCleanly());
      const told = items.map((item) =>
        item.type === 'function_call' ? `${item.call_id} ${item.name} ${item.arguments}` : item.type,
      );
      expect(told).toEqual(expected);
    }
  });

  test('takes complete calls from a stream that just ends', async () => {
    const { items, completed } = await answer(
      fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }),
      closesCleanly(),
    );
    expect(items).toHaveLength(1);
    expect(completed).toBeDefined();
  });

  test('takes a text whose tokens the server has counted behind it', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    const { items, completed } = await answer(chunk({ content: 'Hi' }), emits({ choices: [], usage }), closesCleanly());
    expect(items).toHaveLength(1);
    expect(completed?.usage?.total).toBe(4);
  });

  test('takes a text without a mark of its end the second time, with a warning, and then at once', async () => {
    const unmarked = [chunk({ content: 'Hi' }), closesCleanly()];
    const cut = [chunk({ content: 'Hi' }), cuts()];
    const { client } = await start(unmarked, cut, unmarked, unmarked, [says('Hi')], unmarked);
    const outcomes = [];
    for (let request = 0; request < 6; request++) {
      const { fault, completed, events } = await collectResponse(client);
      const warnings = events.filter(({ type }) => type === 'warning').length;
      outcomes.push(fault ? fault.kind : `${completed?.type} with ${warnings} warnings`);
    }
    expect(outcomes).toEqual([
      'stream_closed',
      'stream_closed',
      'completed with 1 warnings',
      'completed with 1 warnings',
      'completed with 0 warnings',
      'stream_closed',
    ]);
  });

  test('takes no text without a mark beside a call that is incomplete', async () => {
    const { client } = await start(
      ...[1, 2].map(() => [
        chunk({ content: 'Hi' }),
        fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":' } }),
        closesCleanly(),
      ]),
    );
    await collectResponse(client);
    expect((await collectResponse(client)).fault).toMatchObject({ kind: 'stream_closed' });
  });

  test('takes no incomplete call from it', async () => {
    const { items, fault } = await answer(
      fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":' } }),
      closesCleanly(),
    );
    expect(items).toEqual([]);
    expect(fault).toMatchObject({ kind: 'stream_closed', retryable: true });
  });

  test('reads a response in one chunk', async () => {
    const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };
    const { events, completed } = await answer(
      emits({ choices: [choice], usage: { prompt_tokens: 3, completion_tokens: 1 } }),
      closesCleanly(),
    );
    expect(textIn(events)).toBe('Hi');
    expect(completed?.usage).toEqual({ input: 3, cachedInput: 0, output: 1, reasoning: 0, total: 4 });
  });

  test('reads a stream that calls itself a document, and a sloppy [DONE]', async () => {
    const delta = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] };
    const text = `: keep-alive\n\ndata: ${JSON.stringify(delta)}\n\ndata: [DONE] \n\n`;
    const fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } });
    const { events, fault } = await collectResponse(
      clientFor({ baseUrl: 'http://127.0.0.1:1/v1', wireApi: 'chat' }, { fetch }),
    );
    expect(fault).toBeUndefined();
    expect(textIn(events)).toBe('Hi');
  });

  test('ignores the success that MiniMax reports in each chunk', async () => {
    const fine = { base_resp: { status_code: 0, status_msg: '' } };
    const { fault, items } = await answer(
      emits({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }], ...fine }),
      emits({ choices: null, usage: { prompt_tokens: 1 }, ...fine }),
      DONE,
    );
    expect(fault).toBeUndefined();
    expect(items).toHaveLength(1);
  });

  test('reads a response in one document', async () => {
    const { items, completed } = await answer(says('Hi'), calls('x', { n: 1 }), usage({ input: 5 }), answersWhole());
    expect(items).toMatchObject([{ type: 'message' }, { type: 'function_call', arguments: '{"n":1}' }]);
    expect(completed?.usage?.input).toBe(5);
  });

  test('reports a document with an error as a fault', async () => {
    const fetch = async () => Response.json({ error: { code: 'insufficient_quota', message: 'No.' } });
    const { fault } = await collectResponse(
      clientFor({ baseUrl: 'http://127.0.0.1:1/v1', wireApi: 'chat' }, { fetch }),
    );
    expect(fault).toMatchObject({ kind: 'quota', retryable: false });
  });

  test.each([
    ['a string', { reasoning: 'Hm' }],
    ['an object with text', { reasoning: { text: 'Hm' } }],
    ['an object with content', { reasoning: { content: 'Hm' } }],
    ['the other name', { reasoning_content: 'Hm', reasoning: null }],
  ])('reasoning as %s', async (_case, delta) => {
    const { items } = await answer(chunk(delta), chunk({ content: 'Hi' }, 'stop'), DONE, closesCleanly());
    expect(items).toMatchObject([
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }] },
      { type: 'message' },
    ]);
  });

  test('accepts an empty finish_reason in every chunk but the last', async () => {
    const { events, items } = await answer(
      chunk({ content: 'Hi ' }, ''),
      chunk({ content: 'you' }, ''),
      fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }),
      chunk({}, 'tool_calls'),
      DONE,
    );
    expect(textIn(events)).toBe('Hi you');
    expect(items).toHaveLength(2);
  });

  test('does not end at a finish_reason that is in every chunk', async () => {
    const { events, items } = await answer(
      chunk({ content: 'Hi ' }, 'stop'),
      chunk({ content: 'you' }, 'stop'),
      fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }),
      DONE,
    );
    expect(textIn(events)).toBe('Hi you');
    expect(items).toMatchObject([
      { type: 'message', content: [{ text: 'Hi you' }] },
      { type: 'function_call', call_id: 'a' },
    ]);
  });

  test('reports all calls that have an end each, and ignores repeats after the end', async () => {
    const call = (id: string, args: string) => [{ index: 0, id, function: { name: 'x', arguments: args } }];
    const { events, items } = await answer(
      chunk({ content: 'Hi' }),
      chunk({ tool_calls: call('a', '{"n":1}') }, 'tool_calls'),
      chunk({ tool_calls: call('b', '{"n":2}') }, 'tool_calls'),
      chunk({ content: 'Hi', tool_calls: call('a', '{"n":1}') }, 'tool_calls'),
      chunk({ tool_calls: call('c', '{"n":1}') }, 'tool_calls'),
      chunk({ tool_calls: call('d', '{"n":') }),
      DONE,
    );
    expect(textIn(events)).toBe('Hi');
    expect(items.map((item) => ('call_id' in item ? item.call_id : item.type))).toEqual(['message', 'a', 'b']);
  });

  test.each<[string, Step, string, boolean]>([
    ['an error of the framework', emits({ detail: 'x' }), 'bad_response', true],
    [
      'an error of MiniMax',
      emits({ choices: null, base_resp: { status_code: 1002, status_msg: 'x' } }),
      'bad_response',
      true,
    ],
    [
      'an empty account of MiniMax',
      emits({ choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }),
      'quota',
      false,
    ],
    ['an end that is an error', chunk({}, 'error'), 'bad_response', true],
    ['a server that is out of breath', chunk({}, 'insufficient_system_resource'), 'bad_response', true],
    ['an error in the choice', emits({ choices: [{ error: { code: 502, message: 'x' } }] }), 'bad_response', true],
    ['the status of the server behind', emits({ error: { code: 429, message: 'x' } }), 'rate_limited', true],
    ['the status of the server behind, in words', emits({ error: { code: '401', message: 'x' } }), 'auth', false],
    ['another word for a full window', chunk({}, 'model_length'), 'context_exceeded', false],
    ['another word for a filter', chunk({}, 'SAFETY'), 'content_filter', false],
  ])('%s is a fault, and no call of it runs', async (_case, step, kind, retryable) => {
    const { items, fault } = await answer(
      fragment({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }),
      step,
      DONE,
    );
    expect(fault).toMatchObject({ kind, retryable });
    expect(items).toEqual([]);
  });

  test('sends fields beside a call back beside it', async () => {
    const extra_content = { google: { thought_signature: 'abc' } };
    const { server, client } = await start(
      [fragment({ id: 'a', function: { name: 'x', arguments: '{}' }, extra_content }), chunk({}, 'stop'), DONE],
      [says('b')],
    );
    const { items } = await collectResponse(client);
    await collectResponse(client, prompt({ input: [userSays('Hello'), ...items, output('a')] }));
    expect(server.lastRequest.input[2]).toMatchObject({ tool_calls: [{ id: 'a', extra_content }] });
  });

  test('sends them back also where the tool was offered as free text', async () => {
    const extra_content = { google: { thought_signature: 'abc' } };
    const format = { type: 'grammar' as const, syntax: 'lark' as const, definition: '' };
    const made = { name: 'apply_patch', arguments: '{"input":"***"}' };
    const { server, client } = await start(
      [fragment({ id: 'a', function: made, extra_content }), chunk({}, 'stop'), DONE],
      [says('b')],
    );
    const tools = [{ type: 'custom' as const, name: 'apply_patch', description: '', format }];
    const { items } = await collectResponse(client, prompt({ tools }));
    await collectResponse(client, prompt({ tools, input: [userSays('Hello'), ...items, output('a')] }));
    expect(server.lastRequest.input[2]).toMatchObject({ tool_calls: [{ id: 'a', function: made, extra_content }] });
  });

  test('sends signed and encrypted reasoning back unchanged, put together from its fragments, also when resumed', async () => {
    const format = 'anthropic-claude-v1';
    const text = (text: string, index = 0) => ({ type: 'reasoning.text', text, format, index });
    const signed = (signature: string, index = 0) => ({ type: 'reasoning.text', signature, format, index });
    const encrypted = {
      type: 'reasoning.encrypted',
      data: 'gAAA',
      id: 'rs_1',
      format: 'openai-responses-v1',
      index: 0,
    };
    const { client } = await start([
      chunk({ reasoning: 'Let ', reasoning_details: [text('Let ')] }),
      chunk({ reasoning: 'me.', reasoning_details: [text('me.')] }),
      chunk({ reasoning_details: [signed('sig-1')] }),
      // Another block, for which this server has not counted on.
      chunk({ reasoning: 'And', reasoning_details: [text('And')] }),
      chunk({ reasoning_details: [signed('sig-2'), encrypted] }),
      chunk({
        reasoning_details: [
          { ...encrypted, data: 'gBBB' },
          { type: 'reasoning.summary', summary: 'Done', index: 1 },
        ],
      }),
      fragment({ id: 'a', function: { name: 'x', arguments: '{}' } }),
      chunk({}, 'tool_calls'),
      DONE,
    ]);
    const { items } = await collectResponse(client);
    const resumed = await start([says('b')]);
    const kept = items.map((item) => responseItemSchema.parse(JSON.parse(JSON.stringify(item))));
    await collectResponse(resumed.client, prompt({ input: [userSays('Hello'), ...kept, output('a')] }));
    expect(resumed.server.lastRequest.input[2]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } }],
      reasoning_details: [
        { ...text('Let me.'), signature: 'sig-1' },
        { ...text('And'), signature: 'sig-2' },
        encrypted,
        { ...encrypted, data: 'gBBB' },
        { type: 'reasoning.summary', summary: 'Done', index: 1 },
      ],
    });
  });

  test('sends encrypted reasoning without a text back, from a whole document and without its repetition', async () => {
    const reasoning_details = [{ type: 'reasoning.encrypted', data: 'gAAA', id: null, format: 'unknown' }];
    const message = { role: 'assistant', content: 'Hi', reasoning: null, reasoning_details };
    const { server, client } = await start(
      [emits({ choices: [{ index: 0, message, finish_reason: 'stop' }] }), emits({ choices: [{ message }] }), DONE],
      [says('b')],
    );
    const { items } = await collectResponse(client);
    await collectResponse(client, prompt({ input: [userSays('Hello'), ...items, userSays('More')] }));
    expect(server.lastRequest.input[2]).toEqual({ role: 'assistant', content: 'Hi', reasoning_details });
  });

  test('sends reasoning parts of the content back in the content', async () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] };
    const { server, client } = await start(
      [chunk({ content: [thinking, { type: 'text', text: 'Hi' }] }, 'stop'), DONE],
      [says('b')],
    );
    const { items } = await collectResponse(client);
    await collectResponse(client, prompt({ input: [userSays('Hello'), ...items, userSays('More')] }));
    expect(server.lastRequest.input[2]).toEqual({
      role: 'assistant',
      content: [thinking, { type: 'text', text: 'Hi' }],
    });
  });

  test('sends reasoning back in the field of the server, also in a resumed thread', async () => {
    const { client } = await start([chunk({ reasoning_content: 'Hm' }), chunk({ content: 'Hi' }, 'stop'), DONE]);
    const { items } = await collectResponse(client);
    const resumed = await start([says('b')]);
    const kept = items.map((item) => responseItemSchema.parse(JSON.parse(JSON.stringify(item))));
    await collectResponse(resumed.client, prompt({ input: [userSays('Hello'), ...kept, userSays('More')] }));
    expect(resumed.server.lastRequest.input[2]).toEqual({
      role: 'assistant',
      content: 'Hi',
      reasoning_content: 'Hm',
    });
  });

  test('reads the old format with a single call', async () => {
    const { items } = await answer(
      chunk({ function_call: { name: 'x', arguments: '{"n"' } }),
      chunk({ function_call: { arguments: ':1}' } }),
      chunk({}, 'function_call'),
      DONE,
    );
    expect(items).toMatchObject([{ type: 'function_call', name: 'x', arguments: '{"n":1}' }]);
  });

  test('reports a chunk that is an error', async () => {
    const { fault } = await answer(emits({ object: 'error', code: 'context_length_exceeded', message: 'Too long.' }));
    expect(fault).toMatchObject({ kind: 'context_exceeded', retryable: false });
  });

  test('reads content as parts', async () => {
    const { events } = await answer(
      chunk({
        content: [
          { type: 'text', text: 'Hi ' },
          { type: 'text', text: 'you' },
        ],
      }),
      chunk({ content: null }, 'stop'),
      DONE,
    );
    expect(textIn(events)).toBe('Hi you');
  });

  test('reads usage that comes after the end, without choices', async () => {
    const { completed } = await answer(
      chunk({ content: 'Hi' }, 'stop'),
      emits({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } }),
      DONE,
    );
    expect(completed?.usage?.total).toBe(4);
  });

  test('does not wait for a server that has finished and keeps the connection open', async () => {
    const server = await ModelServer.start([[chunk({ content: 'Hi' }, 'stop'), hangs()]]);
    open.push(server);
    const client = clientFor({ baseUrl: server.baseUrl, wireApi: 'chat', streamIdleTimeoutMs: 3_600_000 });
    expect((await collectResponse(client)).completed).toBeDefined();
  });

  test('keeps the text and drops the calls of a response that was cut at the limit', async () => {
    const { items, fault } = await answer(says('Half'), calls('x', '{"n":'), incomplete('max_output_tokens'));
    expect(items).toMatchObject([{ type: 'message' }]);
    expect(fault).toMatchObject({ kind: 'context_exceeded', retryable: false });
  });

  test('reports a response that the filter stopped', async () => {
    const { fault } = await answer(says('Half'), incomplete('content_filter'));
    expect(fault).toMatchObject({ kind: 'content_filter', retryable: false });
  });
});
