import { describe, expect, test } from 'vitest';
import {
  delayIn,
  finishReasonFault,
  httpFault,
  incompleteFault,
  inStreamFault,
  retryAfter,
} from '../../../src/core/model/faults.ts';
import { shownFault } from '../../../src/core/model/faultOf.ts';
import { networkFault } from '../../../src/core/model/networkFaults.ts';
import { SecretRedactor } from '../../../src/core/util/secretRedactor.ts';

const NOW = new Date('2026-11-21T00:00:00Z');

function http(status: number, error: unknown, headers: Record<string, string> = {}) {
  return httpFault(status, new Headers(headers), error, NOW);
}

describe('HTTP errors', () => {
  test.each([
    [400, { message: 'bad' }, 'invalid_request', false],
    [400, { code: 'context_length_exceeded', message: 'x' }, 'context_exceeded', false],
    [400, { message: "This model's maximum context length is 8192 tokens" }, 'context_exceeded', false],
    [400, { type: 'exceed_context_size_error', message: 'x' }, 'context_exceeded', false],
    [400, { code: 'content_filter' }, 'content_filter', false],
    [400, { code: 'constructor', message: 'x' }, 'invalid_request', false],
    [400, { type: '__proto__' }, 'invalid_request', false],
    [400, { message: 'invalid model: foo' }, 'model_not_found', false],
    [400, { message: 'foo/bar is not a valid model ID' }, 'model_not_found', false],
    [404, { message: 'No models loaded. Please load a model.' }, 'model_not_found', false],
    [401, { code: 'invalid_api_key' }, 'auth', false],
    [402, {}, 'quota', false],
    [403, {}, 'auth', false],
    [403, { code: 'usage_not_included' }, 'quota', false],
    [404, { message: 'Not Found' }, 'config', false],
    [404, { code: 'model_not_found' }, 'model_not_found', false],
    [404, { code: 'DeploymentNotFound' }, 'model_not_found', false],
    [405, {}, 'invalid_request', false],
    [407, {}, 'proxy', false],
    [408, {}, 'timeout', true],
    [409, {}, 'bad_response', true],
    [413, {}, 'context_exceeded', false],
    [422, {}, 'invalid_request', false],
    [429, {}, 'rate_limited', true],
    [429, { type: 'usage_limit_reached', resets_in_seconds: 60 }, 'quota', false],
    [429, { code: 'insufficient_quota' }, 'quota', false],
    [429, { code: '1113', message: 'Insufficient balance or no resource package.' }, 'quota', false],
    [500, {}, 'bad_response', true],
    [500, { message: 'Context size has been exceeded.' }, 'context_exceeded', false],
    [502, 'Bad Gateway', 'bad_response', true],
    [503, { code: 'server_is_overloaded' }, 'overloaded', true],
    [504, {}, 'bad_response', true],
    [529, {}, 'overloaded', true],
  ] as const)('%i %o', (status, error, kind, retryable) => {
    expect(http(status, typeof error === 'string' ? error : { error })).toMatchObject({ kind, retryable, status });
  });

  test('an account without quota leads to the choice of another model', () => {
    const message =
      'The account has no quota left for this model: add credit with the provider, or select another model.';
    expect(http(402, { error: {} })).toMatchObject({ message, action: 'select_model' });
  });

  test.each([
    // Anthropic
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens`',
    // Bedrock
    'Input is too long for requested model.',
    // Gemini: github.com/dyad-sh/dyad/issues/403
    'The input token count (1066750) exceeds the maximum number of tokens allowed (1048575).',
    // GitHub Copilot
    'prompt token count of 129142 exceeds the limit of 128000',
    // xAI
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    // Kimi
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)',
    // Groq
    'Please reduce the length of the messages or completion.',
    // vLLM
    'The decoder prompt (length 20000) is longer than the maximum model length of 16384. Make sure that it is no longer.',
    // Poolside behind OpenRouter: github.com/earendil-works/pi/issues/4943
    'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.',
    // SiliconFlow: github.com/leookun/cursor-byok/issues/129
    'number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit.',
    // DashScope
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]',
    // Z.ai
    'Prompt exceeds max length',
    // Text Generation Inference
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens',
  ])('a conversation that is too long: %s', (message) => {
    expect(http(400, { error: { message } }).kind).toBe('context_exceeded');
    expect(inStreamFault({ error: { code: 400, message } }).kind).toBe('context_exceeded');
  });

  test('a conversation that is too long for the server behind OpenRouter', () => {
    const raw = JSON.stringify({ error: { code: 'context_length_exceeded', message: 'No.' } });
    const error = { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'Azure' } };
    expect(http(400, { error }).kind).toBe('context_exceeded');
  });

  test.each([
    'Invalid input: the tool name is too short.',
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
    'Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000.',
    'Image input exceeds the limit of 5 MB.',
  ])('not too long a conversation: %s', (message) => {
    expect(http(400, { error: { message } }).kind).toBe('invalid_request');
  });

  test.each([
    [{ error: { message: 'words' } }, 'HTTP 400: words'],
    [{ error: 'words' }, 'HTTP 400: words'],
    [{ message: 'words' }, 'HTTP 400: words'],
    [{ detail: 'words' }, 'HTTP 400: words'],
    [{ detail: [{ loc: ['body', 'store'] }] }, 'HTTP 400: [{"loc":["body","store"]}]'],
    ['words', 'HTTP 400: words'],
    [{ error: { message: 'words', param: 'include' } }, 'HTTP 400: words (include)'],
    [
      { error: { message: 'Provider returned error', code: 400, metadata: { raw: '{"error":{"message":"words"}}' } } },
      'HTTP 400: Provider returned error: words',
    ],
    [
      { error: { message: 'Provider returned error', metadata: { raw: 'words' } } },
      'HTTP 400: Provider returned error: words',
    ],
    [[{ error: { message: 'words' } }], 'HTTP 400: words'],
    [{ success: false, errors: [{ code: 7, message: 'words' }] }, 'HTTP 400: words'],
    [{ error: [] }, 'HTTP 400'],
    [[], 'HTTP 400'],
    [[[1]], 'HTTP 400'],
    ['<html><head><title>403 Forbidden</title></head><body>x</body></html>', 'HTTP 400: 403 Forbidden'],
    ['<h1>No\n<b>such</b></h1><script>run()</script><p>page', 'HTTP 400: No such page'],
    ['<unk> is no token', 'HTTP 400: <unk> is no token'],
    ['bad \u001b[31mred\u0007 \u202eeman', 'HTTP 400: bad  [31mred   eman'],
    [null, 'HTTP 400'],
  ])('the server’s words are kept: %o', (document, detail) => {
    expect(http(400, document).detail).toBe(detail);
  });
});

describe('the delay before a retry', () => {
  test.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Sat, 21 Nov 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:30 GMT', date: 'Sat, 21 Nov 2026 09:00:00 GMT' }, 30_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-3' }, undefined],
    [{}, undefined],
  ])('%o', (headers, milliseconds) => {
    expect(retryAfter(new Headers(headers as Record<string, string>), NOW)).toBe(milliseconds);
  });

  test.each([
    ['Please try again in 1.5s.', 1500],
    ['please TRY AGAIN IN 900ms', 900],
    ['try again in 11 seconds', 11_000],
    ['Try again in 1 second.', 1000],
    ['try again in 2 minutes', 120_000],
    ['You exceeded your current quota. Please retry in 38.5s.', 38_500],
    ['Please retry after 24 seconds.', 24_000],
    ['try again later', undefined],
  ])('“%s”', (words, milliseconds) => {
    expect(delayIn(words)).toBe(milliseconds);
  });
});

describe('faults inside a stream, by code', () => {
  test.each([
    ['context_length_exceeded', 'context_exceeded', false],
    ['insufficient_quota', 'quota', false],
    ['usage_not_included', 'quota', false],
    ['invalid_prompt', 'invalid_request', false],
    ['cyber_policy', 'content_filter', false],
    ['bio_policy', 'content_filter', false],
    ['server_is_overloaded', 'overloaded', false],
    ['rate_limit_exceeded', 'rate_limited', true],
    ['slow_down', 'rate_limited', true],
    ['server_error', 'bad_response', true],
    [null, 'bad_response', true],
  ] as const)('%s', (code, kind, retryable) => {
    expect(inStreamFault({ error: { code, message: 'words' } })).toMatchObject({ kind, retryable });
  });

  test('a delay in the message counts', () => {
    const message = 'Rate limit reached. Please try again in 3s.';
    expect(inStreamFault({ error: { code: 'rate_limit_exceeded', message } }).retryAfterMs).toBe(3000);
  });

  test.each([
    ['max_output_tokens', 'bad_response', false],
    ['content_filter', 'content_filter', true],
    [undefined, 'bad_response', true],
  ] as const)('incomplete: %s', (reason, kind, retryable) => {
    expect(incompleteFault(reason)).toMatchObject({ kind, retryable });
  });

  test.each([
    ['length', 'context_exceeded', false],
    // Z.ai
    ['model_context_window_exceeded', 'context_exceeded', false],
    ['sensitive', 'content_filter', false],
    ['network_error', 'bad_response', true],
    // Gemini: github.com/BerriAI/litellm/issues/16651
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'bad_response', true],
    ['MALFORMED_FUNCTION_CALL', 'bad_response', true],
    ['content_filter: PROHIBITED_CONTENT', 'content_filter', false],
    ['RECITATION', 'content_filter', false],
  ] as const)('finish_reason %s', (reason, kind, retryable) => {
    expect(finishReasonFault(reason)).toMatchObject({ kind, retryable });
  });

  test.each(['stop', 'tool_calls', 'function_call', 'eos', 'end_turn', 'stop: x'])('an ordinary end: %s', (reason) => {
    expect(finishReasonFault(reason)).toBeUndefined();
  });
});

describe('the connection to the server', () => {
  const failure = (code: string, message = code) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });

  test.each([
    ['ECONNREFUSED', 'network', true],
    ['ENOTFOUND', 'network', true],
    ['EAI_AGAIN', 'network', true],
    ['EHOSTUNREACH', 'network', true],
    ['ETIMEDOUT', 'timeout', true],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout', true],
    ['ECONNRESET', 'stream_closed', true],
    ['UND_ERR_SOCKET', 'stream_closed', true],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', false],
    ['CERT_HAS_EXPIRED', 'tls', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', false],
    ['EPROTO', 'tls', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', false],
    ['ERR_INVALID_CHAR', 'config', false],
  ] as const)('%s', (code, kind, retryable) => {
    expect(networkFault(failure(code), 'connecting')).toMatchObject({ kind, retryable });
  });

  test('a proxy that requires a password is not tried again', () => {
    const words = 'tunneling socket could not be established, statusCode=407';
    expect(networkFault(new Error(words), 'connecting')).toMatchObject({ kind: 'proxy', retryable: false });
  });

  test('every address that was tried is considered', () => {
    const attempts = [failure('ECONNREFUSED').cause, failure('ECONNREFUSED').cause];
    const error = new TypeError('fetch failed', { cause: new AggregateError(attempts) });
    expect(networkFault(error, 'connecting')).toMatchObject({ kind: 'network', detail: 'ECONNREFUSED' });
  });

  test('an HTML error page is not used as the message', () => {
    const fault = httpFault(502, new Headers(), `<html>${'x'.repeat(100_000)}`, new Date(0));
    const { detail } = shownFault(fault, new SecretRedactor());
    expect(detail).toMatch(/^HTTP 502: x+…$/);
    expect(detail?.length).toBeLessThan(2100);
  });

  test('any error in mid-stream is a closed stream', () => {
    expect(networkFault(new TypeError('terminated'), 'streaming')).toMatchObject({ kind: 'stream_closed' });
  });
});
