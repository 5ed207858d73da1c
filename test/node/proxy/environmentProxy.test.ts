import { expect, test } from 'vitest';
import { proxyFor } from '../../../src/node/network/proxy/environmentProxy.ts';

const BOTH = { https_proxy: 'http://secure.proxy:3128', HTTP_PROXY: 'plain.proxy:8080' };

test.each<[string, Record<string, string>, string | undefined]>([
  ['https://model.example/v1', BOTH, 'http://secure.proxy:3128/'],
  ['http://model.example/v1', BOTH, 'http://plain.proxy:8080/'],
  ['https://model.example/v1', { HTTPS_PROXY: 'http://a', https_proxy: 'http://b' }, 'http://b/'],
  ['https://model.example/v1', { HTTPS_PROXY: '' }, undefined],
  ['https://model.example/v1', { HTTP_PROXY: 'http://a' }, undefined],
  ['https://model.example/v1', { ALL_PROXY: 'https://a' }, 'https://a/'],
  ['https://model.example/v1', {}, undefined],
  ['http://127.0.0.1:11434/v1', BOTH, undefined],
  ['http://localhost:11434/v1', BOTH, undefined],
  ['http://[::1]:11434/v1', BOTH, undefined],
  ['https://model.example/v1', { ...BOTH, NO_PROXY: '*' }, undefined],
  ['https://model.example/v1', { ...BOTH, NO_PROXY: 'other.org, Example' }, undefined],
  ['https://model.example/v1', { ...BOTH, NO_PROXY: '.model.example' }, undefined],
  ['https://model.example/v1', { ...BOTH, NO_PROXY: '*.example' }, undefined],
  ['https://model.example/v1', { ...BOTH, NO_PROXY: 'del.example' }, 'http://secure.proxy:3128/'],
  ['https://model.example/v1', { ...BOTH, NO_PROXY: 'model.example:443' }, undefined],
  ['https://model.example:8443/v1', { ...BOTH, NO_PROXY: 'model.example:443' }, 'http://secure.proxy:3128/'],
  ['http://10.1.2.3/v1', { ...BOTH, NO_PROXY: '10.0.0.0/8' }, undefined],
  ['http://11.1.2.3/v1', { ...BOTH, NO_PROXY: '10.0.0.0/8' }, 'http://plain.proxy:8080/'],
  ['http://10.1.2.3/v1', { ...BOTH, NO_PROXY: '10.0.0.0/99,10.1.2.3/' }, 'http://plain.proxy:8080/'],
  ['http://[fd00::7]/v1', { ...BOTH, NO_PROXY: 'fd00::/8' }, undefined],
  ['http://[fd00::7]:80/v1', { ...BOTH, NO_PROXY: '[fd00::7]:80' }, undefined],
])('%s under %o goes by %s', (url, environment, proxy) => {
  expect(proxyFor(new URL(url), environment)?.href).toBe(proxy);
});

test.each(['socks5://me:secret@proxy:1080', 'http://me:secret@'])(
  '%s is refused, without its password in the message',
  (named) => {
    const read = () => proxyFor(new URL('https://model.example'), { ALL_PROXY: named });
    expect(read).toThrow(/proxy/);
    expect(read).not.toThrow(/secret/);
  },
);
