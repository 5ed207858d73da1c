/** The Messages wire: what is sent, where its cache holds, and how its streams are read. */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { RefusedFields } from '../../../src/core/model/fieldFallback.ts';
import { MOST_ITEMS, tooManyItemsFault } from '../../../src/core/model/faults.ts';
import { MessagesBodies } from '../../../src/core/model/messages/messagesBody.ts';
import { MessagesReader } from '../../../src/core/model/messages/messagesEvents.ts';
import type { Prompt } from '../../../src/core/model/client.ts';
import type { ServerFacts } from '../../../src/core/model/abilities.ts';
import { type ResponseItem, responseItemSchema } from '../../../src/protocol/responseItem.ts';
import {
  answersWhole,
  calls,
  cuts,
  emits,
  endsTurn,
  fails,
  failsInStream,
  incomplete,
  ModelServer,
  prefixBreaches,
  raw,
  reasons,
  says,
  sentPrefix,
  type Answer,
  usage,
} from '../../support/modelServer.ts';
import { messagesBreaches } from '../../support/messagesRules.ts';
import { clientFor, collectResponse, PATCH_TOOL, prompt as promptOf, textIn, userSays } from './harness.ts';

const OPUS = 'claude-opus-4-6';
const HAIKU = 'claude-haiku-4-5';
const SERVER: ServerFacts = { baseUrl: 'https://api.anthropic.com/v1' };

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const prompt = (more: Partial<Prompt> = {}) => promptOf({ model: OPUS, ...more });

async function start(...script: Answer[]) {
  const server = await ModelServer.start(script, { wire: 'messages' });
  open.push(server);
  return { server, client: clientFor({ baseUrl: server.baseUrl, wireApi: 'messages' }) };
}

async function answer(...steps: Extract<Answer, readonly unknown[]>) {
  const { client } = await start(steps);
  return collectResponse(client, prompt());
}

/** The body of a request, which the rules of the server allow. */
function bodyOf(more: Partial<Prompt>, server: Partial<ServerFacts> = {}, refused = new RefusedFields()) {
  const { text } = new MessagesBodies({ ...SERVER, ...server }, refused).build(prompt(more));
  const body = JSON.parse(text) as Record<string, unknown> & { messages: Record<string, unknown>[] };
  expect(messagesBreaches(body.messages, body)).toEqual([]);
  return body;
}

/** Without the marks of the cache. */
const messagesIn = (more: Partial<Prompt>, server: Partial<ServerFacts> = {}) =>
  JSON.parse(
    JSON.stringify(bodyOf(more, server).messages).replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
  ) as unknown;

const said = (text: string): ResponseItem => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const thought = (text: string, signature = `sig-${text}`): ResponseItem => ({
  type: 'reasoning',
  summary: [{ type: 'summary_text', text }],
  thinking_block: { type: 'thinking', thinking: text, signature },
});
const call = (call_id: string, args = '{}'): ResponseItem => ({
  type: 'function_call',
  call_id,
  name: 'exec_command',
  arguments: args,
});
const output = (call_id: string, text = 'ok'): ResponseItem => ({
  type: 'function_call_output',
  call_id,
  output: text,
});
const IMAGE = 'data:image/png;base64,iVBORw0KGgo=';
const shows = (call_id: string): ResponseItem => ({
  type: 'function_call_output',
  call_id,
  output: [
    { type: 'input_text', text: 'The page:' },
    { type: 'input_image', image_url: IMAGE },
  ],
});
const developer = (text: string): ResponseItem => ({
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text }],
});
const TOOL = {
  type: 'function',
  name: 'exec_command',
  description: 'Runs a command.',
  strict: false,
  parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
} as const;
const text = (words: string) => ({ type: 'text', text: words });
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });

describe('a request', () => {
  test('has instructions, tools as functions, the longest answer, and marks of the cache', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    expect(bodyOf({ tools: [TOOL, PATCH_TOOL, { type: 'web_search' }] })).toEqual({
      model: OPUS,
      max_tokens: 128_000,
      tools: [
        { name: 'exec_command', description: 'Runs a command.', input_schema: TOOL.parameters },
        {
          name: 'apply_patch',
          description: 'Edits files.',
          input_schema: expect.objectContaining({ type: 'object', required: ['input'] }) as unknown,
        },
      ],
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', ...mark }] }],
      thinking: { type: 'adaptive', display: 'summarized' },
      stream: true,
    });
  });

  test('lets user and assistant alternate, the results of a round first', () => {
    const input = [
      developer('Context.'),
      userSays('Go'),
      thought('Hm'),
      said('Looking.'),
      call('a', '{"cmd":"ls"}'),
      call('b'),
      userSays('Wait'),
      output('a'),
      output('b', ''),
      said('Done.'),
      userSays('Thanks'),
    ];
    expect(messagesIn({ input })).toEqual([
      { role: 'user', content: [text('Context.'), text('Go')] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 'sig-Hm' },
          text('Looking.'),
          { type: 'tool_use', id: 'a', name: 'exec_command', input: { cmd: 'ls' } },
          { type: 'tool_use', id: 'b', name: 'exec_command', input: {} },
        ],
      },
      { role: 'user', content: [result('a'), { type: 'tool_result', tool_use_id: 'b' }, text('Wait')] },
      { role: 'assistant', content: [text('Done.')] },
      { role: 'user', content: [text('Thanks')] },
    ]);
  });

  test('has a text that a retry has repeated once', () => {
    const input = [userSays('Go'), said('One.'), said('One.'), call('a'), output('a'), said('One.'), userSays('On')];
    const texts = JSON.stringify(messagesIn({ input })).match(/"One\."/g);
    expect(texts).toHaveLength(2);
  });

  test('marks the last tool where there are no instructions', () => {
    const tools = bodyOf({ instructions: ' ', tools: [TOOL, PATCH_TOOL] })['tools'] as Record<string, unknown>[];
    expect(tools.map((tool) => 'cache_control' in tool)).toEqual([false, true]);
  });

  test('has images where they belong, or where the settings place them', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    const seen: ResponseItem = {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look' },
        { type: 'input_image', image_url: 'https://example.com/a.png' },
      ],
    };
    const linked = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    const input = [seen, call('a'), call('b'), shows('a'), output('b')];
    const [asked, , answered] = messagesIn({ input }) as unknown[];
    expect(asked).toEqual({ role: 'user', content: [text('Look'), linked] });
    expect(answered).toEqual({ role: 'user', content: [result('a', [text('The page:'), image]), result('b')] });
    const [, , behind] = messagesIn({ input }, { toolImages: 'message' }) as unknown[];
    const words = 'The page:\n[image: in the user message below]';
    expect(behind).toEqual({
      role: 'user',
      content: [result('a', words), result('b'), text('[images of the tool output a]'), image],
    });
    expect(JSON.stringify(messagesIn({ input }, { toolImages: 'none' }))).not.toContain('iVBOR');
  });

  test('has no blank text, no id that the server refuses, and no broken arguments', () => {
    const input = [
      userSays('Go'),
      said(' \n'),
      call('functions.exec:0', '{"cmd"'),
      output('functions.exec:0'),
      userSays(' '),
    ];
    expect(messagesIn({ input })).toEqual([
      { role: 'user', content: [text('Go')] },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: 'functions-2e-exec-3a-0',
            name: 'exec_command',
            input: { invalid_arguments: '{"cmd"' },
          },
        ],
      },
      { role: 'user', content: [result('functions-2e-exec-3a-0')] },
    ]);
  });

  test('begins and ends with the user', () => {
    expect(messagesIn({ input: [said('So far.')] })).toEqual([
      { role: 'user', content: [text('[The conversation so far]')] },
      { role: 'assistant', content: [text('So far.')] },
      { role: 'user', content: [text('Continue.')] },
    ]);
  });

  test('has the schema of a tool without alternatives at its top, and that of the answer', () => {
    const parameters = { type: 'object', anyOf: [{ type: 'object' }], properties: {} } as const;
    const body = bodyOf({ tools: [{ ...TOOL, parameters }], outputSchema: { type: 'object' }, effort: 'high' });
    expect(body['tools']).toMatchObject([{ input_schema: { type: 'object', properties: {} } }]);
    expect(body['output_config']).toEqual({
      effort: 'high',
      format: { type: 'json_schema', schema: { type: 'object' } },
    });
  });

  test('has the names of tools as the server takes them', () => {
    const named: ResponseItem = { type: 'function_call', call_id: 'b', name: 'functions.exec', arguments: '{}' };
    expect(messagesIn({ input: [userSays('Go'), named, output('b')] })).toMatchObject([
      {},
      { content: [{ type: 'tool_use', name: 'functions_exec' }] },
      {},
    ]);
  });

  test('turns parallel calls off where the settings do', () => {
    const tools = [TOOL];
    expect(bodyOf({ tools })['tool_choice']).toBeUndefined();
    const serial = bodyOf({ tools }, { models: { [OPUS]: { parallelToolCalls: false } } });
    expect(serial['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true });
  });

  test.each([
    [OPUS, null, { type: 'adaptive', display: 'summarized' }, undefined],
    [OPUS, 'low', { type: 'adaptive', display: 'summarized' }, 'low'],
    [OPUS, 'xhigh', { type: 'adaptive', display: 'summarized' }, undefined],
    [OPUS, 'max', { type: 'adaptive', display: 'summarized' }, 'max'],
    [OPUS, 'none', { type: 'disabled' }, undefined],
    ['claude-opus-5-5', 'xhigh', { type: 'adaptive', display: 'summarized' }, 'xhigh'],
    ['claude-opus-5-5', 'max', { type: 'adaptive', display: 'summarized' }, 'max'],
    ['claude-opus-5-5', 'none', { type: 'adaptive', display: 'summarized' }, undefined],
    ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined],
    [HAIKU, null, undefined, undefined],
    [HAIKU, 'medium', { type: 'enabled', budget_tokens: 10_000 }, undefined],
    [HAIKU, 'max', undefined, undefined],
    [HAIKU, 'xhigh', { type: 'enabled', budget_tokens: 16_000 }, undefined],
    ['claude-3-5-haiku-latest', 'high', undefined, undefined],
    ['glm-6', null, undefined, undefined],
    ['glm-6', 'low', { type: 'enabled', budget_tokens: 4096 }, undefined],
  ] as const)('asks %s with effort %s to think %o', (model, effort, thinking, sent) => {
    const body = bodyOf({ model, effort });
    expect(body['thinking']).toEqual(thinking);
    expect((body['output_config'] as { effort?: string } | undefined)?.effort).toBe(sent);
  });

  test.each([
    [OPUS, {}, 128_000],
    // The longest answer counts as if it were written: a small window has room for the conversation, too.
    [HAIKU, {}, 32_000],
    ['claude-3-haiku-20240307', {}, 4096],
    ['glm-6', {}, 32_000],
    ['glm-6', { maxOutput: 100_000 }, 100_000],
    [HAIKU, { maxOutput: 64_000 }, 64_000],
  ])('lets %s with %o write %i tokens', (model, settings, tokens) => {
    expect(bodyOf({ model }, { models: { [model]: settings } })['max_tokens']).toBe(tokens);
  });

  test('sends reasoning back only while the model reasons, and only to its own provider', () => {
    const input = [userSays('Go'), thought('Hm'), said('Hi'), userSays('On')];
    expect(JSON.stringify(messagesIn({ input }))).toContain('sig-Hm');
    expect(JSON.stringify(messagesIn({ input, effort: 'none' }))).not.toContain('sig-Hm');
    expect(JSON.stringify(messagesIn({ input, origin: 'another' }))).not.toContain('sig-Hm');
  });

  test('sends reasoning back as it came to a model of an unknown name, and without a signature to no other', () => {
    const input = [userSays('Go'), thought('Hm', ''), said('Hi'), userSays('On')];
    const { text: json } = new MessagesBodies(SERVER, new RefusedFields()).build(prompt({ model: 'glm-6', input }));
    expect(json).toContain('{"type":"thinking","thinking":"Hm","signature":""}');
    expect(JSON.stringify(messagesIn({ input }))).not.toContain('Hm');
  });

  test('leaves out reasoning that was refused or is not wanted any more, and nothing else', () => {
    const input = [userSays('Go'), thought('Hm'), said('Hi'), userSays('On')];
    for (const change of ['refused', 'off'] as const) {
      const bodies = new MessagesBodies(SERVER, new RefusedFields());
      expect(bodies.build(prompt({ input })).text).toContain('sig-Hm');
      if (change === 'refused') bodies.leaveOutThinking(prompt({ input }));
      const { text: json } = bodies.build(prompt({ input, effort: change === 'off' ? 'none' : null }));
      expect(json).not.toContain('sig-Hm');
      for (const words of ['Go', 'Hi', 'On']) expect(json).toContain(`"text":"${words}"`);
    }
  });

  test('has no budget where the answer has no room for one', () => {
    const settings = { models: { [HAIKU]: { maxOutput: 1500 } } };
    expect(bodyOf({ model: HAIKU, effort: 'low' }, settings)['thinking']).toBeUndefined();
  });

  test('has an id and a short name for each call', () => {
    const long: ResponseItem = { type: 'function_call', call_id: '', name: 'x'.repeat(200), arguments: '{}' };
    expect(messagesIn({ input: [userSays('Go'), long, output('')] })).toMatchObject([
      {},
      { content: [{ id: 'call', name: 'x'.repeat(128) }] },
      { content: [{ tool_use_id: 'call' }] },
    ]);
  });

  test('within a budget does not begin to reason in the middle of calls', () => {
    const more = { model: HAIKU, effort: 'low' } as const;
    const round = [userSays('Go'), call('a'), output('a')];
    expect(bodyOf({ ...more, input: round })['thinking']).toBeUndefined();
    expect(
      bodyOf({ ...more, input: [userSays('Go'), thought('Hm'), call('a'), output('a')] })['thinking'],
    ).toBeDefined();
    expect(bodyOf({ ...more, input: [...round, said('Done'), userSays('Next')] })['thinking']).toBeDefined();
    const before = [userSays('First'), thought('Hm'), said('Done')];
    expect(bodyOf({ ...more, input: [...before, ...round] })['thinking']).toBeUndefined();
  });

  test('asks a model of an unknown name for what its server has reported', () => {
    const reasoning = {
      defaultEffort: null,
      efforts: ['low', 'high'],
      summaries: false,
      thinking: 'adaptive',
    } as const;
    const reported = { id: 'claude-next', maxOutput: 256_000, reasoning };
    const bodies = new MessagesBodies(SERVER, new RefusedFields(), () => reported);
    expect(JSON.parse(bodies.build(prompt({ model: 'next', effort: 'high' })).text)).toMatchObject({
      max_tokens: 256_000,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
  });

  test('an item that was stored is sent as before', () => {
    const items = [
      thought('Hm'),
      { type: 'reasoning', summary: [], thinking_block: { type: 'redacted_thinking', data: 'x' } },
    ];
    const stored = items.map((item) => responseItemSchema.parse(JSON.parse(JSON.stringify(item))));
    expect(messagesIn({ input: [userSays('Go'), ...stored, call('a'), output('a')] })).toMatchObject([
      {},
      { content: [{ type: 'thinking', signature: 'sig-Hm' }, { type: 'redacted_thinking', data: 'x' }, {}] },
      {},
    ]);
  });
});

describe('the prompt cache', () => {
  test('the second request repeats the first up to its mark, and marks the old end and the new one', () => {
    const bodies = new MessagesBodies(SERVER, new RefusedFields());
    const build = (input: readonly ResponseItem[]) => bodies.build(prompt({ tools: [TOOL], input })).text;
    const first = build([developer('Context.'), userSays('Go')]);
    const items = [thought('Hm'), call('a'), call('b'), output('a'), output('b')];
    const second = build([developer('Context.'), userSays('Go'), ...items]);

    const MARK = ',"cache_control":{"type":"ephemeral"}';
    const prefix = first.slice(0, first.lastIndexOf(MARK));
    expect(prefix.endsWith('{"type":"text","text":"Go"')).toBe(true);
    expect(second.startsWith(prefix)).toBe(true);
    expect(second.slice(prefix.length).startsWith(MARK)).toBe(true);
    // Instructions (which cover the tools), the old end, the new end.
    expect(second.split(MARK)).toHaveLength(4);
    expect(second).toContain(`"tool_use_id":"b","content":"ok"${MARK}}]}]`);
  });

  test('in every thread the rules hold, and blocks once sent stay the same bytes', () => {
    const turn = fc.constantFrom<readonly (readonly ResponseItem[])[]>(
      [[userSays('Go')], [said('Done')]],
      [[userSays('Go')], [thought('Hm'), call('1'), call('2'), output('1'), output('2')], [said('Done')]],
      [[userSays('Go')], [thought('Hm'), said('A'), call('1'), userSays('Steer'), output('1')], [said('B')]],
      [[userSays('Go')], [thought('Hm'), call('1'), output('1'), call('2'), output('2')], [call('3'), output('3')]],
      [[userSays('Go')], [call('1'), call('2'), shows('1'), userSays('Steer'), shows('2')], [call('3'), shows('3')]],
      [[developer('Now.'), userSays(' ')], [said('')], [userSays('Go')], [said('Hi'), said('Hi')]],
    );
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 6 }), fc.constantFrom(OPUS, HAIKU), (turns, model) => {
        const bodies = new MessagesBodies(SERVER, new RefusedFields());
        let sent: ReturnType<typeof sentPrefix> | undefined;
        const input: ResponseItem[] = [];
        turns.forEach((steps, index) => {
          for (const step of steps) {
            input.push(...step.map((item) => renamed(item, index)));
            const last = input.at(-1);
            if (last?.type === 'message' && last.role === 'assistant') continue;
            const { text: json } = bodies.build(prompt({ model, input: [...input] }));
            const body = JSON.parse(json) as { messages: Record<string, unknown>[] };
            expect(messagesBreaches(body.messages, { ...body })).toEqual([]);
            const fresh = new MessagesBodies(SERVER, new RefusedFields());
            expect(fresh.build(prompt({ model, input: structuredClone(input) })).text).toBe(json);
            const now = sentPrefix('messages', json);
            expect(sent ? prefixBreaches(sent, now) : []).toEqual([]);
            sent = now;
          }
        });
      }),
    );
  });

  test('what is read from it and written to it counts as input', async () => {
    const counts = { input_tokens: 10, cache_creation_input_tokens: 200, cache_read_input_tokens: 3000 };
    const { completed } = await answer(
      emits({ type: 'message_start', message: { usage: { ...counts, output_tokens: 1 } } }),
      emits({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 50 } }),
      emits({ type: 'message_stop' }),
    );
    expect(completed?.usage).toEqual({
      input: 3210,
      cachedInput: 3000,
      cacheWrite: 200,
      output: 50,
      reasoning: 0,
      total: 3260,
    });
  });
});

function renamed(item: ResponseItem, turn: number): ResponseItem {
  return 'call_id' in item && item.call_id ? { ...item, call_id: `${item.call_id}-${turn}` } : item;
}

describe('a response', () => {
  test('reasoning is shown and kept with its signature', async () => {
    const { events, items } = await answer(reasons('Hm, so', { encrypted: 'abc' }), says('Hi'));
    expect(events.flatMap((event) => (event.type === 'reasoning_summary_delta' ? [event.text] : [])).join('')).toBe(
      'Hm, so',
    );
    expect(items[0]).toEqual({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hm, so' }],
      thinking_block: { type: 'thinking', thinking: 'Hm, so', signature: 'abc' },
    });
  });

  test('reasoning without a text or encrypted is kept, and unknown blocks are skipped', async () => {
    const block = (index: number, content_block: object) => [
      emits({ type: 'content_block_start', index, content_block }),
      emits({ type: 'content_block_stop', index }),
    ];
    const { items } = await answer(
      emits({ type: 'message_start', message: {} }),
      ...block(0, { type: 'thinking', thinking: '', signature: 'abc' }),
      ...block(1, { type: 'redacted_thinking', data: 'xyz' }),
      ...block(2, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      emits({ type: 'content_block_delta', index: 3, delta: { type: 'citations_delta', citation: {} } }),
      ...block(3, { type: 'text', text: 'Whole.' }),
      ...block(4, { type: 'tool_use', id: 'c', name: 'exec_command', input: { cmd: 'ls' } }),
      emits({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
      emits({ type: 'message_stop' }),
    );
    expect(items).toEqual([
      { type: 'reasoning', summary: [], thinking_block: { type: 'thinking', thinking: '', signature: 'abc' } },
      { type: 'reasoning', summary: [], thinking_block: { type: 'redacted_thinking', data: 'xyz' } },
      said('Whole.'),
      call('c', '{"cmd":"ls"}'),
    ]);
  });

  test('deltas without a start or an end of their block are a message', async () => {
    const { items, completed } = await answer(
      emits({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
      emits({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
    );
    expect(items).toEqual([said('Hi')]);
    expect(completed).toBeDefined();
  });

  test('a call without arguments is one with none', async () => {
    const { items } = await answer(calls('exec_command', ''));
    expect(items).toEqual([call('call_1', '{}')]);
  });

  test.each([
    ['max_tokens', 'context_exceeded', true],
    ['model_context_window_exceeded', 'context_exceeded', true],
    ['refusal', 'content_filter', false],
  ] as const)('that ends with %s is a fault, without the call that was cut', async (reason, kind, answerCut) => {
    const { events, items, fault } = await answer(
      says('So far'),
      calls('exec_command', '{"cmd": "l'),
      calls('exec_command', ''),
      incomplete(reason),
    );
    expect(textIn(events)).toBe('So far');
    expect(items).toEqual([said('So far')]);
    expect(fault).toMatchObject({ kind, retryable: false, answerCut, detail: `stop_reason: ${reason}` });
  });

  test('is begun once, also where the server says so twice, and counts what the last counts say', async () => {
    const { events, completed } = await answer(
      emits({ type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } }),
      emits({ type: 'message_start', message: { usage: { input_tokens: null, output_tokens: 2 } } }),
      says('Hi'),
      usage(null),
      emits({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
      emits({ type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 5 } }),
      emits({ type: 'message_stop' }),
    );
    expect(events.filter(({ type }) => type === 'created')).toHaveLength(1);
    expect(completed?.usage).toMatchObject({ output: 5, total: (completed?.usage?.input ?? 0) + 5 });
  });

  test('has no events of blocks of an unknown kind or of calls without a name, and one beginning of each other', async () => {
    const block = (index: number, content_block: object, delta: object) => [
      emits({ type: 'content_block_start', index, content_block }),
      emits({ type: 'content_block_delta', index, delta }),
      emits({ type: 'content_block_delta', index, delta }),
      emits({ type: 'content_block_stop', index }),
    ];
    const json = { type: 'input_json_delta', partial_json: '' };
    const { events } = await answer(
      emits({ type: 'message_start', message: {} }),
      ...block(0, { type: 'server_tool_use', id: 's', name: 'web_search' }, { ...json, partial_json: '1' }),
      ...block(1, { type: 'tool_use', id: 'c' }, { ...json, partial_json: '1' }),
      ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }),
      emits({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
      emits({ type: 'message_stop' }),
    );
    expect(events.filter(({ type }) => type === 'item_started')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'call_delta')).toEqual([]);
  });

  test('without a reason to stop is whole as a document; one with too many parts is a fault', () => {
    const reader = () =>
      new MessagesReader({ newCallId: () => 'id', customTools: new Set(), onSkipped: () => undefined });
    const part = { type: 'text', text: 'Hi' };
    expect(
      reader()
        .readDocument({ content: [part] })
        .at(-1),
    ).toMatchObject({ type: 'completed', endTurn: true });
    const content = Array.from({ length: MOST_ITEMS + 1 }, () => part);
    expect(() => reader().readDocument({ content })).toThrow(tooManyItemsFault().message);
  });

  test('an error of a gateway, which has no type, ends it', async () => {
    const { fault } = await answer(emits({ error: { message: 'the server behind it has failed' } }));
    expect(fault?.detail).toContain('the server behind it has failed');
  });

  test('a pause is continued', async () => {
    expect((await answer(says('Wait'), endsTurn(false))).completed?.endTurn).toBe(false);
  });

  test.each([
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate_limited'],
    ['api_error', 'bad_response'],
    ['timeout_error', 'bad_response'],
  ])('that breaks off with %s is tried again', async (type, kind) => {
    const { events, fault } = await answer(says('Half'), failsInStream(type, 'Overloaded'));
    expect(textIn(events)).toBe('Half');
    expect(fault).toMatchObject({ kind, retryable: true, detail: `${type}: Overloaded` });
  });

  test('an end without its mark is one when the reason to stop is known', async () => {
    const stop = emits({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } });
    const { completed } = await answer(says('Hi'), usage(null), stop, cuts());
    expect(completed?.usage?.output).toBe(5);
    expect((await answer(says('Hi'), cuts())).fault).toMatchObject({ kind: 'stream_closed', retryable: true });
  });

  test('may be one document', async () => {
    const { items, completed } = await answer(says('Hi'), calls('exec_command', { cmd: 'ls' }), answersWhole());
    expect(items).toEqual([said('Hi'), call('call_1', '{"cmd":"ls"}')]);
    expect(completed?.usage?.input).toBe(100);
  });

  test('a document of something else is none', async () => {
    const { fault } = await answer(raw('{"greeting":"Hello"}'), cuts());
    expect(fault?.retryable).toBeDefined();
  });
});

describe('an error', () => {
  test.each([
    [400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' }, 'context_exceeded'],
    [
      400,
      { message: 'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000' },
      'context_exceeded',
    ],
    [413, {}, 'context_exceeded'],
    [400, { message: 'Your credit balance is too low to access the Anthropic API.' }, 'quota'],
    [400, { message: 'You have reached your specified API usage limits.' }, 'quota'],
    [401, { message: 'invalid x-api-key' }, 'auth'],
    [402, {}, 'quota'],
    [403, {}, 'auth'],
    [404, { message: 'model: claude-9' }, 'model_not_found'],
    [404, { message: 'Not Found' }, 'config'],
    [429, {}, 'rate_limited'],
    [500, {}, 'bad_response'],
    [504, {}, 'bad_response'],
    [529, {}, 'overloaded'],
  ] as const)('HTTP %i %o is %s', async (status, body, kind) => {
    const { client } = await start([fails(status, body)]);
    expect((await collectResponse(client, prompt())).fault).toMatchObject({ status, kind });
  });

  test('the limits of the server are read', async () => {
    const headers = {
      'retry-after': '12',
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-11-21T00:00:30Z',
      'anthropic-ratelimit-tokens-remaining': '4000',
    };
    const { client } = await start([fails(429, {}, headers)]);
    expect((await collectResponse(client, prompt())).fault?.retryAfterMs).toBe(12_000);
    const fetch = async () => new Response('', { headers: { ...headers, 'content-type': 'text/event-stream' } });
    const { events } = await collectResponse(
      clientFor({ baseUrl: 'http://127.0.0.1:1/v1', wireApi: 'messages' }, { fetch }),
      prompt(),
    );
    expect(events[0]).toEqual({
      type: 'rate_limits',
      limits: { requests: { limit: 50, remaining: 0, resetsInMs: 30_000 }, tokens: { remaining: 4000 } },
    });
  });

  test('a field that the server refuses is left out once, with a warning', async () => {
    const refusal = (message: string) => [fails(400, { message })];
    const { server, client } = await start(
      refusal('thinking: Extra inputs are not permitted'),
      refusal('messages.0.content.0.text.cache_control: Extra inputs are not permitted'),
      refusal('max_tokens: 128000 > 8192, which is the maximum allowed number of output tokens for claude-opus-4-6'),
      refusal('This model does not support the effort parameter.'),
      [says('Hi')],
      [says('Again')],
    );
    const { events } = await collectResponse(client, prompt({ effort: 'high' }));
    expect(events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))).toHaveLength(4);
    await collectResponse(client, prompt({ effort: 'high' }));
    const { body } = server.lastRequest;
    expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'system', 'messages', 'stream']);
    expect(body['max_tokens']).toBe(4096);
    expect(server.lastRequest.text).not.toContain('cache_control');
  });

  test('reasoning that the server does not take behind another conversation is left out, that of later answers is sent', async () => {
    const { server, client } = await start(
      [
        fails(400, {
          message:
            'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
        }),
      ],
      [says('Hi')],
      [says('Again')],
    );
    const input = [userSays('Go'), thought('Old'), said('Hm'), userSays('On')];
    const { events } = await collectResponse(client, prompt({ input }));
    expect(events[0]).toMatchObject({ type: 'warning' });
    expect(server.lastRequest.text).not.toContain('sig-Old');
    await collectResponse(client, prompt({ input: [...input, thought('New'), said('Hi'), userSays('More')] }));
    expect(server.lastRequest.text).not.toContain('sig-Old');
    expect(server.lastRequest.text).toContain('sig-New');
  });

  test('the key is in a header of its own, beside the version', async () => {
    const { server, client } = await start([says('Hi')]);
    await collectResponse(client, prompt());
    const { headers, url } = server.lastRequest;
    expect(url).toBe('/v1/messages');
    expect(headers).toMatchObject({ 'x-api-key': 'sk-test', 'anthropic-version': '2023-06-01' });
    expect(headers['authorization']).toBeUndefined();
  });

  test('headers, parameters and another place of the key are as the settings say', async () => {
    const { server } = await start([says('Hi')]);
    const headers = { 'anthropic-version': '2027-01-01', 'anthropic-beta': 'context-1m-2025-08-07' };
    const more = { auth: 'bearer', headers, queryParams: { beta: 'true' } } as const;
    const client = clientFor({ baseUrl: server.baseUrl, wireApi: 'messages', ...more });
    await collectResponse(client, prompt());
    expect(server.lastRequest.headers).toMatchObject({ ...headers, authorization: 'Bearer sk-test' });
    expect(server.lastRequest.url).toBe('/v1/messages?beta=true');
  });
});

test('the rules of the server find every breach', () => {
  const user = (...content: object[]) => ({ role: 'user', content });
  const assistant = (...content: object[]) => ({ role: 'assistant', content });
  const use = { type: 'tool_use', id: 'a', name: 'x', input: {} };
  const found = (...messages: Record<string, unknown>[]) => messagesBreaches(messages).length;
  expect(found(user(text('Go')), assistant(use), user(result('a'), text('On')))).toBe(0);
  expect(found(user(text(' ')))).toBe(1);
  expect(found(assistant(text('Hi')))).toBeGreaterThan(0);
  expect(found(user(text('Go')), user(text('On')))).toBe(1);
  expect(found(user(text('Go')), assistant(use), user(text('On'), result('a')))).toBe(1);
  expect(found(user(text('Go')), assistant(use), user(text('On')))).toBe(1);
  expect(found(user(text('Go')), assistant(text('Hi')), user(result('a')))).toBe(1);
  expect(found(user(text('Go')), assistant(text('Hi')))).toBe(1);
  expect(found(user(text('Go')), assistant({ type: 'thinking', thinking: 'x' }, text('Hi')), user(text('On')))).toBe(1);
});
