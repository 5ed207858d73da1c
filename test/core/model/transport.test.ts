import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { fails, ModelServer, says, type ModelScript } from '../../support/modelServer.ts';
import { clientFor, collectResponse, textIn } from './harness.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server that redirects every request. */
async function redirectTo(target: (path: string) => string, status = 307) {
  const seen: http.IncomingHttpHeaders[] = [];
  const server = http.createServer((request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => response.writeHead(status, { location: target(request.url ?? '/') }).end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}

async function modelServer(script: ModelScript) {
  const server = await ModelServer.start(script);
  closers.push(() => server.close());
  return server;
}

test.each([301, 302, 307, 308])(
  'a redirect (%i) to another origin ends the request: nothing is sent there',
  async (status) => {
    const elsewhere = await modelServer([]);
    const { baseUrl, seen } = await redirectTo((path) => new URL(path, elsewhere.baseUrl).href, status);
    const { fault } = await collectResponse(clientFor({ baseUrl }));
    expect(fault).toMatchObject({ kind: 'config', retryable: false, action: 'check_settings' });
    expect(fault?.message).toContain('your key was not entered for');
    expect(seen).toHaveLength(1);
    expect(elsewhere.requests).toHaveLength(0);
  },
);

test('the same host on another port is another origin', async () => {
  const { baseUrl } = await redirectTo(() => 'http://127.0.0.1:1/v1/responses');
  expect((await collectResponse(clientFor({ baseUrl }))).fault).toMatchObject({ kind: 'config', retryable: false });
});

test('a redirect within the origin is followed with body and key', async () => {
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.pathname === '/v1/responses')
      return new Response(null, { status: 308, headers: { location: '/v2/responses' } });
    bodies.push(`${new Headers(init?.headers).get('authorization')} ${typeof init?.body}`);
    return new Response('data: {"type":"response.completed","response":{"id":"r"}}\n\n');
  };
  const { completed } = await collectResponse(clientFor({ baseUrl: 'https://models.example/v1' }, { fetch }));
  expect(completed).toBeDefined();
  expect(bodies).toEqual(['Bearer sk-test string']);
});

test('a redirect loop ends', async () => {
  const { baseUrl } = await redirectTo((path) => path);
  expect((await collectResponse(clientFor({ baseUrl }))).fault).toMatchObject({ kind: 'config', retryable: false });
});

test('the key is looked up by origin, for each request', async () => {
  const server = await modelServer([[says('a')], [says('b')]]);
  const asked: string[] = [];
  const keys = ['first', 'second'];
  const keyFor = async (origin: string) => {
    asked.push(origin);
    return keys.shift();
  };
  const client = clientFor({ baseUrl: server.baseUrl }, { secrets: { keyFor } });
  await collectResponse(client);
  await collectResponse(client);
  expect(asked).toEqual([new URL(server.baseUrl).origin, new URL(server.baseUrl).origin]);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
});

test('without a key no header is sent; a server that requires one reports it', async () => {
  process.env['OPENAI_API_KEY'] = 'sk-of-the-environment';
  try {
    const server = await modelServer([[says('a')], [fails(401, { message: 'Missing key' })]]);
    const client = clientFor({ baseUrl: server.baseUrl }, { secrets: { keyFor: async () => undefined } });
    expect(textIn((await collectResponse(client)).events)).toBe('a');
    expect(server.lastRequest.headers.authorization).toBeUndefined();
    const { fault } = await collectResponse(client);
    expect(fault).toMatchObject({ kind: 'no_key', action: 'set_api_key', detail: 'HTTP 401: Missing key' });
    expect(fault?.message).toContain('none was entered');
  } finally {
    delete process.env['OPENAI_API_KEY'];
  }
});

test('query parameters are sent, of the base URL and of the settings', async () => {
  const server = await modelServer([[says('a')]]);
  await collectResponse(
    clientFor({ baseUrl: `${server.baseUrl}?deployment=d`, queryParams: { 'api-version': '2026' } }),
  );
  const { searchParams, pathname } = new URL(server.lastRequest.url, 'http://localhost');
  expect(pathname).toBe('/v1/responses');
  expect(Object.fromEntries(searchParams)).toEqual({ deployment: 'd', 'api-version': '2026' });
});

test('an invalid base URL is a fault of the settings', async () => {
  const { fault } = await collectResponse(clientFor({ baseUrl: 'localhost' }));
  expect(fault).toMatchObject({ kind: 'config', retryable: false });
});
