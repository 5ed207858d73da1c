/** The proxy of commands in the sandbox: real connections, and names that only the injected look-up knows. */
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { HostProxy, type HostProxyOptions } from '../../../src/node/network/hostProxy.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A server that answers with the head that it got. */
async function origin(): Promise<number> {
  return listen(
    http.createServer((request, response) => {
      const { method, url, headers } = request;
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      void text(request).then((body) => response.end(JSON.stringify({ method, url, headers, body })));
    }),
  );
}

interface Made {
  readonly proxy: HostProxy;
  readonly port: number;
  /** Sends these bytes and resolves to all that is answered until the connection ends. */
  ask(bytes: string): Promise<string>;
}

/** `names`: the addresses of each name; others are unknown. */
async function startProxy(
  allowed: readonly string[],
  names: Readonly<Record<string, readonly string[]>> = {},
  options: HostProxyOptions = {},
): Promise<Made> {
  const resolve: HostProxyOptions['resolve'] = async (name) => {
    const found = names[name];
    if (found === undefined) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    return found.map((address) => ({ address, family: net.isIP(address) }));
  };
  const proxy = new HostProxy({ allowed, denied: [], once: [] }, { resolve, ...options });
  closers.push(() => proxy.close());
  const port = await listen(net.createServer({ allowHalfOpen: true }, (socket) => proxy.take(socket)));
  return {
    proxy,
    port,
    ask: async (bytes) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.write(bytes);
      return text(socket);
    },
  };
}

/** A server that answers after a moment, and keeps the bytes that it got. */
async function recorder() {
  const got: string[] = [];
  const port = await listen(
    net.createServer((socket) => {
      const at = got.push('') - 1;
      socket.setEncoding('latin1').on('data', (bytes: string) => (got[at] += bytes));
      setTimeout(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'), 50);
    }),
  );
  return { port, got };
}

const nothing = { refused: [], misleading: [] };

test('a request for an allowed host is passed on, with the host of its address and without what is for the proxy', async () => {
  const port = await origin();
  const { ask, proxy } = await startProxy([`a.test:${port}`, '127.0.0.1:' + port], { 'a.test': ['127.0.0.1'] });
  const answer = await ask(
    [
      `POST http://A.test:${port}/x?y=1 HTTP/1.1`,
      'Host: other.test',
      'Proxy-Authorization: Basic eA==',
      'X-Mine: 1',
      'Connection: close, x-hop',
      'X-Hop: 1',
      'Content-Length: 4',
      '',
      'body',
    ].join('\r\n'),
  );
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head.match(/set-cookie: [ab]=\d/gi)).toHaveLength(2);
  expect(JSON.parse(body.replaceAll(/^[\da-f]+\r\n|\r\n0?$/g, ''))).toEqual({
    method: 'POST',
    url: '/x?y=1',
    headers: { host: `a.test:${port}`, 'x-mine': '1', 'content-length': '4', connection: 'close' },
    body: 'body',
  });
  expect(proxy.report).toEqual(nothing);
});

test('a tunnel to an allowed host carries both directions', async () => {
  const echo = await listen(net.createServer((socket) => void socket.pipe(socket)));
  const { port, proxy } = await startProxy([`a.test:${echo}`, `127.0.0.1:${echo}`], { 'a.test': ['127.0.0.1'] });
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(`CONNECT a.test:${echo} HTTP/1.1\r\nHost: whatever.test\r\n\r\nearly `);
  socket.end('late');
  expect(await text(socket)).toBe('HTTP/1.1 200 Connection Established\r\n\r\nearly late');
  expect(proxy.report).toEqual(nothing);
});

test.each([
  ['a host that is not listed', 'CONNECT b.test:443', '403', ['b.test:443']],
  ['a port that is not listed', 'CONNECT a.test:22', '403', ['a.test:22']],
  ['an address', 'CONNECT 93.184.215.14:443', '403', ['93.184.215.14:443']],
  ['an address in another form', 'CONNECT 2130706433:80', '403', ['127.0.0.1:80']],
  ['an IPv6 address', 'CONNECT [2606:2800::1]:443', '403', ['[2606:2800::1]:443']],
  [
    'an address by IPv6 that means one of this machine',
    'CONNECT [::ffff:127.0.0.1]:443',
    '403',
    ['[::ffff:7f00:1]:443'],
  ],
  ['an IPv6 address with a zone', 'CONNECT [fe80::1%25eth0]:443', '400', []],
  ['an IPv6 address without brackets', 'CONNECT ::1:443', '400', []],
  ['another host in capital letters, with a dot at its end', 'CONNECT B.TEST.:443', '403', ['b.test:443']],
  ['two dots at the end', 'CONNECT a.test..:443', '400', []],
  ['a name in escapes', 'CONNECT %62.test:443', '403', ['b.test:443']],
  ['a name that begins with an allowed one', 'CONNECT a.test.b.test:443', '403', ['a.test.b.test:443']],
  ['a name that ends in an allowed one', 'CONNECT ba.test:443', '403', ['ba.test:443']],
  ['a port of another form', 'CONNECT a.test:0x1bb', '400', []],
  ['a port beyond the last', 'CONNECT a.test:65979', '400', []],
  ['two ports', 'CONNECT a.test:443:443', '400', []],
  ['a user in front of a host', 'CONNECT a.test:443@b.test:443', '400', []],
  ['a NUL in a name', 'CONNECT a.test%00.b.test:443', '400', []],
  ['a plain request for another host', 'GET http://b.test/', '403', ['b.test:80']],
  ['a user in front of another host', 'GET http://a.test@b.test/', '403', ['b.test:80']],
  ['no port', 'CONNECT a.test', '400', []],
  ['a path in place of a host', 'CONNECT a.test:443/x', '400', []],
  ['another scheme', 'GET https://a.test/', '400', []],
  ['a request to the proxy itself', 'GET /', '400', []],
  ['a file', 'GET file:///etc/passwd', '400', []],
])('%s is refused', async (_title, first, status, refused) => {
  const { ask, proxy } = await startProxy(['a.test'], { 'a.test': ['93.184.215.14'] });
  expect(await ask(`${first} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`)).toMatch(
    new RegExp(`^HTTP/1\\.1 ${status} `),
  );
  expect(proxy.report).toEqual({ refused, misleading: [] });
});

test.each(['A.Test:443', 'a.test.:443', '%61.test:443', 'a.test:0443'])(
  'CONNECT %s names the allowed host',
  async (asked) => {
    const tried: string[] = [];
    const resolve = async (name: string) => {
      tried.push(name);
      throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    };
    const { ask } = await startProxy(['a.test'], {}, { resolve });
    expect(await ask(`CONNECT ${asked} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 502 /);
    expect(tried).toEqual(['a.test']);
  },
);

test.each([
  ['this machine', ['127.0.0.1'], '127.0.0.1'],
  ['this machine by IPv6', ['::1'], '[::1]'],
  ['a mapped address', ['::ffff:127.0.0.1'], '[::ffff:7f00:1]'],
  ['the metadata of a cloud', ['169.254.169.254'], '169.254.169.254'],
  ['a public address and a private one', ['93.184.215.14', '10.0.0.1'], '10.0.0.1'],
])('an allowed name that leads to %s is refused', async (_title, addresses, named) => {
  const { ask, proxy } = await startProxy(['a.test'], { 'a.test': addresses });
  expect(await ask('CONNECT a.test:80 HTTP/1.1\r\nHost: a.test\r\n\r\n')).toContain('private network');
  expect(proxy.report).toEqual({ refused: [], misleading: [`a.test:80 (${named})`] });
});

test('a name is looked up once, and the address that was checked is connected to', async () => {
  const port = await origin();
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  const resolve = async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 }));
  const { ask } = await startProxy([`a.test:${port}`, `127.0.0.1:${port}`], {}, { resolve });
  expect(await ask(`GET http://a.test:${port}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).toContain('200 OK');
  expect(answers).toHaveLength(1);
});

test('a host that cannot be reached is an answer, not a wait', async () => {
  const closed = await listen(net.createServer());
  closers.pop()?.();
  const { ask } = await startProxy(['a.test', `127.0.0.1:${closed}`]);
  expect(await ask('CONNECT a.test:443 HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 502 a\.test:443 could not be reached \(ENOTFOUND\)\./,
  );
  expect(await ask(`GET http://127.0.0.1:${closed}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).toContain(
    'ECONNREFUSED',
  );
});

test('a head that is too long, and bytes that are no request, end the connection', async () => {
  const { ask, proxy } = await startProxy(['a.test']);
  expect(await ask(`GET http://a.test/ HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toBe('');
  expect(await ask('\x16\x03\x01 hello\r\n\r\n')).toBe('');
  expect(proxy.report).toEqual(nothing);
});

const SECOND = 'GET /second HTTP/1.1\r\nHost: other.test\r\n\r\n';

test.each([
  [
    'chunks',
    'Transfer-Encoding: chunked',
    `${SECOND.length.toString(16)}\r\n${SECOND}\r\n0\r\n\r\n`,
    'transfer-encoding: chunked',
  ],
  [
    'a length that is for the proxy alone',
    `Connection: content-length\r\nContent-Length: ${SECOND.length}`,
    SECOND,
    `content-length: ${SECOND.length}`,
  ],
])('a body of %s stays the body of its request', async (_title, header, body, framing) => {
  const { port, got } = await recorder();
  const { ask } = await startProxy([`127.0.0.1:${port}`]);
  const asked = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n${body}`;
  const refused = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  expect(await ask(`${asked}${refused}`)).toMatch(/^HTTP\/1\.1 200 OK[^]*HTTP\/1\.1 400 /);
  expect(got).toEqual([`GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${framing}\r\nConnection: close\r\n\r\n${body}`]);
});

test.each([
  ['two lengths', 'Content-Length: 1\r\nContent-Length: 2'],
  ['a length and chunks', 'Content-Length: 1\r\nTransfer-Encoding: chunked'],
  ['another coding', 'Transfer-Encoding: gzip, chunked'],
  ['a space before the colon', 'Transfer-Encoding : chunked'],
  ['a header in two lines', 'X: a\r\n Transfer-Encoding: chunked'],
])('a request with %s reaches no server', async (_title, header) => {
  const { port, got } = await recorder();
  const { ask } = await startProxy([`127.0.0.1:${port}`]);
  const asked = `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n0\r\n\r\n${SECOND}`;
  expect(await ask(asked)).toMatch(/^$|^HTTP\/1\.1 501 /);
  expect(got).toEqual([]);
});

test('requests of one connection are decided one by one, and sent one after the other', async () => {
  const { port, got } = await recorder();
  const { ask, proxy } = await startProxy([`127.0.0.1:${port}`]);
  const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const here = `http://127.0.0.1:${port}`;
  const answer = await ask(`${get(`${here}/1`)}${get(`${here}/2`)}${get('http://b.test/')}${get(`${here}/3`)}`);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 403']);
  expect(got.map((head) => head.split(' ')[1])).toEqual(['/1', '/2']);
  expect(proxy.report).toEqual({ refused: ['b.test:80'], misleading: [] });

  const many = net.connect((await startProxy([`127.0.0.1:${port}`])).port, '127.0.0.1');
  many.write(get(`${here}/many`).repeat(1_000));
  expect(await text(many).catch(() => '')).toBe('');
  const withTunnel = await ask(`${get(`${here}/4`)}CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n${get('/tunnel')}`);
  expect(withTunnel).toBe('');
  expect(got.join('')).not.toMatch(/tunnel|many[^]*many/);
});

test('more connections than the limit are closed at once, and serve again when others have ended', async () => {
  const { port, ask } = await startProxy([]);
  const held = Array.from({ length: 256 }, () => net.connect(port, '127.0.0.1'));
  await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  const refused = 'CONNECT b.test:443 HTTP/1.1\r\n\r\n';
  expect(await ask(refused).catch(() => '')).toBe('');
  for (const socket of held) socket.destroy();
  await expect.poll(() => ask(refused).catch(() => '')).toContain('403');
});

test('a connection on which nothing is sent is closed, before and between requests and in a tunnel', async () => {
  const silent = await listen(net.createServer(() => {}));
  const { ask } = await startProxy([`127.0.0.1:${silent}`], {}, { idleMs: 100 });
  const begun = 'GET http://127.0.0.1';
  const asked = `GET http://127.0.0.1:${silent}/ HTTP/1.1\r\nHost: a\r\n\r\n`;
  const tunnel = `CONNECT 127.0.0.1:${silent} HTTP/1.1\r\n\r\n`;
  const ended = await Promise.all(['', begun, asked, tunnel].map((bytes) => ask(bytes)));
  expect(ended).toEqual(['', '', expect.stringMatching(/^$|502/), 'HTTP/1.1 200 Connection Established\r\n\r\n']);

  // A kept connection: a whole request, and then a part of another.
  const answering = await origin();
  const kept = await startProxy([`127.0.0.1:${answering}`], {}, { idleMs: 100 });
  const whole = `GET http://127.0.0.1:${answering}/ HTTP/1.1\r\nHost: a\r\n\r\n`;
  const socket = net.connect(kept.port, '127.0.0.1');
  socket.write(whole);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write(begun);
  await new Promise((resolve) => socket.resume().once('close', resolve));
});

test('the end of the proxy ends requests that it forwards, and those that wait for an address', async () => {
  const heads: string[] = [];
  const sockets: Socket[] = [];
  const silent = await listen(
    net.createServer((socket) => {
      sockets.push(socket);
      socket.setEncoding('latin1').on('data', (head: string) => heads.push(head.split(' ')[1] ?? ''));
    }),
  );
  let found = (_addresses: { address: string; family: number }[]) => {};
  const resolve = () => new Promise<{ address: string; family: number }[]>((done) => (found = done));
  const { proxy, ask } = await startProxy([`127.0.0.1:${silent}`, `late.test:${silent}`], {}, { resolve });
  const get = (host: string) => `GET http://${host}:${silent}/${host} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const both = Promise.all([ask(get('127.0.0.1').repeat(2)), ask(get('late.test'))]);
  await expect.poll(() => heads).toEqual(['/127.0.0.1']);
  const ended = new Promise((done) => sockets[0]?.once('close', done));
  proxy.close();
  await Promise.all([ended, both]);
  found([{ address: '127.0.0.1', family: 4 }]);
  await new Promise((done) => setTimeout(done, 50));
  expect(heads).toEqual(['/127.0.0.1']);
});

test('after the end no connection is served, and an open tunnel ends', async () => {
  const echo = await listen(net.createServer((socket) => void socket.pipe(socket)));
  const { port, proxy, ask } = await startProxy([`127.0.0.1:${echo}`]);
  const socket = net.connect(port, '127.0.0.1');
  socket.write(`CONNECT 127.0.0.1:${echo} HTTP/1.1\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  const ended = new Promise((resolve) => socket.once('close', resolve));
  proxy.close();
  await ended;
  expect(await ask('CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n').catch(() => '')).toBe('');
});

test('where the machine has a proxy, tunnels and requests go through it, and a name may be known to it alone', async () => {
  const heads: string[] = [];
  const upstream = http.createServer((request, response) => {
    heads.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
    response.end('through');
  });
  upstream.on('connect', (request, socket) => {
    heads.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
    socket.end('HTTP/1.1 200 OK\r\n\r\nthrough');
  });
  const port = await listen(upstream);
  const proxyFor = () => new URL(`http://me:pass@127.0.0.1:${port}`);
  const { ask } = await startProxy(['a.test', 'b.test'], { 'b.test': ['10.0.0.1'] }, { proxyFor });
  expect(await ask('CONNECT a.test:443 HTTP/1.1\r\nHost: a\r\n\r\n')).toContain('through');
  expect(await ask('GET http://user:word@a.test/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toContain(
    'through',
  );
  expect(await ask('CONNECT b.test:443 HTTP/1.1\r\nHost: a\r\n\r\n')).toContain('private network');
  const credentials = 'Basic bWU6cGFzcw==';
  expect(heads).toEqual([`CONNECT a.test:443 ${credentials}`, `GET http://a.test/x ${credentials}`]);
});

/** A server that answers only what the test writes to its connection. */
async function silentServer() {
  let connected: (socket: Socket) => void = () => {};
  const connection = new Promise<Socket>((resolve) => {
    connected = resolve;
  });
  const port = await listen(
    net.createServer((socket) => {
      socket.on('error', () => {});
      connected(socket.resume());
    }),
  );
  return { port, connection };
}

function happens(socket: Socket, event: 'close' | 'data' | 'connect'): Promise<unknown> {
  return new Promise((resolve) => void socket.once(event, resolve));
}

test.each(['client', 'server'] as const)('a tunnel ends when the connection of the %s breaks', async (broken) => {
  const origin = await silentServer();
  const { port } = await startProxy([`127.0.0.1:${origin.port}`]);
  const client = net.connect(port, '127.0.0.1').on('error', () => {});
  client.write(`CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\n\r\n`);
  await happens(client, 'data');
  const sides = { client, server: await origin.connection };
  const ended = happens(broken === 'client' ? sides.server : sides.client, 'close');
  sides[broken].resetAndDestroy();
  await ended;
});

test('a connection that is being made for a client ends with the client', async () => {
  const upstream = await silentServer();
  const proxyFor = () => new URL(`http://127.0.0.1:${upstream.port}`);
  const { port } = await startProxy(['a.test'], {}, { proxyFor });
  const client = net.connect(port, '127.0.0.1');
  client.write('CONNECT a.test:443 HTTP/1.1\r\n\r\n');
  const ended = happens(await upstream.connection, 'close');
  client.resetAndDestroy();
  await ended;
});

test('for a client that leaves while its name is looked up, nothing is connected to', async () => {
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let connections = 0;
  const server = net.createServer((socket) => void socket.end('hello'));
  server.on('connection', () => connections++);
  const origin = await listen(server);
  const resolve = async () => {
    isAsked();
    await answered;
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const { port, ask } = await startProxy([`a.test:${origin}`, `127.0.0.1:${origin}`], {}, { resolve });
  const client = net.connect(port, '127.0.0.1');
  client.write(`CONNECT a.test:${origin} HTTP/1.1\r\n\r\n`);
  await asked;
  client.resetAndDestroy();
  // The proxy has noticed it when it has answered a later client.
  await ask('CONNECT b.test:443 HTTP/1.1\r\n\r\n');
  answer();
  expect(await ask(`CONNECT 127.0.0.1:${origin} HTTP/1.1\r\n\r\n`)).toContain('hello');
  expect(connections).toBe(1);
});

test('a request ends with its client, and an answer that is cut off is cut off for the client', async () => {
  const origin = await silentServer();
  const { port } = await startProxy([`127.0.0.1:${origin.port}`]);
  const head = `GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nHost: a\r\n\r\n`;
  const left = net.connect(port, '127.0.0.1');
  left.write(head);
  const ended = happens(await origin.connection, 'close');
  left.resetAndDestroy();
  await ended;

  const broken = await silentServer();
  const { port: other } = await startProxy([`127.0.0.1:${broken.port}`]);
  const client = net.connect(other, '127.0.0.1');
  let answer = '';
  client.on('data', (bytes) => (answer += String(bytes)));
  client.write(`GET http://127.0.0.1:${broken.port}/ HTTP/1.1\r\nHost: a\r\n\r\n`);
  const server = await broken.connection;
  await happens(server, 'data');
  server.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
  await happens(client, 'data');
  server.resetAndDestroy();
  await happens(client, 'close');
  expect(answer).toMatch(/abc$/);
});

test('a server that changes to another protocol is refused, and its connection ends', async () => {
  const origin = await silentServer();
  const { ask } = await startProxy([`127.0.0.1:${origin.port}`]);
  const answer = ask(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const server = await origin.connection;
  server.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
  await happens(server, 'close');
  expect(await answer).toContain('it answered with another protocol');
});

test('headers that are for the proxy alone are not passed on in an answer, and names of headers ignore case', async () => {
  const origin = await silentServer();
  const { ask } = await startProxy([`127.0.0.1:${origin.port}`]);
  const answer = ask(
    `GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nHost: a\r\nConnection: Close, X-Hop\r\nX-Hop: 1\r\n\r\n`,
  );
  const server = await origin.connection;
  const asked = String(await happens(server, 'data'));
  server.end('HTTP/1.1 200 OK\r\nProxy-Authenticate: Basic\r\nX-Mine: 1\r\nContent-Length: 0\r\n\r\n');
  expect(asked).not.toMatch(/x-hop/i);
  expect(await answer).toMatch(/x-mine: 1/i);
  expect(await answer).not.toMatch(/proxy-authenticate/i);
});

test('a report names 50 hosts at most', async () => {
  const { ask, proxy } = await startProxy([`*.test`]);
  for (let index = 0; index < 51; index++) await ask(`CONNECT host${index}.example:443 HTTP/1.1\r\n\r\n`);
  expect(proxy.report.refused).toHaveLength(50);
});

test('a client with too many connections gets no more of them until one has ended', async () => {
  const { port, ask } = await startProxy(['a.test']);
  const sockets = Array.from({ length: 256 }, () => net.connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(sockets.map((socket) => happens(socket, 'connect')));
  const refused = () => ask('CONNECT b.test:443 HTTP/1.1\r\n\r\n').catch(() => '');
  expect(await refused()).toBe('');
  sockets.pop()?.destroy();
  await expect.poll(refused).toContain('403');
  for (const socket of sockets) socket.destroy();
});
