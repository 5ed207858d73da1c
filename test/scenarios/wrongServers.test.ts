/** A thread at a server that is not what the settings say: what the user reads, and that the thread goes on afterwards. */
import net, { type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ProviderConfig } from '../../src/core/model/provider.ts';
import { addressOf } from '../support/addressOf.ts';
import type { Imitation } from '../support/imitation.ts';
import { IMITATIONS, VLLM_WITHOUT_TOOLS } from '../support/imitations.ts';
import { fails, says, type Wire } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';
import { expectUsable, SENTENCE } from './faultSuite.ts';

const WIRES: readonly Wire[] = ['responses', 'chat'];
const PAIRS = IMITATIONS.flatMap((imitation) =>
  imitation.wires.map((wire) => ({ name: imitation.name, imitation, wire })),
);

describe.each(WIRES)('a server that speaks neither API, asked on %s', (wire) => {
  const sse = { headers: { 'content-type': 'text/event-stream' } };
  it.each<[string, () => Response, string, string]>([
    ['has nothing at the address', () => new Response('Not Found', { status: 404 }), 'config', 'check_settings'],
    ['takes no POST', () => new Response('', { status: 405 }), 'invalid_request', 'show_log'],
    ['shows its start page', () => new Response('<html><title>nginx</title></html>'), 'bad_response', 'check_settings'],
    [
      'answers with other JSON',
      () => Response.json({ status: 'ok' }),
      'bad_response',
      wire === 'chat' ? 'check_settings' : 'retry',
    ],
    ['answers with other events', () => new Response('data: {"tick":1}\n\n', sse), 'stream_closed', 'retry'],
    ['answers with plain text', () => new Response('Ollama is running'), 'bad_response', 'check_settings'],
    ['answers with nothing', () => new Response(''), 'stream_closed', 'retry'],
  ])('that %s ends the turn with one sentence', async (_case, answer, kind, action) => {
    let isWrong = true;
    await using chat = await startScenario({
      wire,
      maxAttempts: 1,
      deps: ({ fetch }) => ({ fetch: (...request) => (isWrong ? Promise.resolve(answer()) : fetch(...request)) }),
      model: [[says('Back.')]],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toMatchObject([{ kind, action, message: expect.stringMatching(SENTENCE) }]);
    expect(chat.items('agent_message')).toEqual([]);
    isWrong = false;
    await expectUsable(chat);
  });

  it('that is not a server of HTTP ends the turn with one sentence', async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.end('SSH-2.0-OpenSSH_9.6\r\n');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const provider = { baseUrl: `http://127.0.0.1:${port}/v1` };
    await using chat = await startScenario({ wire, maxAttempts: 1, provider, model: [] });
    await chat.send('go');
    server.close();
    expect(chat.said('error')).toMatchObject([
      { kind: 'bad_response', action: 'check_settings', message: expect.stringContaining('valid HTTP') },
    ]);
  });
});

describe.each(PAIRS)('$name on $wire', ({ imitation, wire }) => {
  it('says at a wrong address that there is no model service', async () => {
    let isWrong = true;
    await using chat = await startScenario({
      wire,
      imitates: imitation,
      deps: ({ fetch }) => ({
        fetch: (input, init) => fetch(isWrong ? addressOf(input).replace('/v1/', '/api/') : input, init),
      }),
      // The paths end alike: a server that checks the beginning of a path has nothing here.
      model: ({ url }) => (url.startsWith('/v1/') ? [says('Back.')] : NOTHING_HERE),
    });
    await chat.send('go');
    expect(chat.said('error')).toMatchObject([
      {
        kind: 'config',
        action: 'check_settings',
        message: expect.stringContaining('check the base URL'),
        detail: expect.stringMatching(/^HTTP 404 at http:\/\/127\.0\.0\.1:\d+\/v1\/[\w/]+: /),
      },
    ]);
    isWrong = false;
    await expectUsable(chat);
  });

  const { denies } = imitation;
  // Ollama and LM Studio check no key.
  if (!denies) return;
  it.each(['sk-wrong', 'k', 'ab', 'abc'])(
    'says in its own words that the key “%s” is wrong, and goes on with the right one',
    async (wrong) => {
      let key = wrong;
      await using chat = await startScenario({
        wire,
        imitates: imitation,
        deps: (ports) => ({ secrets: { ...ports.secrets, keyFor: async () => key } }),
        model: [[says('A back door, back again.')]],
      });
      await chat.send('go');
      const refusal = denies({ authorization: 'Bearer x', 'api-key': 'x' });
      expect(chat.said('error')).toMatchObject([
        { kind: 'auth', action: 'set_api_key', detail: expect.stringMatching(/^HTTP 401: ./) },
      ]);
      const words = JSON.stringify(refusal?.body).replace('sk-wrong', wrong === 'sk-wrong' ? '[hidden]' : 'sk-wrong');
      expect(words).toContain(JSON.stringify(chat.said('error')[0]?.detail?.slice('HTTP 401: '.length)).slice(1, -1));
      expect(chat.server.requests).toEqual([]);
      key = 'sk-test';
      await chat.send('again');
      // A short key is a part of many words: they stay whole.
      expect(chat.items('agent_message').map(({ text }) => text)).toEqual(['A back door, back again.']);
    },
  );
});

const NOTHING_HERE = [fails(404, { message: 'Not Found' })];

describe('a model without tools', () => {
  const named = (name: string) => IMITATIONS.find((each) => each.name === name) as Imitation;
  it.each<[string, Imitation, string, RegExp]>([
    ['vLLM', VLLM_WITHOUT_TOOLS, VLLM_WITHOUT_TOOLS.model, /--enable-auto-tool-choice/],
    ['Ollama', named('Ollama'), 'gemma3:4b', /does not support tools/],
    ['OpenRouter', named('OpenRouter'), 'deepseek/deepseek-r1:free', /No endpoints found that support tool use/],
  ])('of %s talks, and the user reads the words of the server once', async (_name, imitates, modelName, words) => {
    await using chat = await startScenario({
      wire: 'chat',
      imitates,
      modelName,
      model: [[says('I can only talk.')], [says('Still.')]],
    });
    await chat.send('go');
    await chat.send('and now');
    expect(chat.items('agent_message').map(({ text }) => text)).toEqual(['I can only talk.', 'Still.']);
    const told = chat.said('warning').filter(({ message }) => words.test(message));
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toContain(`takes no tools for ${modelName}`);
    expect(chat.server.requests.map(({ toolNames }) => toolNames)).toEqual([[], []]);
  });
});

it('a provider that the settings address wrongly names the address', async () => {
  const provider: Partial<ProviderConfig> = { baseUrl: 'models.example.com/v1' };
  await using chat = await startScenario({ provider, model: [] });
  await chat.send('go');
  expect(chat.said('error')).toMatchObject([
    { kind: 'config', action: 'check_settings', message: '“models.example.com/v1” is not a URL.' },
  ]);
});
