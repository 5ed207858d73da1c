import { expect, test } from 'vitest';
import type { LoadedRules } from '../../../src/core/policy/rules.ts';
import {
  HOST_RULE,
  hostLimits,
  hostNotes,
  hostRule,
  isForbidden,
  mayBePrivate,
  mayReach,
} from '../../../src/core/policy/hosts.ts';
import type { Rule } from '../../../src/protocol/policy.ts';
import { parseHostAndPort } from '../../../src/protocol/hostPattern.ts';

function loaded(...rules: Rule[]): LoadedRules {
  return rules.map((rule, index) => ({ rule, index, file: 'rules.json', layer: 'user' }));
}

function target(text: string) {
  return parseHostAndPort(text) ?? { host: '', port: 0 };
}

test('without an allowed host there are no limits to enforce, and no proxy', () => {
  const rules = loaded(
    { pattern: [HOST_RULE, 'a.org'], decision: 'forbidden' },
    { pattern: ['npm'], decision: 'allow' },
  );
  expect(hostLimits([], rules)).toBeUndefined();
});

test('setting and rules add up, and a rule that forbids or asks counts more', () => {
  const rules = loaded(
    hostRule(['GitHub.com', 'ghcr.io:443']),
    { pattern: [HOST_RULE, 'bad.pypi.org'], decision: 'forbidden' },
    { pattern: [[HOST_RULE, 'other'], ['ask.pypi.org']], decision: 'prompt' },
  );
  const limits = hostLimits(['*.pypi.org'], rules);
  expect(limits).toEqual({
    allowed: ['*.pypi.org', 'github.com', 'ghcr.io:443'],
    denied: ['bad.pypi.org', 'ask.pypi.org'],
    once: [],
  });
  const reached = [
    'files.pypi.org:443',
    'bad.pypi.org:443',
    'ask.pypi.org:80',
    'pypi.org:443',
    'github.com:80',
    'ghcr.io:80',
  ];
  expect(reached.filter((host) => limits !== undefined && mayReach(limits, target(host)))).toEqual([
    'files.pypi.org:443',
    'github.com:80',
  ]);
});

test('an answer for one command allows a host that a rule asks about', () => {
  const rules = loaded({ pattern: [HOST_RULE], decision: 'prompt' });
  const limits = hostLimits(['b.org'], rules, ['a.org:443']);
  const reached = ['a.org:443', 'a.org:80', 'b.org:443'];
  expect(reached.filter((host) => limits !== undefined && mayReach(limits, target(host)))).toEqual(['a.org:443']);
  expect(hostLimits([], [], ['a.org'])).toEqual({ allowed: [], denied: [], once: ['a.org'] });
});

test('a rule that allows without naming a host, or with more words, allows nothing', () => {
  const rules = loaded(
    { pattern: [HOST_RULE], decision: 'allow' },
    { pattern: [HOST_RULE, 'a.org', '/path'], decision: 'allow' },
    { pattern: [HOST_RULE, 'not a host'], decision: 'allow' },
  );
  expect(hostLimits([], rules)).toBeUndefined();
});

test('a rule that forbids with more words than a host is about no host', () => {
  const rules = loaded({ pattern: [HOST_RULE, 'a.org', '/path'], decision: 'forbidden' });
  expect(hostLimits(['a.org'], rules)).toEqual({ allowed: ['a.org'], denied: [], once: [] });
});

test('a forbidden host is known, so that nothing is asked about it', () => {
  const rules = loaded(
    { pattern: [HOST_RULE, '*.evil.org'], decision: 'forbidden' },
    { pattern: [HOST_RULE, 'ask.org'], decision: 'prompt' },
    { pattern: [HOST_RULE, 'plain.org:80'], decision: 'forbidden' },
  );
  const hosts = ['a.evil.org:443', 'a.evil.org', 'ask.org:443', 'ask.org', 'plain.org', 'plain.org:443'];
  expect(hosts.filter((host) => isForbidden(host, rules))).toEqual(['a.evil.org:443', 'a.evil.org', 'plain.org']);
});

test.each<[string, readonly string[], string, string, boolean, boolean]>([
  ['a listed address', ['10.1.2.3'], '10.1.2.3:443', '10.1.2.3', true, true],
  [
    'a name that leads to a listed address',
    ['npm.corp.example', '10.1.2.3'],
    'npm.corp.example:443',
    '10.1.2.3',
    false,
    true,
  ],
  ['a public name', ['npm.corp.example'], 'npm.corp.example:443', '10.1.2.3', false, false],
  ['a private name that is listed', ['printer.local:631'], 'printer.local:631', '10.1.2.3', true, true],
  ['a private name under a listed domain', ['*.corp.internal'], 'npm.corp.internal:443', '10.1.2.3', true, false],
  ['a listed address at another port', ['a.org', '10.1.2.3:8080'], 'a.org:443', '10.1.2.3', false, false],
])('%s may be private: listed %j, %s at %s', (_title, allowed, asked, address, isPrivateName, expected) => {
  expect(mayBePrivate({ allowed, denied: [], once: [] }, target(asked), address, isPrivateName)).toBe(expected);
});

test('an address that the user allows for one command may be private', () => {
  const limits = { allowed: ['npm.corp.example'], denied: [], once: ['10.1.2.3:443'] };
  expect(mayBePrivate(limits, target('npm.corp.example:443'), '10.1.2.3', false)).toBe(true);
});

test('the notes name each fault of the way to hosts, and there are none without one', () => {
  const nothing = { refused: [], misleading: [] };
  expect([hostNotes(undefined), hostNotes(nothing)]).toEqual([[], []]);
  expect(
    hostNotes({ refused: ['a.org:80', 'b.org:443'], misleading: ['c.org:80 (10.0.0.1)'], problem: 'No way.' }),
  ).toEqual([
    'No way.',
    'The sandbox refused these hosts, which are not allowed: a.org:80, b.org:443.',
    expect.stringMatching(/^The sandbox refused these allowed hosts, [^:]*: c\.org:80 \(10\.0\.0\.1\)\. /),
  ]);
});
