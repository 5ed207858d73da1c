// The Web port: which addresses it connects to, and how much it reads.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isPrivateAddress, isPrivateName } from '../../../src/node/network/privateAddresses.ts';
import { createWebGet } from '../../../src/node/network/webGet.ts';

type Listener = (request: http.IncomingMessage, response: http.ServerResponse) => void;

async function serve(listener: Listener) {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

const request = (url: string, more: { mayBePrivate?: boolean; maxBytes?: number; signal?: AbortSignal } = {}) => ({
  url: new URL(url),
  accept: '*/*',
  maxBytes: 1_000,
  mayBePrivate: false,
  signal: new AbortController().signal,
  ...more,
});

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
  ])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));
  it.each([
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'no address',
  ])('%s is private, too', (address) => expect(isPrivateAddress(address)).toBe(true));
  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])('%s is public', (address) =>
    expect(isPrivateAddress(address)).toBe(false),
  );
  it.each([
    'http://localhost',
    'http://a.localhost',
    'http://printer.local',
    'http://intranet',
    'http://2130706433',
    'http://0x7f.1',
    'http://[::ffff:7f00:1]',
    'http://metadata.google.internal',
  ])('%s is a private name', (url) => expect(isPrivateName(new URL(url).hostname)).toBe(true));
  it('of a public name is not private by its name', () => expect(isPrivateName('docs.rs')).toBe(false));
});

describe('a request', () => {
  it('is refused when the name leads to a private address among others, and no connection is made', async () => {
    let hits = 0;
    await using server = await serve((_request, response) => {
      hits++;
      response.end();
    });
    const resolve = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    await expect(createWebGet({ resolve }).get(request(`http://rebind.example:${server.port}/`))).rejects.toMatchObject(
      {
        code: 'private',
      },
    );
    expect(hits).toBe(0);
  });

  it('connects to the address that was checked: the name is resolved once', async () => {
    await using server = await serve((incoming, response) => response.end(incoming.headers.host));
    let lookups = 0;
    const resolve = async () => {
      lookups++;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const web = createWebGet({ resolve });
    const answer = await web.get(request(`http://named.example:${server.port}/`, { mayBePrivate: true }));
    expect(Buffer.from(answer.bytes).toString()).toBe(`named.example:${server.port}`);
    expect(lookups).toBe(1);
  });

  it('does not follow a redirect, and reads at most what it may, decompressed', async () => {
    await using server = await serve((incoming, response) => {
      if (incoming.url === '/moved') return response.writeHead(301, { location: '/there' }).end();
      return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000)));
    });
    const web = createWebGet();
    const base = `http://127.0.0.1:${server.port}`;
    expect(await web.get(request(`${base}/moved`, { mayBePrivate: true }))).toMatchObject({
      status: 301,
      location: new URL(`${base}/there`),
    });
    const large = await web.get(request(`${base}/large`, { mayBePrivate: true }));
    expect([large.bytes.length, large.isCut]).toEqual([1_000, true]);
  });

  it.each([
    ['gzip, gzip', Buffer.from('twice'), /^127\.0\.0\.1:\d+ answers in an encoding that cannot be read\.$/],
    ['gzip', Buffer.from('no gzip'), /^The answer of 127\.0\.0\.1:\d+ is damaged \(Z_DATA_ERROR\)\.$/],
  ])('of the encoding %s that cannot be undone is an error that says so', async (encoding, bytes, message) => {
    await using server = await serve((_incoming, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );
    const got = createWebGet().get(request(`http://127.0.0.1:${server.port}/`, { mayBePrivate: true }));
    await expect(got).rejects.toThrow(message);
  });

  it('ends with its signal, and says so when a host cannot be reached', async () => {
    let begun = () => {};
    const asked = new Promise<void>((resolve) => {
      begun = resolve;
    });
    await using server = await serve(() => begun());
    const stopping = new AbortController();
    const { signal } = stopping;
    const web = createWebGet();
    const waiting = web.get(request(`http://127.0.0.1:${server.port}/`, { mayBePrivate: true, signal }));
    await asked;
    stopping.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    const resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    await expect(createWebGet({ resolve }).get(request('http://none.example/'))).rejects.toThrow(
      'none.example could not be reached (ENOTFOUND).',
    );
  });
});
