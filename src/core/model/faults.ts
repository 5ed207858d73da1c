/**
 * Converts every failure of a request to a `ModelFault`: a kind, one plain sentence of Tiller, the original message,
 * one action, and whether to retry (design decision 18; docs/cli.md, "Faults"; for codes of `response.failed`
 * codex-behaviour.md §2.6).
 */
import type { Excess } from '../util/json.ts';
import { ownValue } from '../../protocol/ownValue.ts';
import type { FetchHeaders } from '../ports.ts';
import type { ModelFault } from './client.ts';
import { saysContextExceeded } from './contextWordings.ts';
import { describeDuration } from './describeDuration.ts';
import { faultOf, type Verdict } from './faultOf.ts';
import { PROXY_AUTH } from './networkFaults.ts';
import { plainWords, type ServerError, serverErrorIn } from './serverErrors.ts';

const QUOTA: Verdict = {
  kind: 'quota',
  message: 'The account has no quota left for this model: add credit with the provider, or select another model.',
  retryable: false,
  action: 'select_model',
};
const CONTEXT_EXCEEDED: Verdict = {
  kind: 'context_exceeded',
  message: 'The conversation is longer than the model can read.',
  retryable: false,
  action: 'compact',
};
const CONTENT_FILTER: Verdict = {
  kind: 'content_filter',
  message: 'The server’s content filter stopped this request.',
  retryable: false,
  action: 'new_thread',
};
const MODEL_NOT_FOUND: Verdict = {
  kind: 'model_not_found',
  message: 'The server does not know this model.',
  retryable: false,
  action: 'select_model',
};
const AUTH: Verdict = {
  kind: 'auth',
  message: 'The server did not accept the API key.',
  retryable: false,
  action: 'set_api_key',
};
const RATE_LIMITED: Verdict = {
  kind: 'rate_limited',
  message: 'The server limits the rate of requests.',
  retryable: true,
  action: 'retry',
};
const OVERLOADED: Verdict = {
  kind: 'overloaded',
  message: 'The server is overloaded.',
  retryable: true,
  action: 'retry',
};
const SERVER_FAILED: Verdict = {
  kind: 'bad_response',
  message: 'The server reported an error.',
  retryable: true,
  action: 'retry',
};
const REFUSED: Verdict = {
  kind: 'invalid_request',
  message: 'The server refused the request.',
  retryable: false,
  action: 'show_log',
};

/** Codes with the same meaning in an HTTP error and inside a stream. */
const BY_CODE: Readonly<Record<string, Verdict>> = {
  context_length_exceeded: CONTEXT_EXCEEDED,
  string_above_max_length: CONTEXT_EXCEEDED,
  exceed_context_size_error: CONTEXT_EXCEEDED,
  model_max_prompt_tokens_exceeded: CONTEXT_EXCEEDED,
  insufficient_quota: QUOTA,
  billing_error: QUOTA,
  usage_limit_reached: QUOTA,
  usage_not_included: QUOTA,
  billing_hard_limit_reached: QUOTA,
  invalid_prompt: REFUSED,
  content_filter: CONTENT_FILTER,
  content_policy_violation: CONTENT_FILTER,
  cyber_policy: CONTENT_FILTER,
  bio_policy: CONTENT_FILTER,
  model_not_found: MODEL_NOT_FOUND,
  deploymentnotfound: MODEL_NOT_FOUND,
  invalid_api_key: AUTH,
  authentication_error: AUTH,
  rate_limit_exceeded: RATE_LIMITED,
  rate_limit_error: RATE_LIMITED,
  rate_limit_reached_error: RATE_LIMITED,
  slow_down: RATE_LIMITED,
  exceeded_current_quota_error: QUOTA,
  overloaded_error: OVERLOADED,
  engine_overloaded_error: OVERLOADED,
};

/**
 * DeepSeek, MiniMax and Z.ai, which send it with a code of their own; Anthropic, with status 400: “Your credit balance is
 * too low to access the Anthropic API.”, “You have reached your specified API usage limits.”
 */
const MENTIONS_NO_BALANCE =
  /insufficient (?:account )?balance|credit balance is too low|reached your specified (?:\w+ )?API usage limits/i;
const MENTIONS_MODEL_UNKNOWN =
  /model\b.{0,80}\b(?:not found|does(?: not|n't) exist|not exist|unknown|not available|not supported)|(?:unknown|invalid|no such) model|not a valid model|no models? (?:is |are )?loaded|^model: \S+\s*$/i;

function byWords(error: ServerError): Verdict | undefined {
  for (const name of [error.code, error.type]) {
    const verdict = ownValue(BY_CODE, String(name ?? '').toLowerCase());
    if (verdict) return verdict;
  }
  return MENTIONS_NO_BALANCE.test(error.message ?? '') ? QUOTA : undefined;
}

// ---------------------------------------------------------------- HTTP status

const NOTHING_THERE: Verdict = {
  kind: 'config',
  message: 'There is no model service at this address: check the base URL and which API the server has (wireApi).',
  retryable: false,
  action: 'check_settings',
};

/**
 * The fault of an HTTP error. `address`: of the request, without its query; `note`: a remark on the text of the error,
 * e.g. that it was cut.
 */
export function httpFault(
  status: number,
  headers: FetchHeaders,
  document: unknown,
  now: Date,
  { address, note }: { readonly address?: string; readonly note?: string | undefined } = {},
): ModelFault {
  const error = serverErrorIn(document);
  const serverText = error.message ?? undefined;
  const verdict = httpVerdict(status, error);
  const place = verdict === NOTHING_THERE && address !== undefined ? ` at ${address}` : '';
  const name = `HTTP ${status}${place}${note === undefined ? '' : ` (${note})`}`;
  const parameter = error.param && !serverText?.includes(error.param) ? ` (${error.param})` : '';
  return faultOf(verdict, {
    status,
    detail: serverText === undefined ? `${name}${parameter}` : `${name}: ${serverText}${parameter}`,
    retryAfterMs: retryAfter(headers, now) ?? resetsIn(error, now) ?? delayIn(serverText),
  });
}

function httpVerdict(status: number, error: ServerError): Verdict {
  const known = byWords(error);
  const serverText = error.message ?? '';
  switch (status) {
    case 400:
    case 413:
    case 422:
      if (known) return { ...known, retryable: false };
      if (saysContextExceeded(serverText) || status === 413) return CONTEXT_EXCEEDED;
      return MENTIONS_MODEL_UNKNOWN.test(serverText) ? MODEL_NOT_FOUND : REFUSED;
    case 401:
      return AUTH;
    case 402:
      return QUOTA;
    case 403:
      if (known) return { ...known, retryable: false };
      return { ...AUTH, message: 'The API key is not allowed to do this.' };
    case 404:
      if (known) return { ...known, retryable: false };
      if (MENTIONS_MODEL_UNKNOWN.test(serverText)) return MODEL_NOT_FOUND;
      return NOTHING_THERE;
    case 407:
      return PROXY_AUTH;
    case 408:
    case 425:
      return {
        kind: 'timeout',
        message: 'The server stopped waiting for the request.',
        retryable: true,
        action: 'retry',
      };
    case 409:
      return SERVER_FAILED;
    case 429:
      return known?.kind === 'quota' ? known : RATE_LIMITED;
    case 503:
    case 529:
      return OVERLOADED;
    default:
      if (status >= 500) {
        // llama.cpp, when the context is full in the middle of an answer: github.com/ggml-org/llama.cpp/issues/19774
        const isFull = known?.kind === 'context_exceeded' || /context size has been exceeded/i.test(serverText);
        return isFull ? CONTEXT_EXCEEDED : SERVER_FAILED;
      }
      return known ? { ...known, retryable: false } : REFUSED;
  }
}

/** The milliseconds in `retry-after-ms` or `retry-after` (seconds or a date). */
export function retryAfter(headers: FetchHeaders, now: Date): number | undefined {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(value);
  // Relative to the server's clock, which may differ from the local one.
  const theirNow = Date.parse(headers.get('date') ?? '');
  const from = Number.isNaN(theirNow) ? now.getTime() : theirNow;
  return Number.isNaN(date) ? undefined : Math.max(0, date - from);
}

/** Parses “try again in 1.5s” (codex-behaviour.md §2.6, "Delay parsing"), and Gemini’s “Please retry in 38.2s”. */
export function delayIn(serverText: string | null | undefined): number | undefined {
  const match = /(?:try again|retry) (?:in|after)\s*(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|seconds?|m|minutes?)\b/i.exec(
    serverText ?? '',
  );
  if (!match) return undefined;
  const [, amount = '', unit = ''] = match;
  const factor = /^(?:ms|milli)/i.test(unit) ? 1 : /^s/i.test(unit) ? 1000 : 60_000;
  return Math.round(Number(amount) * factor);
}

function resetsIn(error: ServerError, now: Date): number | undefined {
  if (typeof error.resets_in_seconds === 'number') return error.resets_in_seconds * 1000;
  if (typeof error.resets_at === 'number') return Math.max(0, error.resets_at * 1000 - now.getTime());
  return undefined;
}

// ---------------------------------------------------------------- inside a stream

/** The fault of `response.failed`, of an `error` event, or of an `error` in a chunk. Unknown codes are retried. */
export function inStreamFault(document: unknown): ModelFault {
  const error = serverErrorIn(document);
  const serverText = [error.code ?? error.type, error.message].filter(Boolean).join(': ');
  return faultOf(inStreamVerdict(error), { detail: serverText || undefined, retryAfterMs: delayIn(error.message) });
}

function inStreamVerdict(error: ServerError): Verdict {
  if ((error.code ?? error.type) === 'server_is_overloaded') return { ...OVERLOADED, retryable: false };
  const known = byWords(error);
  if (known) return known;
  if (saysContextExceeded(error.message ?? '')) return CONTEXT_EXCEEDED;
  // A gateway that has started its response can report the status of the server behind it only here.
  const status = Number(error.code ?? Number.NaN);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? httpVerdict(status, error) : BROKEN_OFF;
}

/** Gemini ends so, without a word of the call, when it cannot read what the model has written. */
const UNREADABLE_CALL: Verdict = {
  ...SERVER_FAILED,
  message: 'The model wrote a tool call that the server could not read.',
};
const BROKEN_OFF: Verdict = { ...SERVER_FAILED, message: 'The server broke off its answer.' };

/** The fault of `response.incomplete` by its reason (codex-behaviour.md §2.4). */
export function incompleteFault(reason: string | undefined): ModelFault {
  const detail = reason === undefined ? undefined : `incomplete: ${reason}`;
  if (reason === 'max_output_tokens') {
    return faultOf(
      {
        kind: 'bad_response',
        message: 'The answer was longer than the server allows and was cut off.',
        retryable: false,
        action: 'retry',
      },
      { detail },
    );
  }
  if (reason === 'content_filter') return faultOf({ ...CONTENT_FILTER, retryable: true }, { detail });
  return faultOf({ ...SERVER_FAILED, message: 'The server ended its answer before it was complete.' }, { detail });
}

/**
 * The fault of a Chat `finish_reason` or a `stop_reason` of Messages, in the terms of many servers; `undefined` for an
 * ordinary end. `name`: the field.
 */
export function finishReasonFault(reason: string, name = 'finish_reason'): ModelFault | undefined {
  const verdict = finishVerdict(reason.toLowerCase());
  const answerCut = verdict === CONTEXT_EXCEEDED;
  return verdict && faultOf(verdict, { detail: `${name}: ${reason}`, answerCut });
}

function finishVerdict(reason: string): Verdict | undefined {
  // Alone, or behind a colon: `function_call_filter: MALFORMED_FUNCTION_CALL`, `content_filter: PROHIBITED_CONTENT`.
  if (/\b(?:malformed_function_call|unexpected_tool_call)$/.test(reason)) return UNREADABLE_CALL;
  switch (reason.split(':', 1)[0]) {
    case 'length':
    case 'max_tokens':
    case 'model_length':
    case 'model_context_window_exceeded':
      return CONTEXT_EXCEEDED;
    case 'content_filter':
    case 'safety':
    case 'sensitive':
    case 'prohibited_content':
    case 'blocklist':
    case 'spii':
    case 'recitation':
    case 'refusal':
      return CONTENT_FILTER;
    case 'error':
    case 'network_error':
    case 'insufficient_system_resource':
      return BROKEN_OFF;
    default:
      return undefined;
  }
}

/** The stream ended without the event that ends an answer. */
export function streamClosedFault(): ModelFault {
  return faultOf({
    kind: 'stream_closed',
    message: 'The connection closed before the answer was complete.',
    retryable: true,
    action: 'retry',
  });
}

/** The server sent no byte for so long. */
export function idleFault(milliseconds: number): ModelFault {
  return faultOf(
    { kind: 'timeout', message: 'The server stopped sending data.', retryable: true, action: 'retry' },
    { detail: `nothing received for ${Number((milliseconds / 1000).toFixed(1))} s` },
  );
}

/** The server is connected but sends no part of a response. */
export function noProgressFault(milliseconds: number): ModelFault {
  const message = `The server kept the connection open for ${describeDuration(milliseconds)} without a part of an answer.`;
  const verdict: Verdict = { kind: 'timeout', message, retryable: false, action: 'retry' };
  return faultOf(verdict, { detail: limitNote('stream.progressTimeoutMs') });
}

/** `maxBytes`: the setting `stream.maxEventBytes`. */
export function eventTooLargeFault(maxBytes: number): ModelFault {
  const message = `The server sent one event of more than ${describeBytes(maxBytes)}.`;
  const verdict: Verdict = { kind: 'bad_response', message, retryable: false, action: 'check_settings' };
  return faultOf(verdict, { detail: limitNote('stream.maxEventBytes') });
}

/** `maxBytes`: the setting `stream.maxResponseBytes`. */
export function responseTooLargeFault(maxBytes: number): ModelFault {
  const message = `The server sent more than ${describeBytes(maxBytes)} in one response.`;
  const verdict: Verdict = { kind: 'bad_response', message, retryable: false, action: 'check_settings' };
  return faultOf(verdict, { detail: limitNote('stream.maxResponseBytes') });
}

/** The fault for JSON that would need many times its size in memory. */
export function excessFault(excess: Excess): ModelFault {
  const message =
    excess === 'has too many values'
      ? 'The server sent JSON with more values than an answer can have.'
      : 'The server sent JSON that is nested too deeply for an answer.';
  return faultOf({ kind: 'bad_response', message, retryable: false, action: 'show_log' }, {});
}

/** The maximum number of items in one response: more than any model sends, and few enough to search for each delta. */
export const MOST_ITEMS = 1000;

/** The fault of a response that never ends its list of items; it is not tried again. */
export function tooManyItemsFault(): ModelFault {
  const message = `The server sent more than ${MOST_ITEMS} messages and calls in one response.`;
  return faultOf({ kind: 'bad_response', message, retryable: false, action: 'show_log' }, {});
}

function limitNote(setting: string): string {
  return `The limit is the setting ${setting}.`;
}

/** `64 KiB`, `32 MiB`, `1000 bytes`: never rounded. */
export function describeBytes(bytes: number): string {
  const units = [
    [1024 * 1024, 'MiB'],
    [1024, 'KiB'],
  ] as const;
  const [size, unit] = units.find(([each]) => bytes >= each && bytes % each === 0) ?? [1, 'bytes'];
  return `${bytes / size} ${unit}`;
}

/** The server answers with a page for a browser: a login, an error page, its start page. */
export function pageFault(page: string): ModelFault {
  return faultOf(
    {
      kind: 'bad_response',
      message: 'The server sent a web page instead of an answer: check the base URL.',
      retryable: false,
      action: 'check_settings',
    },
    { detail: plainWords(page) },
  );
}

/** The server answers with a text or a document that no model API sends, such as the greeting of its start page. */
export function foreignAnswerFault(text: string): ModelFault {
  return faultOf(
    {
      kind: 'bad_response',
      message: 'The server sent something that is no answer of a model: check the base URL.',
      retryable: false,
      action: 'check_settings',
    },
    { detail: text },
  );
}

/** `data` is an event with an invalid form. */
export function malformedFault(data: string): ModelFault {
  return faultOf(
    { kind: 'bad_response', message: 'The server sent an invalid response.', retryable: true, action: 'retry' },
    { detail: data },
  );
}
