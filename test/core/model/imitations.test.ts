/** Each provider that Tiller names: the contract, its faults, its refusals, and what it reports about its models. */
import { afterEach, describe, expect, test } from 'vitest';
import { HttpModels } from '../../../src/core/model/httpModels.ts';
import { listModels } from '../../../src/core/model/modelList.ts';
import type { ResponseItem } from '../../../src/protocol/responseItem.ts';
import type { Imitation } from '../../support/imitation.ts';
import { IMITATIONS, VLLM_WITHOUT_TOOLS } from '../../support/imitations.ts';
import { calls, callsCustom, type ModelScript, ModelServer, reasons, says } from '../../support/modelServer.ts';
import { clientFor, collectResponse, prompt, testPorts, userSays } from './harness.ts';
import { serverConformance } from './serverConformance.ts';

const EXEC = {
  type: 'function',
  name: 'exec_command',
  description: 'Runs a command.',
  strict: false,
  parameters: { type: 'object', properties: { cmd: { type: 'string' } } },
} as const;
const PATCH = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
} as const;

/** Two calls, and an answer to their outputs. */
const SCRIPT: ModelScript = ({ text }) =>
  /"role":"tool"|_call_output"/.test(text)
    ? [says('Repaired.')]
    : [
        reasons('Looking.', { raw: 'Where is it?' }),
        says('I look.'),
        calls('exec_command', { cmd: 'ls -l' }),
        calls('exec_command', { cmd: 'git status' }),
      ];

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(imitates: Imitation, script: ModelScript = SCRIPT): Promise<ModelServer> {
  const server = await ModelServer.start(script, { imitates });
  open.push(server);
  return server;
}

for (const imitation of IMITATIONS) {
  for (const wire of imitation.wires) {
    serverConformance(imitation.name, wire, {
      model: imitation.model,
      tools: [EXEC],
      provider: imitation.provider,
      cutStep: 8,
      knowsModels: imitation.name !== 'llama.cpp',
      start: (only) => ModelServer.start(SCRIPT, { wire: only, imitates: imitation }),
    });
  }
}

const DEVELOPER: ResponseItem = {
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text: 'Be careful.' }],
};

const PAIRS = IMITATIONS.flatMap((imitation) =>
  imitation.wires.map((wire) => ({ name: imitation.name, imitation, wire })),
);

describe.each(PAIRS)('$name on $wire', ({ imitation, wire }) => {
  const named = { wireApi: wire, ...imitation.provider };

  test('a request with everything that Tiller may send is answered, and the next one at once', async () => {
    const server = await start(imitation, [[callsCustom('apply_patch', '*** Begin Patch')], [says('Next.')]]);
    const models = { [imitation.model]: { family: 'gpt-5.5' } };
    const client = clientFor({ baseUrl: server.baseUrl, ...named, models });
    const everything = prompt({
      model: imitation.model,
      tools: [EXEC, PATCH],
      input: [DEVELOPER, userSays('Repair it.')],
      effort: 'low',
      summary: 'auto',
      verbosity: 'low',
      outputSchema: { type: 'object' },
    });
    const first = await collectResponse(client, everything);
    expect(first.fault?.detail).toBeUndefined();
    expect(first.items).toMatchObject([{ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' }]);
    const warnings = first.events.filter(({ type }) => type === 'warning');
    expect(warnings).toHaveLength(server.refused.length);
    const refusals = server.refused.length;
    const second = await collectResponse(client, everything);
    expect(second.fault).toBeUndefined();
    expect(server.refused).toHaveLength(refusals);
  });

  test('an image of a tool reaches the model', async () => {
    const server = await start(imitation, [[calls('exec_command', { cmd: 'shot' }, { callId: 'a' })], [says('Seen.')]]);
    const client = clientFor({ baseUrl: server.baseUrl, ...named });
    const asked = (...more: readonly ResponseItem[]) =>
      prompt({ model: imitation.model, tools: [EXEC], input: [userSays('Look.'), ...more] });
    const { items } = await collectResponse(client, asked());
    const output = [{ type: 'input_image' as const, image_url: 'data:image/png;base64,AAAA' }];
    const seen = await collectResponse(client, asked(...items, { type: 'function_call_output', call_id: 'a', output }));
    expect(seen.fault).toBeUndefined();
    expect(server.lastRequest.text).toContain('data:image/png;base64,AAAA');
  });

  test('a call with broken arguments does not fail the requests after it', async () => {
    const broken = ['{"cmd": "ls', '', '["ls"]'].map((args, at) => calls('exec_command', args, { callId: `c${at}` }));
    const server = await start(imitation, [broken, [says('Again.')]]);
    const client = clientFor({ baseUrl: server.baseUrl, ...named });
    const asked = (...more: readonly ResponseItem[]) =>
      prompt({ model: imitation.model, tools: [EXEC], input: [userSays('Look.'), ...more] });
    const { items } = await collectResponse(client, asked());
    const outputs = broken.map((_, at) => ({
      type: 'function_call_output' as const,
      call_id: `c${at}`,
      output: 'Failed to parse the arguments.',
    }));
    const { fault } = await collectResponse(client, asked(...items, ...outputs));
    expect(fault?.detail).toBeUndefined();
    // The model still sees what it wrote.
    expect(server.lastRequest.text).toContain(String.raw`\"cmd\\\": \\\"ls`);
  });

  if (!imitation.denies) return;
  test('a wrong key is a fault with the words of the server', async () => {
    const server = await start(imitation);
    for (const key of ['sk-wrong', 'k', 'ab', 'abc']) {
      const client = clientFor({ baseUrl: server.baseUrl, ...named }, { secrets: { keyFor: async () => key } });
      const { fault, events } = await collectResponse(client, prompt({ model: imitation.model }));
      expect(events).toEqual([]);
      expect(fault).toMatchObject({ kind: 'auth', retryable: false, status: 401, action: 'set_api_key' });
      expect(fault?.detail?.length).toBeGreaterThan('HTTP 401: '.length);
    }
    expect(server.requests).toEqual([]);
  });
});

describe('the list of models', () => {
  const signal = new AbortController().signal;

  test.each([
    ['OpenAI', [{ id: 'gpt-4.1' }, { id: 'gpt-5.5' }]],
    ['Azure OpenAI', [{ id: 'team-gpt' }]],
    [
      'OpenRouter',
      [
        { id: 'deepseek/deepseek-r1:free', contextWindow: 163_840, images: false, tools: false },
        { id: 'qwen/qwen3-coder', contextWindow: 262_144, images: false, tools: true },
      ],
    ],
    [
      'Ollama',
      [
        { id: 'devstral:latest', contextWindow: 8192, isLoaded: true },
        { id: 'gemma3:4b' },
        { id: 'qwen3-coder:30b', contextWindow: 32_768, isLoaded: true },
      ],
    ],
    [
      'LM Studio',
      [
        { id: 'google/gemma-4-12b', contextWindow: 131_072, images: true, tools: false, isLoaded: false },
        { id: 'qwen/qwen3-coder-30b', contextWindow: 40_960, images: false, tools: true, isLoaded: true },
      ],
    ],
    ['llama.cpp', [{ id: 'qwen3-coder.gguf', contextWindow: 16_384, images: false, isLoaded: true }]],
    ['vLLM', [{ id: 'Qwen/Qwen3-Coder-30B-A3B-Instruct', contextWindow: 65_536 }]],
  ])('of %s has what it reports', async (name, models) => {
    const imitation = IMITATIONS.find((each) => each.name === name) as Imitation;
    const { baseUrl } = await start(imitation);
    const provider = { id: 'mine', baseUrl, wireApi: 'chat', ...imitation.provider } as const;
    expect(await listModels(provider, testPorts(), signal)).toEqual({ type: 'models', models });
  });

  test('makes the window of a loaded model known, and the settings take precedence', async () => {
    const { baseUrl } = await start(IMITATIONS.find(({ name }) => name === 'Ollama') as Imitation);
    const ports = testPorts();
    const http = new HttpModels({ ...ports, host: { environment: {} } } as never, '0');
    const provider = { id: 'ollama', baseUrl, wireApi: 'chat' } as const;
    const window = (model: string) => http.of(provider).connect(model).family.contextWindow;
    expect(window('qwen3-coder:30b')).toBeNull();
    await http.list(provider, signal);
    expect(window('qwen3-coder:30b')).toBe(32_768);
    expect(http.abilities(provider, 'qwen3-coder:30b').sources.contextWindow).toBe('server');
    expect(window('devstral')).toBe(8192);
    const models = { 'qwen3-coder:30b': { contextWindow: 8192 } };
    expect(http.of({ ...provider, models }).connect('qwen3-coder:30b').family.contextWindow).toBe(8192);
  });

  test.each([
    ['a wrong key', { secrets: { keyFor: async () => 'sk-wrong' } }, 'auth', /Incorrect API key/],
    ['no key', { secrets: { keyFor: async () => undefined } }, 'no_key', /Incorrect API key/],
  ])('with %s is a fault with the words of the server', async (_case, ports, kind, words) => {
    const { baseUrl } = await start(IMITATIONS[0] as Imitation);
    const listing = await listModels({ id: 'o', baseUrl, wireApi: 'chat' }, testPorts(ports), signal);
    expect(listing).toMatchObject({ type: 'fault', fault: { kind, detail: expect.stringMatching(words) } });
  });

  test('of a server that speaks neither wire is a fault', async () => {
    const fetch = async () => new Response('<html><title>Welcome to nginx!</title></html>');
    const listing = await listModels(
      { id: 'o', baseUrl: 'http://127.0.0.1:1/v1', wireApi: 'chat' },
      testPorts({ fetch }),
      signal,
    );
    expect(listing).toMatchObject({ type: 'fault', fault: { kind: 'bad_response', detail: 'Welcome to nginx!' } });
  });

  test('of a server that does not answer ends after ten seconds, and at once when the caller stops', async () => {
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const fetch = ((_input: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        isAsked();
      })) as typeof globalThis.fetch;
    let fire = () => {};
    const clock = {
      now: () => new Date(0),
      after: (_milliseconds: number, callback: () => void) => {
        fire = callback;
        return () => {};
      },
    };
    const ports = testPorts({ fetch, clock });
    const provider = { id: 'o', baseUrl: 'http://127.0.0.1:1/v1', wireApi: 'chat' } as const;
    const late = listModels(provider, ports, signal);
    await asked;
    fire();
    expect(await late).toMatchObject({ type: 'fault', fault: { kind: 'timeout' } });
    const controller = new AbortController();
    const stopped = listModels(provider, ports, controller.signal);
    controller.abort(new Error('closed'));
    await expect(stopped).rejects.toThrow('closed');
  });
});

test('a model without tools answers in words alone, and the answer of the server names the cure', async () => {
  const server = await start(VLLM_WITHOUT_TOOLS, [[says('I can only talk.')]]);
  const { model } = VLLM_WITHOUT_TOOLS;
  const client = clientFor({ id: 'vllm', baseUrl: server.baseUrl, wireApi: 'chat' });
  const { events, items } = await collectResponse(client, prompt({ model, tools: [EXEC] }));
  expect(items).toMatchObject([{ type: 'message', content: [{ text: 'I can only talk.' }] }]);
  expect(events.filter((event) => event.type === 'warning')).toEqual([
    {
      type: 'warning',
      message: `“vllm” takes no tools for ${model}: it can answer, but neither read, run nor change anything. The server’s answer: HTTP 400: "auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`,
    },
  ]);
});

test.each([null, 'high'] as const)(
  'a model of OpenAI that reasons by default gets tools on Chat without reasoning, with effort %s, and one warning says so',
  async (effort) => {
    const server = await start(IMITATIONS.find(({ name }) => name === 'OpenAI') as Imitation);
    const client = clientFor({ id: 'openai', baseUrl: server.baseUrl, wireApi: 'chat', dialect: 'openai' });
    const asked = prompt({ model: 'gpt-5.6', tools: [EXEC], effort });
    const first = await collectResponse(client, asked);
    expect(first.items.filter(({ type }) => type === 'function_call')).toHaveLength(2);
    expect(first.events.filter((event) => event.type === 'warning')).toEqual([
      {
        type: 'warning',
        message:
          '“openai” takes no tools from gpt-5.6 on Chat Completions while it reasons; reasoning is turned off from now on. With Responses it can do both.',
      },
    ]);
    await collectResponse(client, asked);
    expect(server.refused).toHaveLength(1);
    expect(server.requests.map(({ body }) => body['reasoning_effort'])).toEqual(['none', 'none']);
    // Without tools nothing is in the way of reasoning.
    const { fault } = await collectResponse(client, { ...asked, tools: [] });
    expect(fault).toBeUndefined();
    expect(server.lastRequest.body['reasoning_effort']).not.toBe('none');
  },
);

test('one imitation in place of another: a thread on one server goes on on the next', async () => {
  const input: ResponseItem[] = [userSays('Repair it.')];
  for (const imitation of IMITATIONS) {
    for (const wire of imitation.wires) {
      const server = await start(imitation);
      const client = clientFor({ baseUrl: server.baseUrl, wireApi: wire, ...imitation.provider });
      const { fault, items } = await collectResponse(client, prompt({ model: imitation.model, tools: [EXEC], input }));
      expect(fault, `${imitation.name} on ${wire}`).toBeUndefined();
      input.push(...items.filter(({ type }) => type !== 'reasoning'));
      for (const item of items) {
        if (item.type !== 'function_call') continue;
        input.push({ type: 'function_call_output', call_id: item.call_id, output: 'ok' });
      }
      input.push(userSays('Go on.'));
    }
  }
});
