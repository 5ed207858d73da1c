/** Claude at Anthropic's own server: key, list of models, rounds with the cache, what it costs, agents, titles and edits. */
import { afterEach, describe, expect, it } from 'vitest';
import { testConnection } from '../../src/core/model/connectionTest.ts';
import { HttpModels } from '../../src/core/model/httpModels.ts';
import { listModels } from '../../src/core/model/modelList.ts';
import { systemClock } from '../../src/node/host/clock.ts';
import { clientFor, neverAborted, testPorts } from '../core/model/harness.ts';
import { agentScript } from '../support/agentScript.ts';
import { ANTHROPIC, IMITATED_KEY } from '../support/imitations.ts';
import { calls, fails, ModelServer, prefixBreaches, reasons, says, usage } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const claude = {
  wire: 'messages',
  modelName: ANTHROPIC.model,
  imitates: ANTHROPIC,
  policy: 'never',
  sandbox: 'danger-full-access',
  provider: { auth: 'x_api_key' },
} as const;
const withKey = (key: string) => (ports: { secrets: object }) =>
  ({ secrets: { ...ports.secrets, keyFor: async () => key } }) as never;

async function provider(baseUrl?: string) {
  const server = await ModelServer.start([[says('OK')]], { imitates: ANTHROPIC });
  open.push(server);
  return { id: 'anthropic', baseUrl: baseUrl ?? server.baseUrl, wireApi: 'messages' } as const;
}

describe('a thread with Claude', () => {
  it('goes on over rounds of calls with its reasoning, reads its cache, and has its cost', async () => {
    const prices = { inputPrice: 4, cachedInputPrice: 0.2, outputPrice: 20 };
    await using chat = await startScenario({
      ...claude,
      provider: { ...claude.provider, models: { [ANTHROPIC.model]: prices } },
      model: [
        [
          reasons('Two looks.', { encrypted: 'sig-1' }),
          calls('exec_command', { cmd: 'echo one' }),
          calls('exec_command', { cmd: 'echo two' }),
          usage({ input: 1000, cachedInput: 0, output: 100 }),
        ],
        [says('Both.'), usage({ input: 2000, cachedInput: 1000, output: 50, reasoning: 20 })],
        [says('Again.'), usage({ input: 2500, cachedInput: 2000, output: 10 })],
      ],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Both.' });
    await chat.send('again');
    const [first, second, third] = chat.server.requests;
    expect(first && second && third && [...prefixBreaches(first, second), ...prefixBreaches(second, third)]).toEqual(
      [],
    );
    expect(second?.text).toContain('"signature":"sig-1"');
    expect(chat.outputs()).toHaveLength(2);
    expect(chat.items('reasoning')).toMatchObject([{ summary: ['Two looks.'] }]);
    expect(chat.said('token_count').at(-1)?.last).toMatchObject({ input: 2500, cachedInput: 2000, output: 10 });
    const cost = (1000 * 4 + 100 * 20 + (1000 * 4 + 1000 * 0.2 + 50 * 20) + (500 * 4 + 2000 * 0.2 + 10 * 20)) / 1e6;
    expect(chat.said('token_count').at(-1)?.cost?.total).toBeCloseTo(cost, 8);
  });

  it('names the way out of a wrong key', async () => {
    await using chat = await startScenario({ ...claude, deps: withKey('sk-wrong'), model: [] });
    await chat.send('go');
    expect(chat.said('error')).toMatchObject([
      {
        kind: 'auth',
        message: 'The server did not accept the API key.',
        detail: 'HTTP 401: invalid x-api-key',
        action: 'set_api_key',
      },
    ]);
  });

  it('compacts when the server says that the prompt is too long, and goes on', async () => {
    const tooLong = fails(400, { message: 'prompt is too long: 1010000 tokens > 1000000 maximum' });
    await using chat = await startScenario({
      ...claude,
      model: [[reasons('Hm', { encrypted: 'sig-1' }), says('One.')], [tooLong], [says('A summary.')], [says('Two.')]],
    });
    await chat.send('one');
    expect(await chat.send('two')).toEqual({ type: 'turn_completed', lastMessage: 'Two.' });
    expect(chat.items('compaction')).toMatchObject([{ status: 'completed', summary: 'A summary.' }]);
    expect(chat.server.lastRequest.text).not.toContain('sig-1');
  });

  it('starts agents', async () => {
    await using chat = await startScenario({
      ...claude,
      model: agentScript({
        ROOT: [[calls('task', { agent: 'explorer', prompt: 'CHILD' })], [says('Done.')]],
        CHILD: [[calls('exec_command', { cmd: 'echo seen' })], [says('Seen.')]],
      }),
    });
    expect(await chat.send('ROOT')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(chat.items('sub_agent')).toMatchObject([{ status: 'completed', lastMessage: 'Seen.' }]);
  });
});

describe('its server', () => {
  it('passes the test of the connection', async () => {
    const client = clientFor(await provider(), { secrets: { keyFor: async () => IMITATED_KEY } });
    expect(await testConnection(client, ANTHROPIC.model, systemClock, neverAborted)).toMatchObject({
      type: 'answered',
      warnings: [],
    });
    const unknown = await testConnection(client, 'claude-9', systemClock, neverAborted);
    expect(unknown).toMatchObject({ type: 'fault', fault: { kind: 'model_not_found' } });
  });

  it('lists its models with windows, longest answers and reasoning, which are asked for once', async () => {
    const config = await provider('https://api.anthropic.com/v1');
    const { baseUrl } = open[0] as ModelServer;
    let asked = 0;
    const ports = testPorts({
      fetch: (url, init) => {
        asked += 1;
        return fetch(String(url).replace(config.baseUrl, baseUrl), init);
      },
      secrets: { keyFor: async () => IMITATED_KEY },
    });
    const http = new HttpModels({ ...ports, host: { environment: {} } } as never, '0');
    await http.learn(config, 'claude-opus-5-5', 60_000, { asksRemote: true });
    expect(asked).toBe(0);
    await http.learn(config, 'claude-next', 60_000, { asksRemote: true });
    await http.learn(config, 'claude-next', 60_000, { asksRemote: true });
    expect(asked).toBe(1);
    const { family, sources } = http.abilities(config, 'claude-next');
    expect(family).toMatchObject({
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      images: true,
      reasoning: { efforts: ['low', 'medium', 'high', 'max'], thinking: 'adaptive' },
    });
    expect(sources).toMatchObject({ contextWindow: 'server', maxOutput: 'server', reasoning: 'server' });
    // The name says more of reasoning than the server does.
    const known = http.abilities(config, 'claude-opus-5-5');
    expect(known.family.reasoning?.thinking).toBe('always');
    expect(known.sources).toMatchObject({ contextWindow: 'server', reasoning: 'name' });
  });

  it('lists its models page by page', async () => {
    const pages = [
      { data: [{ id: 'claude-b' }], has_more: true, last_id: 'claude-b' },
      { data: [{ id: 'claude-a' }], has_more: false, last_id: 'claude-a' },
    ];
    const asked: string[] = [];
    const ports = testPorts({
      fetch: async (url) => {
        asked.push(String(url));
        return Response.json(pages[asked.length - 1]);
      },
    });
    const config = { id: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', wireApi: 'messages' } as const;
    expect(await listModels(config, ports, neverAborted)).toEqual({
      type: 'models',
      models: [{ id: 'claude-a' }, { id: 'claude-b' }],
    });
    expect(asked).toEqual([
      'https://api.anthropic.com/v1/models?limit=1000',
      'https://api.anthropic.com/v1/models?limit=1000&after_id=claude-b',
    ]);
  });
});
