import { expect, test } from 'vitest';
import { rateLimitsIn } from '../../../src/core/model/rateLimits.ts';

const NOW = new Date('2026-11-23T12:00:00Z');

test.each<[string, Record<string, string>, unknown]>([
  [
    'OpenAI',
    {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    {
      requests: { limit: 60, remaining: 59, resetsInMs: 1000 },
      tokens: { limit: 150_000, remaining: 149_984, resetsInMs: 360_000 },
    },
  ],
  [
    'Azure OpenAI',
    { 'x-ratelimit-remaining-requests': '99', 'x-ratelimit-remaining-tokens': '99984' },
    {
      requests: { remaining: 99 },
      tokens: { remaining: 99_984 },
    },
  ],
  [
    'OpenRouter',
    {
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(NOW.getTime() + 90_000),
    },
    { requests: { limit: 20, remaining: 0, resetsInMs: 90_000 } },
  ],
  [
    'a gateway with seconds since 1970',
    { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(NOW.getTime() / 1000 + 5) },
    {
      requests: { remaining: 3, resetsInMs: 5000 },
    },
  ],
  [
    'a gateway with seconds',
    { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '2.5' },
    {
      requests: { remaining: 3, resetsInMs: 2500 },
    },
  ],
  [
    'Groq',
    { 'x-ratelimit-remaining-tokens': '5', 'x-ratelimit-reset-tokens': '7.66s' },
    {
      tokens: { remaining: 5, resetsInMs: 7660 },
    },
  ],
  ['a server without limits', { date: 'now' }, undefined],
  ['a server with nonsense', { 'x-ratelimit-remaining': 'many', 'x-ratelimit-remaining-tokens': '-1' }, undefined],
  [
    'a server with a nonsensical reset',
    { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': 'soon' },
    {
      requests: { remaining: 1 },
    },
  ],
])('the limits of %s', (_server, headers, limits) => {
  expect(rateLimitsIn(new Headers(headers), NOW)).toEqual(limits);
});
