import { expect, test } from 'vitest';
import { parseHostAndPort, parseHostPattern, patternsCovering } from '../../src/protocol/hostPattern.ts';

test.each([
  ['registry.npmjs.org', 'registry.npmjs.org'],
  ['Registry.NPMJS.org.', 'registry.npmjs.org'],
  ['*.PyPI.org', '*.pypi.org'],
  ['github.com:22', 'github.com:22'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['localhost:8080', 'localhost:8080'],
  ['127.1', '127.0.0.1'],
  ['0x7f.1:80', '127.0.0.1:80'],
  ['[FD00:0::1]:443', '[fd00::1]:443'],
])('%s is the pattern %s', (text, pattern) => {
  expect(parseHostPattern(text)).toEqual({ pattern });
});

test.each([
  '',
  '*',
  '*.',
  '*.org',
  '*.127.0.0.1',
  'a.*.org',
  'https://github.com',
  'github.com/x',
  'user@github.com',
  'github.com:',
  'github.com:0',
  'github.com:65536',
  'fd00::1',
  'two words',
  'a..b',
  '-a.org',
  'a%00.org',
  `${'a'.repeat(64)}.`.repeat(4) + 'org',
])('%j names no host', (text) => {
  expect(parseHostPattern(text)).toEqual({ problem: expect.any(String) as string });
});

test.each<[string, number, readonly string[]]>([
  ['a.b.c.org', 443, ['a.b.c.org:443', 'a.b.c.org', '*.b.c.org:443', '*.b.c.org', '*.c.org:443', '*.c.org']],
  ['c.org', 22, ['c.org:22']],
  ['10.1.2.3', 80, ['10.1.2.3:80', '10.1.2.3']],
  ['[fd00::1]', 8080, ['[fd00::1]:8080']],
])('%s at port %d is covered by these patterns', (host, port, patterns) => {
  expect(patternsCovering({ host, port })).toEqual(patterns);
});

test.each([
  ['GitHub.com:443', { host: 'github.com', port: 443 }],
  ['2130706433:80', { host: '127.0.0.1', port: 80 }],
  ['[::ffff:127.0.0.1]:80', { host: '[::ffff:7f00:1]', port: 80 }],
  ['github.com', undefined],
  ['github.com:443/x', undefined],
  ['github.com:99999', undefined],
  [':443', undefined],
  ['a b:443', undefined],
])('a request names %s', (text, target) => {
  expect(parseHostAndPort(text)).toEqual(target);
});
