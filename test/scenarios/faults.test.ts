/** Every fault of the connection to a model, as the user sees it (docs/cli.md, "Faults"). */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/core/ports.ts';
import { calls, fails, failsInStream, incomplete, ModelServer, says, type Wire } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';
import { rounds } from '../support/rounds.ts';
import { expectUsable, faultSuite, hurried, SENTENCE } from './faultSuite.ts';

const WIRES: readonly Wire[] = ['responses', 'chat', 'messages'];
/** Floods go through the decoder of events, which all wires share. */
const FLOODED: readonly Wire[] = ['responses', 'chat'];

const MEGABYTES = rounds(12, 50);

it('the user ends the pause before the next attempt', async () => {
  await using chat = await startScenario({
    model: [[fails(429, {}, { 'retry-after': '50' })], [says('Whole.')], [says('Back.')]],
  });
  const ended = chat.send('go');
  await chat.next('stream_error');
  chat.submit({ type: 'retry' });
  expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Whole.' });
  expect(chat.said('warning')).toEqual([]);
  // Without a pause it is refused as before.
  await expectUsable(chat);
});

for (const wire of WIRES) faultSuite(wire);

describe('a response that its server cut off', () => {
  it.each<[Wire, string, string]>([
    ['responses', 'max_output_tokens', 'bad_response'],
    ['chat', 'max_output_tokens', 'context_exceeded'],
    ['chat', 'content_filter', 'content_filter'],
    ['messages', 'max_tokens', 'context_exceeded'],
    ['messages', 'refusal', 'content_filter'],
  ])('on %s for %s is final, and half a call does not run', async (wire, reason, kind) => {
    await using chat = await startScenario({
      wire,
      sandbox: 'danger-full-access',
      model: [[says('Half'), calls('exec_command', '{"cmd":"touch bad'), incomplete(reason)], [says('Back.')]],
    });
    await chat.send('go');
    expect(chat.said('error')).toMatchObject([{ kind }]);
    expect(chat.files()).toEqual({});
    await expectUsable(chat);
  });

  it('by its filter on Responses is retried', async () => {
    await using chat = await startScenario({
      deps: hurried,
      model: [[says('Half'), incomplete('content_filter')], [says('Whole.')]],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Whole.' });
  });
});

describe('a full window', () => {
  it('fills the meter without changing the cost', async () => {
    await using chat = await startScenario({
      modelName: 'gpt-5.5',
      model: [
        [says('One.')],
        [failsInStream('context_length_exceeded')],
        [fails(400, { message: 'no summary either' })],
        [says('A summary.')],
        [says('Back.')],
      ],
    });
    await chat.send('one');
    await chat.send('two');
    const [first, full] = chat.said('token_count');
    expect(full).toMatchObject({
      last: { total: 272_000 },
      total: first?.total,
      contextWindow: 272_000,
      estimated: true,
    });
    await expectUsable(chat);
    expect(chat.state.tokens?.last.total).toBe(110);
  });

  it('is not reported where its size is unknown', async () => {
    await using chat = await startScenario({
      model: [[failsInStream('context_length_exceeded')], [fails(400, { message: 'no summary either' })]],
    });
    await chat.send('go');
    expect(chat.said('token_count')).toEqual([]);
  });
});

describe('the connection to the server', () => {
  const broken = (code: string, message: string): Fetch => {
    const error = Object.assign(new Error(message), { code });
    return () => Promise.reject(new TypeError('fetch failed', { cause: error }));
  };

  it.each<[string, Fetch, string, string, number]>([
    ['a name nobody knows', broken('ENOTFOUND', 'getaddrinfo ENOTFOUND x.example'), 'network', 'ENOTFOUND', 1],
    ['a name service that is away', broken('EAI_AGAIN', 'getaddrinfo EAI_AGAIN x.example'), 'network', 'EAI_AGAIN', 1],
    ['a network that is away', broken('ENETUNREACH', 'connect ENETUNREACH 1.2.3.4'), 'network', 'ENETUNREACH', 1],
    ['a certificate that has expired', broken('CERT_HAS_EXPIRED', 'certificate has expired'), 'tls', 'expired', 0],
    [
      'a proxy that wants a password',
      broken('ERR', 'Proxy connection failed: CONNECT response 407'),
      'proxy',
      '407',
      0,
    ],
    ['a proxy that is away', broken('ECONNREFUSED', 'Failed to connect to the proxy'), 'proxy', 'proxy', 1],
  ])('%s', async (_fault, fetch, kind, words, retries) => {
    let isBroken = true;
    await using chat = await startScenario({
      maxAttempts: 2,
      deps: (ports) => ({ ...hurried(ports), fetch: (...args) => (isBroken ? fetch : ports.fetch)(...args) }),
      model: [[says('Back.')]],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('stream_error')).toHaveLength(retries);
    expect(chat.said('error')).toMatchObject([
      { kind, action: 'check_network', detail: expect.stringContaining(words) },
    ]);
    isBroken = false;
    await expectUsable(chat);
  });

  it('reports an address where no server listens', async () => {
    const gone = await ModelServer.start([]);
    await gone.close();
    const provider = { baseUrl: gone.baseUrl };
    await using chat = await startScenario({ maxAttempts: 2, deps: hurried, provider, model: [] });
    await chat.send('go');
    expect(chat.said('stream_error')).toHaveLength(1);
    expect(chat.said('error')).toMatchObject([{ kind: 'network', detail: expect.stringContaining('ECONNREFUSED') }]);
  });

  it('reports https to an http server', async () => {
    await using plain = await ModelServer.start([]);
    const provider = { baseUrl: plain.baseUrl.replace('http:', 'https:') };
    await using chat = await startScenario({ provider, model: [] });
    await chat.send('go');
    expect(chat.said('error')).toMatchObject([{ kind: 'tls', action: 'check_settings' }]);
  });

  it('reports a certificate that is not trusted', async () => {
    const server = https.createServer(selfSigned(), (_request, response) => response.end());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await using chat = await startScenario({ provider: { baseUrl: `https://127.0.0.1:${port}/v1` }, model: [] });
    await chat.send('go');
    server.close();
    expect(chat.said('error')).toMatchObject([
      { kind: 'tls', action: 'check_network', message: expect.stringContaining('not trusted') },
    ]);
  });

  it('sends no key to the target of a redirect to another origin', async () => {
    await using elsewhere = await ModelServer.start([]);
    const redirecting = http.createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(307, { location: `${elsewhere.baseUrl}/responses` }).end());
    });
    await new Promise<void>((resolve) => void redirecting.listen(0, '127.0.0.1', resolve));
    const { port } = redirecting.address() as AddressInfo;
    await using chat = await startScenario({ provider: { baseUrl: `http://127.0.0.1:${port}/v1` }, model: [] });
    await chat.send('go');
    redirecting.closeAllConnections();
    redirecting.close();
    expect(chat.said('error')).toMatchObject([{ kind: 'config', action: 'check_settings' }]);
    expect(elsewhere.requests).toEqual([]);
  });
});

describe.each(WIRES)('a malformed response on %s', (wire) => {
  const page = '<!doctype html>\n<title>Sign in</title><script>1</script>';
  const html = { status: 200, headers: { 'content-type': 'text/html' } };
  it.each<[string, () => Response, string, string, string]>([
    ['a web page', () => new Response(page, html), 'bad_response', 'check_settings', 'Sign in'],
    ['a page that calls itself JSON', () => asJson(page), 'bad_response', 'check_settings', 'Sign in'],
    [
      'an error in a list',
      () => Response.json([{ error: { message: 'API key not valid.' } }], { status: 401 }),
      'no_key',
      'set_api_key',
      'HTTP 401: API key not valid.',
    ],
    ['an error without a word', () => new Response('', { status: 403 }), 'auth', 'set_api_key', 'HTTP 403'],
    ['a teapot', () => new Response('teapot', { status: 418 }), 'invalid_request', 'show_log', 'HTTP 418: teapot'],
  ])('%s is told in one sentence and asked for once', async (_, answer, kind, action, detail) => {
    let asked = 0;
    await using chat = await startScenario({
      wire,
      deps: (ports) => ({ fetch: (...args) => (asked++ === 0 ? Promise.resolve(answer()) : ports.fetch(...args)) }),
      model: [[says('Back.')]],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(asked).toBe(1);
    expect(chat.said('error')).toMatchObject([{ kind, action, detail, message: expect.stringMatching(SENTENCE) }]);
    await expectUsable(chat);
  });

  it('redacts a key that the server repeats', async () => {
    const key = 'the-key-that-was-entered';
    const refusal = { error: { message: `Incorrect API key provided: ${key}. Get one at …` } };
    await using chat = await startScenario({
      wire,
      provider: { auth: 'bearer' },
      deps: (ports) => ({
        secrets: { ...ports.secrets, keyFor: async () => key },
        fetch: async () => Response.json(refusal, { status: 401 }),
      }),
      model: [],
    });
    await chat.send('go');
    expect(chat.said('error')).toMatchObject([
      { kind: 'auth', detail: 'HTTP 401: Incorrect API key provided: [hidden]. Get one at …' },
    ]);
    expect(JSON.stringify([chat.events, chat.rollout()])).not.toContain(key);
  });

  it('reports an empty response as empty', async () => {
    await using chat = await startScenario({ wire, model: [[]] });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: null });
    expect(chat.said('warning')).toMatchObject([{ message: 'The model returned an empty response.' }]);
  });
});

function asJson(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}

describe.each(FLOODED)('an unusual server on %s', (wire) => {
  it(`may send ${MEGABYTES} MB`, async () => {
    // Responses sends the text four times: as deltas, as text, as an item, and in the end event.
    const size = (MEGABYTES * 1_000_000) / (wire === 'responses' ? 4 : 1);
    const text = 'A line of what is said.\n'.repeat(size / 24);
    await using chat = await startScenario({ wire, model: [[says(text, { deltas: 500 })], [says('Back.')]] });
    const end = await chat.send('go');
    expect(end.type === 'turn_completed' && end.lastMessage === text).toBe(true);
    await expectUsable(chat);
  }, 60_000);

  it('may send the text in 20,000 pieces', async () => {
    const text = 'word '.repeat(20_000);
    await using chat = await startScenario({ wire, model: [[says(text, { deltas: 20_000 })]] });
    await chat.send('go');
    expect(
      chat
        .said('item_delta')
        .map((delta) => delta.text)
        .join(''),
    ).toBe(text);
    expect(chat.items('agent_message')[0]?.text).toBe(text);
  });

  it(`may fail with ${MEGABYTES} MB, which is reported in one sentence`, async () => {
    await using chat = await startScenario({
      wire,
      maxAttempts: 1,
      model: [[fails(500, 'x'.repeat(MEGABYTES * 1_000_000))], [says('Back.')]],
    });
    await chat.send('go');
    expect(chat.said('error')[0]?.detail?.length).toBeLessThan(2100);
    await expectUsable(chat);
  }, 60_000);
});

/** A key and a self-signed certificate, made for these tests only. */
function selfSigned(): { key: string; cert: string } {
  const pem = readFileSync(path.join(import.meta.dirname, '../fixtures/tls/selfSigned.pem'), 'utf8');
  return { key: pem, cert: pem };
}
