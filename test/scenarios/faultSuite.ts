/**
 * Effects of a server's fault on a turn: a transient one is retried visibly, a permanent one ends the turn, and the
 * next message works.
 */
import { describe, expect, it } from 'vitest';
import type { Ports } from '../../src/core/ports.ts';
import type { Imitation } from '../support/imitation.ts';
import {
  closesCleanly,
  cuts,
  fails,
  failsInStream,
  hangs,
  malformed,
  says,
  type Step,
  type Wire,
} from '../support/modelServer.ts';
import { randomOf } from '../support/random.ts';
import { isFullRun } from '../support/rounds.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

/** Delays between attempts take a hundredth of the reported time. */
export const hurried = ({ clock }: Ports): Partial<Ports> => ({
  clock: { ...clock, sleep: (milliseconds, signal) => clock.sleep(milliseconds / 100, signal) },
});

export const SENTENCE = /^[A-Z“h].*[.?](?: .*\.)?$/s;

export async function expectUsable(chat: Scenario): Promise<void> {
  expect(await chat.send('again')).toEqual({ type: 'turn_completed', lastMessage: 'Back.' });
}

const QUARTERS = 4;

/**
 * `imitated`: the server behaves like that of a provider. Each run then takes every fourth fault, another quarter for each
 * server, and likewise on Messages, whose faults are found by the code of the other wires; a full run takes all of them.
 */
export function faultSuite(wire: Wire, imitated?: { readonly imitation: Imitation; readonly index: number }): void {
  const imitates = imitated?.imitation;
  const server = imitates ? `${imitates.name} with ${wire}` : wire;
  const first = randomOf('faults of imitations').below(QUARTERS);
  const isWhole = isFullRun() || (imitated === undefined && wire !== 'messages');
  const some = <Case>(cases: readonly Case[]): Case[] =>
    cases.filter((_, at) => isWhole || (at + (imitated?.index ?? 0) + first) % QUARTERS === 0);

  describe(`a transient fault is retried visibly, on ${server}`, () => {
    const slower = [900, 1100] as const;
    const transient: [string, Step[], string, readonly [number, number]][] = [
      ['the server falls silent', [says('Half'), hangs()], 'timeout', [180, 220]],
      ['the socket dies before the first byte', [cuts()], 'stream_closed', [180, 220]],
      ['the socket dies in the middle', [says('Half'), cuts()], 'stream_closed', [180, 220]],
      ['the stream ends without its end', [says('Half'), closesCleanly()], 'stream_closed', [180, 220]],
      ['an event is broken', [says('Half'), malformed()], 'bad_response', [180, 220]],
      ['the server gives up', [says('Half'), failsInStream('server_error')], 'bad_response', [180, 220]],
      ['the server gives up and does not say why', [failsInStream(null)], 'bad_response', [180, 220]],
      [
        'the server wants a pause, in words',
        [failsInStream('rate_limit_exceeded', 'Please try again in 1.5s.')],
        'rate_limited',
        [1500, 1500],
      ],
      ['HTTP 429', [fails(429)], 'rate_limited', slower],
      ['HTTP 429 with Retry-After', [fails(429, {}, { 'retry-after': '3' })], 'rate_limited', [3000, 3000]],
      ['HTTP 408', [fails(408)], 'timeout', [180, 220]],
      ['HTTP 500', [fails(500)], 'bad_response', [180, 220]],
      ['HTTP 503', [fails(503)], 'overloaded', [180, 220]],
      ['HTTP 529 with a page', [fails(529, '<html>busy</html>')], 'overloaded', [180, 220]],
    ];
    it.each(some(transient))('%s', async (_fault, answer, kind, [least, most]) => {
      await using chat = await startScenario({
        wire,
        imitates,
        deps: hurried,
        provider: answer.some(({ type }) => type === 'hangs') ? { streamIdleTimeoutMs: 1000 } : {},
        model: [answer, [says('Whole.')], [says('Back.')]],
      });
      expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Whole.' });
      const [retry, ...more] = chat.said('stream_error');
      expect(more).toEqual([]);
      expect(retry).toMatchObject({ kind, attempt: 1, of: 6, message: expect.stringMatching(SENTENCE) });
      expect(retry?.retryInMs).toBeGreaterThanOrEqual(least);
      expect(retry?.retryInMs).toBeLessThanOrEqual(most);
      // The partial text of the failed attempt is only shown: the next request is the same.
      expect(chat.server.requests[1]?.text).toBe(chat.server.requests[0]?.text);
      await expectUsable(chat);
    });
  });

  describe(`a permanent fault ends the turn with a message, on ${server}`, () => {
    const permanent: [string, Step, string, string][] = [
      ['400', fails(400, { message: 'no such thing' }), 'invalid_request', 'show_log'],
      ['401', fails(401, { message: 'no such thing' }), imitates ? 'auth' : 'no_key', 'set_api_key'],
      ['402', fails(402, { message: 'no such thing' }), 'quota', 'select_model'],
      ['403', fails(403, { message: 'no such thing' }), 'auth', 'set_api_key'],
      ['404', fails(404, { message: 'no such thing' }), 'config', 'check_settings'],
      [
        '404 of a model',
        fails(404, { code: 'model_not_found', message: 'no such thing' }),
        'model_not_found',
        'select_model',
      ],
      ['422', fails(422, { message: 'no such thing' }), 'invalid_request', 'show_log'],
      [
        'a quota that is used up',
        fails(429, { code: 'insufficient_quota', message: 'no such thing' }),
        'quota',
        'select_model',
      ],
      ['a wait too long', fails(429, { message: 'no such thing' }, { 'retry-after': '3600' }), 'rate_limited', 'retry'],
      ['a quota, in the stream', failsInStream('insufficient_quota', 'no such thing'), 'quota', 'select_model'],
      ['a plan without it', failsInStream('usage_not_included', 'no such thing'), 'quota', 'select_model'],
      ['a prompt that is refused', failsInStream('invalid_prompt', 'no such thing'), 'invalid_request', 'show_log'],
      ['a policy', failsInStream('cyber_policy', 'no such thing'), 'content_filter', 'new_thread'],
      ['no capacity', failsInStream('server_is_overloaded', 'no such thing'), 'overloaded', 'retry'],
    ];
    it.each(some(permanent))('%s', async (_fault, answer, kind, action) => {
      await using chat = await startScenario({ wire, imitates, model: [[says('Half'), answer], [says('Back.')]] });
      expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
      expect(chat.said('stream_error')).toEqual([]);
      expect(chat.said('error')).toEqual([
        {
          type: 'error',
          kind,
          action,
          message: expect.stringMatching(SENTENCE),
          detail: expect.stringContaining('no such thing'),
        },
      ]);
      expect(chat.server.requests).toHaveLength(1);
      await expectUsable(chat);
    });

    const tooLong: [string, Step][] = [
      ['413', fails(413, { message: 'no such thing' })],
      ['the window', failsInStream('context_length_exceeded', 'no such thing')],
    ];
    it.each(some(tooLong))('%s, once the thread is compacted and still too long', async (_fault, answer) => {
      await using chat = await startScenario({
        wire,
        imitates,
        // A known window counts as full from then on: the next message begins with a summary, too.
        model: ({ text }, index) => {
          if (text.includes('<summary_request>')) return [says('A summary.')];
          return index <= 2 ? [says('Half'), answer] : [says('Back.')];
        },
      });
      expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
      expect(chat.said('error')).toMatchObject([
        { kind: 'context_exceeded', action: 'compact', detail: expect.stringContaining('no such thing') },
      ]);
      await expectUsable(chat);
    });

    it('a wait that is too long is named with its time', async () => {
      await using chat = await startScenario({ wire, imitates, model: [[fails(429, {}, { 'retry-after': '7200' })]] });
      await chat.send('go');
      expect(chat.said('error')[0]?.message).toContain('2 hours');
    });

    it('a fault that stays ends after the set number of attempts, and costs the user nothing', async () => {
      await using chat = await startScenario({
        wire,
        imitates,
        deps: hurried,
        model: (_request, index) => (index < 6 ? [says('Half'), cuts()] : [says('Back.')]),
      });
      expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
      expect(chat.said('stream_error').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
      expect(chat.said('error')[0]).toMatchObject({
        kind: 'stream_closed',
        message: expect.stringContaining('6 times'),
      });
      expect(chat.server.requests).toHaveLength(6);
      await expectUsable(chat);
    });

    it('a kept connection that fails under a request counts as an attempt', async () => {
      await using chat = await startScenario({
        wire,
        imitates,
        deps: hurried,
        model: (_request, index) => (index === 0 ? [says('Hi.')] : index <= 6 ? [cuts()] : [says('Back.')]),
      });
      await chat.send('hi');
      expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
      expect(chat.said('stream_error').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
      expect(chat.server.requests).toHaveLength(1 + 6);
      await expectUsable(chat);
    });
  });
}
