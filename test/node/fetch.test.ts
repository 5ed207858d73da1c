import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, test } from 'vitest';
import { createNodeFetch } from '../../src/node/network/fetch.ts';
import { webFetch } from '../../src/node/mcp/webFetch.ts';

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly connections: () => number;
}

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => unknown;

async function serve(handler: Handler): Promise<Server> {
  const server = http.createServer((request, response) => void handler(request, response));
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyText(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A server that sends these bytes to every client. */
async function answering(bytes: string | Buffer): Promise<Server> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    connections: () => 0,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a malformed but valid HTTP response', () => {
  test.each([
    ['a status that nobody defined', 'HTTP/1.1 600 X\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
  ])('%s is an error like any other', async (_, bytes) => {
    await using server = await answering(bytes);
    await assert.rejects(webFetch(createNodeFetch())(server.url), { code: 'ERR_UNUSABLE_ANSWER' });
  });

  test('may have any reason phrase', async () => {
    await using server = await answering('HTTP/1.1 200 \u0001\u007f\r\nContent-Length: 2\r\n\r\nhi');
    assert.equal(await (await webFetch(createNodeFetch())(server.url)).text(), 'hi');
  });
});

describe('a compressed response', () => {
  const text = 'data: ü\n\n'.repeat(5000);
  test.each([
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
    ['constructor', Buffer.from(text)],
  ])('%s is read as it was', async (encoding, bytes) => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      response.write(bytes.subarray(0, 20));
      setTimeout(() => response.end(bytes.subarray(20)), 5);
    });
    assert.equal(await (await webFetch(createNodeFetch())(server.url)).text(), text);
  });

  test('that ends too early is reported like any other', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(text).subarray(0, -20));
    });
    await assert.rejects(async () => (await webFetch(createNodeFetch())(server.url)).text(), /unexpected end of file/);
  });

  test('can be left in the middle', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.write(gzipSync(text));
    });
    const response = await webFetch(createNodeFetch())(server.url);
    const reader = response.body?.getReader();
    assert.equal((await reader?.read())?.done, false);
    await reader?.cancel();
  });
});

describe('a request', () => {
  test('arrives with method, headers and body, and is answered with status, headers and body', async () => {
    await using server = await serve(async (request, response) => {
      const { authorization, 'accept-encoding': encoding } = request.headers;
      response.writeHead(201, { 'x-two': ['a', 'b'] });
      response.end(JSON.stringify([request.method, request.url, authorization, encoding, await bodyText(request)]));
    });
    const response = await webFetch(createNodeFetch())(`${server.url}/x?y=1`, {
      method: 'POST',
      headers: { Authorization: 'Bearer k' },
      body: '{"ü":1}',
    });
    assert.deepEqual([response.status, response.headers.get('x-two')], [201, 'a, b']);
    assert.deepEqual(await response.json(), ['POST', '/v1/x?y=1', 'Bearer k', null, '{"ü":1}']);
  });

  test('may be a Request, and its body any body', async () => {
    await using server = await serve(async (request, response) => {
      response.end(`${request.headers['content-type']} ${await bodyText(request)}`);
    });
    const fetch = webFetch(createNodeFetch());
    const asked = await fetch(new Request(server.url, { method: 'PUT', body: 'text' }));
    assert.equal(await asked.text(), 'text/plain;charset=UTF-8 text');
    const form = await fetch(server.url, { method: 'POST', body: new URLSearchParams({ a: '1' }) });
    assert.equal(await form.text(), 'application/x-www-form-urlencoded;charset=UTF-8 a=1');
  });

  test('reuses the connection of the one before', async () => {
    await using server = await serve((_request, response) => response.end('ok'));
    const fetch = webFetch(createNodeFetch());
    for (let turn = 0; turn < 5; turn++) {
      await (await fetch(server.url)).text();
      await sleep(1);
    }
    assert.equal(server.connections(), 1);
  });

  test('is sent once, also when the kept connection was closed; the next uses a new one', async () => {
    let requests = 0;
    await using server = await serve((request, response) => {
      if (++requests >= 4) request.socket.destroy();
      else setTimeout(() => response.end(String(requests)), 5);
    });
    const fetch = webFetch(createNodeFetch());
    const say = async () => (await fetch(server.url)).text();
    await Promise.all([say(), say(), say()]);
    await sleep(5);
    assert.equal(server.connections(), 3);
    await assert.rejects(say(), { code: 'ECONNRESET' });
    assert.deepEqual([requests, server.connections()], [4, 3]);
    await assert.rejects(say(), { code: 'ECONNRESET' });
    assert.deepEqual([requests, server.connections()], [5, 4]);
  });

  test('does not follow a redirect', async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(307, { location: 'http://elsewhere.invalid/' }).end();
    });
    assert.equal((await webFetch(createNodeFetch())(server.url)).status, 307);
  });

  test('that cannot be sent reports the reason', async () => {
    await assert.rejects(webFetch(createNodeFetch())('http://127.0.0.1:1/'), { code: 'ECONNREFUSED' });
    await using server = await serve((request) => request.socket.destroy());
    await assert.rejects(webFetch(createNodeFetch())(server.url), { code: 'ECONNRESET' });
  });
});

describe('a stream', () => {
  test('arrives in the same chunks', async () => {
    await using server = await serve(async (_request, response) => {
      response.write('one');
      await sleep(50);
      response.end('two');
    });
    const response = await webFetch(createNodeFetch())(server.url);
    const chunks: string[] = [];
    for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk).toString());
    assert.deepEqual(chunks, ['one', 'two']);
  });

  test('may be silent for longer than any timer of the connection', async () => {
    const { options } = http.globalAgent as http.Agent & { readonly options: http.AgentOptions };
    const { timeout } = options;
    options.timeout = 30;
    try {
      await using server = await serve(async (_request, response) => {
        await sleep(120);
        response.write('one');
        await sleep(120);
        response.end('two');
      });
      assert.equal(await (await webFetch(createNodeFetch())(server.url)).text(), 'onetwo');
    } finally {
      if (timeout !== undefined) options.timeout = timeout;
    }
  });

  test('that is cut short is an error, not an end', async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('one');
      setTimeout(() => response.destroy(), 20);
    });
    const response = await webFetch(createNodeFetch())(server.url);
    await assert.rejects(response.text(), { code: 'ECONNRESET' });
  });

  test('is aborted before the response, and in the middle of it', async () => {
    await using server = await serve((request, response) => {
      if (request.url === '/v1/stream') response.write('one');
    });
    const fetch = webFetch(createNodeFetch());
    const reason = new Error('enough');
    const early = new AbortController();
    setTimeout(() => early.abort(reason), 20);
    await assert.rejects(fetch(server.url, { signal: early.signal }), reason);
    await assert.rejects(fetch(server.url, { signal: early.signal }), reason);

    const late = new AbortController();
    const response = await fetch(`${server.url}/stream`, { signal: late.signal });
    setTimeout(() => late.abort(reason), 20);
    await assert.rejects(response.text(), reason);
  });

  test('waits for a slow reader, and ends when the reader leaves', async () => {
    let sent = 0;
    const hungUp = new AbortController();
    await using server = await serve((_request, response) => {
      const more = () => {
        while (!hungUp.signal.aborted && sent < 500_000_000 && response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', more).on('close', () => hungUp.abort());
      more();
    });
    const response = await webFetch(createNodeFetch())(server.url);
    const reader = response.body?.getReader();
    await reader?.read();
    await sleep(100);
    assert.ok(sent < 50_000_000, `${sent} bytes were sent to nobody`);
    await reader?.cancel();
    if (!hungUp.signal.aborted) await once(hungUp.signal, 'abort');
  });
});
