/** A server with a certificate of its own, reached directly and through a proxy. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventSchema } from '../../src/protocol/event.ts';
import { addressOf } from '../support/addressOf.ts';
import { ModelServer, says } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { startTlsFront, startTunnelProxy } from '../support/tlsFront.ts';

/** A key with its self-signed certificate for `localhost` and `model.invalid`, made for tests only. */
const SELF_SIGNED = path.join(import.meta.dirname, '../fixtures/tls/selfSigned.pem');
const TRUSTING = { NODE_EXTRA_CA_CERTS: SELF_SIGNED };

interface Way {
  readonly env?: Readonly<Record<string, string>>;
  /** By default the server is addressed by this name and its port. */
  readonly host?: string;
  /** The server is behind a proxy that alone can resolve its name. */
  readonly proxied?: boolean;
}

/** `tiller exec` against a server with the self-signed certificate. */
async function exec({ env = {}, host = 'localhost', proxied = false }: Way) {
  using home = tempFolder();
  await using model = await ModelServer.start([[says('Over TLS.')]]);
  await using front = await startTlsFront(model.baseUrl, readFileSync(SELF_SIGNED, 'utf8'));
  await using proxy = await startTunnelProxy(front.port);
  const address = proxied ? 'https://model.invalid/v1' : `https://${host}:${front.port}/v1`;
  const args = ['exec', '--json', '--model', 'm', '--base-url', address, '-c', 'retry.maxAttempts=1', 'hi'];
  const route: Record<string, string> = proxied ? { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } : {};
  const run = await runCli(args, { home: home.path, env: { TILLER_API_KEY: 'sk-test', ...route, ...env } });
  const events = run.stdout
    .trimEnd()
    .split('\n')
    .map((line) => eventSchema.parse(JSON.parse(line)).msg);
  return {
    asked: proxy.asked,
    code: run.code,
    errors: events.flatMap((msg) => (msg.type === 'error' ? [msg] : [])),
    answer: events.findLast((msg) => msg.type === 'turn_completed')?.lastMessage,
    keys: model.requests.map(({ headers }) => headers.authorization),
  };
}

describe('a self-signed certificate', () => {
  it('ends the turn with an error that names the cure, and no key is sent', async () => {
    const { errors, keys, code } = await exec({});
    expect(errors).toMatchObject([
      {
        kind: 'tls',
        action: 'check_network',
        message: expect.stringMatching(/not trusted on this machine.*NODE_EXTRA_CA_CERTS.*http\.systemCertificates/),
        detail: expect.stringMatching(/self.signed certificate/),
      },
    ]);
    expect(keys).toEqual([]);
    expect(code).not.toBe(0);
  });

  it('is trusted when NODE_EXTRA_CA_CERTS names it', async () => {
    const { errors, answer, keys } = await exec({ env: TRUSTING });
    expect(errors).toEqual([]);
    expect(answer).toBe('Over TLS.');
    expect(keys).toEqual(['Bearer sk-test']);
  });

  it('for another name is an error about the address', async () => {
    const { errors, keys } = await exec({ env: TRUSTING, host: '127.0.0.1' });
    expect(errors).toMatchObject([
      { kind: 'tls', action: 'check_settings', message: expect.stringContaining('another name') },
    ]);
    expect(keys).toEqual([]);
  });

  it('is checked through a proxy, which sees neither key nor text', async () => {
    const refused = await exec({ proxied: true });
    expect(refused.errors).toMatchObject([{ kind: 'tls', action: 'check_network' }]);
    const trusted = await exec({ proxied: true, env: TRUSTING });
    expect(trusted.answer).toBe('Over TLS.');
    expect(trusted.keys).toEqual(['Bearer sk-test']);
    expect([refused.asked, trusted.asked]).toEqual([['model.invalid:443'], ['model.invalid:443']]);
  });

  it('is not asked for through a proxy where NO_PROXY has the name', async () => {
    const { errors, asked } = await exec({ proxied: true, env: { ...TRUSTING, NO_PROXY: 'model.invalid' } });
    expect(errors).toMatchObject([{ kind: 'network' }]);
    expect(asked).toEqual([]);
  });
});

it('a thread whose certificate was refused goes on once it is trusted', async () => {
  await using model = await ModelServer.start([[says('Hello.')]]);
  await using front = await startTlsFront(model.baseUrl, readFileSync(SELF_SIGNED, 'utf8'));
  let address = `https://localhost:${front.port}/v1`;
  await using chat = await startScenario({
    provider: { baseUrl: address },
    model: [],
    deps: ({ fetch }) => ({
      fetch: (input, init) => fetch(addressOf(input).replace(`https://localhost:${front.port}/v1`, address), init),
    }),
  });
  await chat.send('go');
  expect(chat.said('error')).toMatchObject([{ kind: 'tls' }]);
  address = model.baseUrl;
  expect(await chat.send('again')).toMatchObject({ type: 'turn_completed', lastMessage: 'Hello.' });
});
