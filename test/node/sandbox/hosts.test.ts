/** Commands in a real sandbox that may reach some hosts: real programs, and names that only the injected look-up knows. */
import { readdirSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOST_PROXY_PORT } from '../../../src/core/sandbox/proxyVariables.ts';
import { thisProcess } from '../../../src/node/host/processIdentity.ts';
import { hostsOfBubblewrap } from '../../../src/node/sandbox/hostBridge.ts';
import type { SandboxLife } from '../../../src/node/sandbox/sandboxLife.ts';
import { noSandbox, Playground, type SandboxedOptions } from '../../support/sandboxed.ts';
import { tempFolder } from '../../support/tempFolder.ts';

let server: http.Server;
let port: number;
/** Each path that it was asked for, behind the host. */
const paths: string[] = [];
beforeAll(async () => {
  server = http.createServer((request, response) => {
    paths.push(`${request.headers.host}${request.url}`);
    const [, target] = request.url?.split('/redirect?') ?? [];
    if (target !== undefined) response.writeHead(302, { location: target });
    response.end(`hello from ${request.headers.host}\n`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A server of the machine that counts its connections. */
async function countingServer() {
  let connections = 0;
  const counting = net.createServer((socket) => {
    connections++;
    socket.end('HTTP/1.1 200 OK\r\n\r\n');
  });
  await new Promise<void>((resolve) => void counting.listen(0, '::', resolve));
  return {
    port: (counting.address() as AddressInfo).port,
    connections: () => connections,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void counting.close(() => resolve())),
  };
}

/** One attempt of `TRY_ALL`: a connection, a look-up, a datagram, or these bytes to the proxy. */
interface Try {
  readonly to?: readonly [host: string, port: number];
  readonly lookup?: string;
  readonly datagram?: readonly [host: string, port: number];
  readonly raw?: string;
}

/** Runs in the sandbox: prints the result of each attempt, which is an error code, or the statuses that the proxy answers. */
const TRY_ALL = `
const net = require('node:net');
const connect = (to, ask) => new Promise((done) => {
  let got = '';
  const end = () => done((got.match(/HTTP\\/1\\.1 \\d+/g) ?? []).map((it) => it.slice(9)).join(' '));
  const socket = net.connect(to[1], to[0], () => (ask === undefined ? done('connected') : socket.write(ask)));
  socket.on('data', (it) => (got += it)).on('close', end).on('error', (it) => (ask === undefined ? done(it.code) : end()));
  setTimeout(() => socket.destroy(), 1000);
});
const datagram = ([host, port]) => new Promise((done) => {
  const socket = require('node:dgram').createSocket('udp4').on('message', () => done('an answer')).on('error', (it) => done(it.code));
  socket.connect(port, host, (it) => (it ? done(it.code) : socket.send('x', (error) => error && done(error.code))));
  setTimeout(() => { done('no answer'); socket.close(); }, 300);
});
const lookup = (name) => new Promise((done) => require('node:dns').lookup(name, (it) => done(it ? it.code : 'found')));
const one = (it) => it.to ? connect(it.to) : it.lookup ? lookup(it.lookup) : it.datagram ? datagram(it.datagram) : connect(['127.0.0.1', ${HOST_PROXY_PORT}], it.raw);
const tries = Object.entries(JSON.parse(require('node:fs').readFileSync(0, 'utf8')));
Promise.all(tries.map(async ([name, it]) => [name, await one(it)])).then((all) => console.log(JSON.stringify(Object.fromEntries(all))));
`;

/** All names lead to this machine, whose port of the server is allowed. */
function playground(allowed: readonly string[], options: SandboxedOptions = {}): Playground {
  return new Playground({
    hosts: { allowed: [...allowed, `127.0.0.1:${port}`], denied: [], once: [] },
    network: { resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
    ...options,
  });
}

describe.skipIf(noSandbox)('a command in the sandbox that may reach a host', () => {
  test('reaches it by curl, and no other one, which is reported', async () => {
    using place = playground([`good.test:${port}`]);
    const story = await place.bash(
      `curl -sS http://good.test:${port}/; curl -sS -o /dev/null -w '%{http_code}\\n' http://bad.test/; curl -sS https://bad.test/`,
    );
    expect(story).toEqual({
      code: 56,
      stdout: `hello from good.test:${port}\n403\n`,
      stderr: expect.stringContaining('403') as string,
      findings: [],
      hosts: { refused: ['bad.test:80', 'bad.test:443'], misleading: [] },
    });
  });

  test('gets to no other host, whichever way it tries', async () => {
    await using other = await countingServer();
    using place = playground([`good.test:${port}`]);
    const outside = networkInterfaces().eth0?.find(({ family }) => family === 'IPv4')?.address ?? '10.0.0.1';
    const request = (first: string, ...headers: string[]) => [first, ...headers, '', ''].join('\r\n');
    const get = (url: string, host: string) => request(`GET ${url} HTTP/1.1`, `Host: ${host}`);
    const connect = (target: string) => request(`CONNECT ${target} HTTP/1.1`, 'Host: good.test');
    const good = `http://good.test:${port}/`;
    const smuggled = get('/smuggled', 'bad.test');
    const tries: Record<string, Try> = {
      'a server of the machine': { to: ['127.0.0.1', other.port] },
      'a server of the machine by IPv6': { to: ['::1', other.port] },
      'the machine by its own address': { to: [outside, other.port] },
      'the metadata of a cloud': { to: ['169.254.169.254', 80] },
      'an address': { to: ['1.1.1.1', 443] },
      'a look-up of a name': { lookup: 'example.org' },
      'a question to a name server': { datagram: ['1.1.1.1', 53] },
      'a question to a name server of this machine': { datagram: ['127.0.0.53', 53] },
      'a tunnel to a name': { raw: connect('bad.test:443') },
      'a tunnel to this machine': { raw: connect(`127.0.0.1:${other.port}`) },
      'a tunnel to this machine by a number': { raw: connect(`2130706433:${other.port}`) },
      'a tunnel to this machine in hexadecimal': { raw: connect(`0x7f.1:${other.port}`) },
      'a tunnel to this machine by IPv6': { raw: connect(`[::ffff:127.0.0.1]:${other.port}`) },
      'a tunnel to this machine by its name': { raw: connect(`localhost:${other.port}`) },
      'a tunnel to the metadata of a cloud': { raw: connect('169.254.169.254:80') },
      'a tunnel to an allowed name at another port': { raw: connect(`good.test:${other.port}`) },
      'a tunnel with a dot and capital letters': { raw: connect('BAD.test.:443') },
      'a tunnel with a user': { raw: connect(`good.test:${port}@bad.test:443`) },
      'another host with an allowed Host': { raw: get('http://bad.test/', `good.test:${port}`) },
      'a request with a user': { raw: get(`http://good.test:${port}@bad.test/`, 'good.test') },
      'a path alone': { raw: get('/', 'bad.test') },
      'a second request': { raw: get(good, 'good.test') + get('http://bad.test/', 'good.test') },
      'a tunnel after a request': { raw: get(good, 'good.test') + connect('bad.test:443') },
      'a request in a body': {
        raw: `${request(`GET ${good} HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked')}${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
      },
      'two lengths': {
        raw: `${request(`POST ${good} HTTP/1.1`, 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
      },
      'a long line': { raw: get(`http://good.test:${port}/${'x'.repeat(100_000)}`, 'good.test') },
      'a line without an end': { raw: 'GET http://bad.test/'.padEnd(100_000, 'x') },
      'no line': { raw: '\0\r\n\r\n' },
      'another protocol': { raw: '\x05\x01\x00' },
    };
    paths.length = 0;
    const story = await place.run([process.execPath, '-e', TRY_ALL], { stdin: { text: JSON.stringify(tries) } });
    expect({ stderr: story.stderr, ...(JSON.parse(story.stdout) as object) }).toEqual({
      stderr: '',
      'a server of the machine': 'ECONNREFUSED',
      'a server of the machine by IPv6': 'ECONNREFUSED',
      'the machine by its own address': 'ENETUNREACH',
      'the metadata of a cloud': 'ENETUNREACH',
      'an address': 'ENETUNREACH',
      'a look-up of a name': expect.stringMatching(/^EAI_AGAIN|ENOTFOUND$/) as string,
      'a question to a name server': 'ENETUNREACH',
      'a question to a name server of this machine': expect.stringMatching(/^ECONNREFUSED|no answer$/) as string,
      'a tunnel to a name': '403',
      'a tunnel to this machine': '403',
      'a tunnel to this machine by a number': '403',
      'a tunnel to this machine in hexadecimal': '403',
      'a tunnel to this machine by IPv6': '403',
      'a tunnel to this machine by its name': '403',
      'a tunnel to the metadata of a cloud': '403',
      'a tunnel to an allowed name at another port': '403',
      'a tunnel with a dot and capital letters': '403',
      'a tunnel with a user': '400',
      'another host with an allowed Host': '403',
      'a request with a user': '403',
      'a path alone': '400',
      'a second request': '200 403',
      'a tunnel after a request': '',
      'a request in a body': '200',
      'two lengths': '',
      'a long line': '',
      'a line without an end': '',
      'no line': '',
      'another protocol': '',
    });
    expect(other.connections()).toBe(0);
    expect(paths.filter((path) => path !== `good.test:${port}/`)).toEqual([]);
    expect(story.hosts).toEqual({
      refused: expect.arrayContaining(['bad.test:443', `127.0.0.1:${other.port}`, '169.254.169.254:80']) as string[],
      misleading: [],
    });
  });

  test('does not get to another host by a redirect', async () => {
    using place = playground([`good.test:${port}`]);
    const targets = [`http://bad.test:${port}/`, `http://localhost:${port}/`, 'https://169.254.169.254/'];
    paths.length = 0;
    const { hosts } = await place.bash(
      targets.map((target) => `curl -sL 'http://good.test:${port}/redirect?${target}'`).join('; '),
    );
    expect(paths).toEqual(targets.map((target) => `good.test:${port}/redirect?${target}`));
    expect(hosts?.refused).toEqual([`bad.test:${port}`, '169.254.169.254:443']);
  });

  test('has no other way out: no name, no address, no device but the loopback one', async () => {
    using place = playground([`good.test:${port}`]);
    const script = `cat /proc/net/dev | grep -c :; curl -sS --noproxy '*' http://good.test:${port}/; curl -sS --noproxy '*' http://127.0.0.1:${port}/`;
    const { stdout, stderr } = await place.bash(script);
    expect(stdout).toBe('1\n');
    expect(stderr).toMatch(/resolve[^]*(refused|connect)/i);
  });

  test('keeps its own servers, its arguments, its exit code and its input', async () => {
    using place = playground([]);
    const script = `const server = require('node:net').createServer((it) => it.end('mine'));
      server.listen(0, () => require('node:net').connect(server.address().port, '127.0.0.1').on('data', (it) => {
        console.log(String(it), process.argv[1], require('node:fs').readFileSync(0, 'utf8'));
        process.exit(7);
      }));`;
    const story = await place.run([process.execPath, '-e', script, 'a b'], { stdin: { text: 'typed' } });
    expect({ code: story.code, stdout: story.stdout }).toEqual({ code: 7, stdout: 'mine a b typed\n' });
  });

  test('works in a terminal', async () => {
    using place = playground([`good.test:${port}`]);
    const argv = ['/bin/bash', '-c', `test -t 1 && curl -sS http://good.test:${port}/`] as const;
    const { code, stdout } = await place.run([...argv], { tty: { columns: 80, rows: 24 } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `hello from good.test:${port}\r\n` });
  });

  test('leaves nothing behind, and its proxy ends with it', async () => {
    using place = playground([`good.test:${port}`]);
    const child = await place.start(['/bin/bash', '-c', 'echo up; sleep 60']);
    await new Promise<void>((resolve) => child.onOutput(() => resolve()));
    const listening = () => net.connect(HOST_PROXY_PORT, '127.0.0.1');
    const outside = await new Promise((resolve) => listening().once('error', resolve).once('connect', resolve));
    expect(outside).toMatchObject({ code: 'ECONNREFUSED' });
    expect(readdirSync(path.join(place.home, 'box')).filter((name) => name.startsWith('gate-'))).toEqual([]);
    await child.kill(0);
  });

  test('that does not exist is not run, and its sandbox ends', async () => {
    using place = playground([`good.test:${port}`]);
    const { code, stdout } = await place.run(['/does/not/exist']);
    expect([code === 0, stdout]).toEqual([false, '']);
  });
});

describe('the way from a sandbox to its hosts', () => {
  const limits = { allowed: ['good.test'], denied: [], once: [] };
  const programs = { nsenter: '/bin/false', mkfifo: '/bin/false' };

  /** A sandbox whose first process is `first`. */
  const lifeOf = (first: SandboxLife['first']): SandboxLife => ({
    descriptor: -1,
    first,
    ended: async () => true,
    gone: async () => {},
    close: () => {},
  });

  test('is not made into the network of this machine, and the command is not run', async () => {
    using folder = tempFolder();
    const hosts = hostsOfBubblewrap(folder.path, lifeOf(thisProcess), limits, programs);
    await expect(hosts.ready(new Promise(() => {}))).rejects.toThrow(
      'The command was not run: its way to the allowed hosts could not be made. bubblewrap has ended.',
    );
    hosts.close();
  });

  test('is not waited for when the sandbox has ended before', async () => {
    using folder = tempFolder();
    const hosts = hostsOfBubblewrap(
      folder.path,
      lifeOf(() => undefined),
      limits,
      programs,
    );
    await hosts.ready(Promise.resolve());
    hosts.close();
    expect(hosts.report()).toEqual({ refused: [], misleading: [] });
  });
});
