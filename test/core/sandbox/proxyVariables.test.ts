import { expect, test } from 'vitest';
import { npmCache } from '../../../src/core/sandbox/proxyVariables.ts';

const temporary = { folder: '/home/me/.tiller/tmp/t', seenAt: ['/home/me/.tiller/tmp/t', '/tmp'], isTmpdir: true };
const root = (path: string) => [{ path, protectedPaths: [] }];

test.each([
  ['has a cache that it may write', root('/work'), temporary, { HOME: '/home/me' }, '/home/me/.tiller/tmp/t/npm'],
  ['keeps the usual one where it is writable', root('/home/me/.npm'), temporary, { HOME: '/home/me' }, undefined],
  ['keeps that of its environment', root('/work'), temporary, { HOME: '/home/me', npm_config_cache: '/c' }, undefined],
  ['has none without a temporary folder', root('/work'), { ...temporary, seenAt: [] }, { HOME: '/home/me' }, undefined],
])('npm %s', (_title, writableRoots, temporary, env, cache) => {
  expect(npmCache({ writableRoots, temporary }, env).npm_config_cache).toBe(cache);
});
