/** Which API a server has, by its answers to one request on each. */
import { describe, expect, test } from 'vitest';
import { ModelFault } from '../../../src/core/model/client.ts';
import type { ConnectionTest } from '../../../src/core/model/connectionTest.ts';
import { detectWire } from '../../../src/core/model/detectWire.ts';
import type { WireApi } from '../../../src/protocol/providers.ts';
import type { ErrorKind } from '../../../src/protocol/policy.ts';

const ANSWERED: ConnectionTest = { type: 'answered', milliseconds: 1, warnings: [] };

function fault(kind: ErrorKind, status?: number): ConnectionTest {
  return { type: 'fault', fault: new ModelFault(kind, 'No.', { retryable: false, status }) };
}

/** The result, and the wires that were tested. */
async function detect(
  responses: ConnectionTest,
  chat: ConnectionTest = ANSWERED,
  messages: ConnectionTest = ABSENT,
  baseUrl = 'https://models.example/v1',
) {
  const asked: WireApi[] = [];
  const found = await detectWire(async (wireApi) => {
    asked.push(wireApi);
    return { responses, chat, messages }[wireApi];
  }, baseUrl);
  return { found, asked };
}

const ABSENT = fault('config', 404);

describe('the API of a server', () => {
  test.each([
    ['that answers', ANSWERED],
    ['that refuses the request', fault('invalid_request', 400)],
    ['that does not know the model', fault('model_not_found', 404)],
    ['whose window is too small', fault('context_exceeded', 400)],
  ])('%s on Responses is Responses', async (_case, test) => {
    const { found, asked } = await detect(test);
    expect(found).toEqual({ type: 'found', wireApi: 'responses', test });
    expect(asked).toEqual(['responses']);
  });

  test.each([
    ['nothing', ABSENT],
    ['a page', fault('bad_response')],
    ['another method', fault('bad_response', 405)],
    ['an error of the gateway', fault('bad_response', 502)],
  ])('with %s on Responses is Chat Completions when that answers', async (_case, test) => {
    expect((await detect(test)).found).toEqual({ type: 'found', wireApi: 'chat', test: ANSWERED });
  });

  test.each([
    ['auth', 401],
    ['auth', 403],
    ['no_key', 401],
    ['quota', 429],
    ['rate_limited', 429],
    ['overloaded', 503],
  ] as const)('is not known by %s (%i) alone, which may come before the address is looked at', async (kind, status) => {
    const refused = fault(kind, status);
    expect((await detect(refused, refused)).found).toEqual({ type: 'unknown', test: refused });
    expect((await detect(refused, ANSWERED)).found).toEqual({ type: 'found', wireApi: 'chat', test: ANSWERED });
    expect((await detect(refused, ABSENT)).found).toEqual({ type: 'found', wireApi: 'responses', test: refused });
    expect((await detect(ABSENT, refused)).found).toEqual({ type: 'found', wireApi: 'chat', test: refused });
  });

  test.each(['network', 'timeout', 'tls', 'proxy'] as const)('is not known after %s', async (kind) => {
    const test = fault(kind);
    const { found, asked } = await detect(test);
    expect(found).toEqual({ type: 'unknown', test });
    expect(asked, 'a second wait would end the same').toEqual(['responses']);
    expect((await detect(ABSENT, test)).found).toEqual({ type: 'unknown', test });
  });

  test('is none when both addresses have nothing', async () => {
    const chat = fault('config', 404);
    expect((await detect(ABSENT, chat)).found).toEqual({ type: 'unknown', test: chat });
  });

  test.each([
    ['answers', ANSWERED],
    ['does not take the key', fault('auth', 401)],
  ])('is Messages where only that exists and %s', async (_case, messages) => {
    const { found, asked } = await detect(ABSENT, ABSENT, messages);
    expect(found).toEqual({ type: 'found', wireApi: 'messages', test: messages });
    expect(asked).toEqual(['responses', 'chat', 'messages']);
  });

  test.each(['https://api.anthropic.com/v1', 'https://api.deepseek.com/anthropic/v1'])(
    '%s is asked for Messages first',
    async (address) => {
      const first = await detect(ABSENT, ANSWERED, ANSWERED, address);
      expect(first).toEqual({ found: { type: 'found', wireApi: 'messages', test: ANSWERED }, asked: ['messages'] });
      const refused = fault('auth', 401);
      expect((await detect(ABSENT, ANSWERED, refused, address)).found).toEqual({ type: 'unknown', test: refused });
      expect((await detect(ABSENT, ANSWERED, ABSENT, address)).found).toMatchObject({ wireApi: 'chat' });
    },
  );
});
