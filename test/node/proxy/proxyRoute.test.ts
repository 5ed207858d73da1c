/** Requests through a proxy on this machine, to a host name that only the proxy can resolve. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { networkFault } from '../../../src/core/model/networkFaults.ts';
import { createNodeFetch } from '../../../src/node/network/fetch.ts';
import { webFetch } from '../../../src/node/mcp/webFetch.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(server: http.Server | https.Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const pem = readFileSync(new URL('../../fixtures/tls/selfSigned.pem', import.meta.url), 'utf8');

/** A model behind the proxy, on https. */
async function secureModel() {
  const seen: http.IncomingHttpHeaders[] = [];
  const server = https.createServer({ key: pem, cert: pem }, (request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => response.end('by tunnel'));
  });
  return { port: await listen(server), seen };
}

/** `target` is the end of every tunnel. */
async function startProxy(target: number, options: { readonly refuses?: number } = {}) {
  const asked: { readonly what: string; readonly headers: http.IncomingHttpHeaders }[] = [];
  const server = http.createServer((request, response) => {
    asked.push({ what: `${request.method} ${request.url}`, headers: request.headers });
    request.resume().on('end', () => response.writeHead(options.refuses ?? 200).end('by proxy'));
  });
  server.on('connect', (request, socket: net.Socket) => {
    asked.push({ what: `${request.method} ${request.url}`, headers: request.headers });
    if (options.refuses) return void socket.end(`HTTP/1.1 ${options.refuses} No\r\n\r\n`);
    const tunnel = net.connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(tunnel).pipe(socket);
    });
    closers.push(() => tunnel.destroy());
    tunnel.on('error', () => socket.destroy());
    socket.on('error', () => tunnel.destroy());
  });
  return { port: await listen(server), asked };
}

const through = (proxy: string) => webFetch(createNodeFetch({ proxyFor: () => new URL(proxy) }));
const post = { method: 'POST', body: '{}', headers: { authorization: 'Bearer key' } };

async function failure(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    () => assert.fail('it passed'),
    (error: unknown) => error,
  );
}

/** The certificate of the test is self-signed. */
async function trusting<Result>(act: () => Promise<Result>): Promise<Result> {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    return await act();
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  }
}

describe('a request through a proxy', () => {
  test('is passed to it whole on http', async () => {
    const proxy = await startProxy(0);
    const fetch = through(`http://me:p%40ss@127.0.0.1:${proxy.port}`);
    const answer = await fetch('http://model.invalid/v1/responses?x=1', post);
    expect(await answer.text()).toBe('by proxy');
    const [{ what, headers } = { what: '', headers: {} }] = proxy.asked;
    expect(what).toBe('POST http://model.invalid/v1/responses?x=1');
    expect([headers.host, headers.authorization]).toEqual(['model.invalid', 'Bearer key']);
    expect(headers['proxy-authorization']).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });

  test('takes a password with a percent sign that begins no escape as it is written', async () => {
    const proxy = await startProxy(0);
    const fetch = through(`http://me:50%off@127.0.0.1:${proxy.port}`);
    expect(await (await fetch('http://model.invalid/', post)).text()).toBe('by proxy');
    const credentials = Buffer.from('me:50%off').toString('base64');
    expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${credentials}`);
  });

  test('uses a tunnel on https that shows it neither key nor text, and that serves several requests', async () => {
    const model = await secureModel();
    const proxy = await startProxy(model.port);
    await trusting(async () => {
      const fetch = through(`http://me:secret@127.0.0.1:${proxy.port}`);
      for (let turn = 0; turn < 2; turn += 1) {
        const answer = await fetch('https://model.invalid/v1/responses', post);
        expect(await answer.text()).toBe('by tunnel');
      }
    });
    expect(proxy.asked.map(({ what }) => what)).toEqual(['CONNECT model.invalid:443']);
    expect(proxy.asked[0]?.headers).not.toHaveProperty('authorization');
    expect(proxy.asked[0]?.headers['proxy-authorization']).toMatch(/^Basic /);
    expect(model.seen.map((headers) => headers.authorization)).toEqual(['Bearer key', 'Bearer key']);
    expect(model.seen[0]).not.toHaveProperty('proxy-authorization');
  });

  test('checks the certificate of the server', async () => {
    const model = await secureModel();
    const proxy = await startProxy(model.port);
    const error = await failure(through(`http://127.0.0.1:${proxy.port}`)('https://model.invalid/v1', post));
    expect(networkFault(error, 'connecting')).toMatchObject({ kind: 'tls', retryable: false });
  });

  test('reports a proxy that requires a password', async () => {
    const proxy = await startProxy(0, { refuses: 407 });
    const fetch = through(`http://127.0.0.1:${proxy.port}`);
    expect((await fetch('http://model.invalid/v1', post)).status).toBe(407);
    const error = await failure(fetch('https://model.invalid/v1', post));
    expect(networkFault(error, 'connecting')).toMatchObject({
      kind: 'proxy',
      retryable: false,
      message: expect.stringContaining('password'),
    });
  });

  test.each(['http', 'https'])(
    'distinguishes an unreachable proxy from an unreachable server, on %s',
    async (protocol) => {
      const fetch = through('http://127.0.0.1:1');
      const error = await failure(fetch(`${protocol}://model.invalid/v1`, post));
      expect(networkFault(error, 'connecting')).toMatchObject({
        kind: 'proxy',
        retryable: true,
        message: 'The proxy cannot be reached.',
        detail: expect.stringMatching(/proxy 127\.0\.0\.1:1 cannot be reached: connect ECONNREFUSED/),
      });
    },
  );

  test('reports a proxy that cannot reach the server as a network fault', async () => {
    const proxy = await startProxy(0, { refuses: 502 });
    const error = await failure(through(`http://127.0.0.1:${proxy.port}`)('https://model.invalid/v1', post));
    expect(networkFault(error, 'connecting')).toMatchObject({
      kind: 'proxy',
      message: 'The proxy blocked the request.',
      retryable: true,
    });
  });

  test('can be aborted while the tunnel is opened', async () => {
    const silent = net.createServer(() => {});
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const sockets: net.Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const controller = new AbortController();
    const reason = new Error('enough');
    const { port } = silent.address() as AddressInfo;
    const asking = through(`http://127.0.0.1:${port}`)('https://model.invalid/v1', {
      ...post,
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(reason), 20);
    expect(await failure(asking)).toBe(reason);
  });
});
