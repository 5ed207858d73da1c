/**
 * Converts every failure of a request to a `ModelFault`: a kind, one plain sentence of Tiller, the original message,
 * one action, and whether to retry (design decision 18; docs/cli.md, "Faults"; for codes of `response.failed`
 * codex-behaviour.md §2.6).
 */
import * as z from 'zod';
import { ownValue } from '../../protocol/ownValue.ts';
import type { ErrorAction, ErrorKind } from '../../protocol/policy.ts';
import { ModelFault } from './client.ts';
import { HIDDEN, type SecretRedactor } from '../util/secretRedactor.ts';
import { describeDuration } from './describeDuration.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

interface Verdict {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly retryable: boolean;
  readonly action?: ErrorAction;
}

// ---------------------------------------------------------------- errors in a response

const serverErrorSchema = lazyObject(() => ({
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
  type: z.string().nullish().catch(undefined),
  message: z.string().nullish().catch(undefined),
  param: z.string().nullish().catch(undefined),
  resets_at: z.number().nullish().catch(undefined),
  resets_in_seconds: z.number().nullish().catch(undefined),
}));
export type ServerError = z.infer<typeof serverErrorSchema>;

/**
 * The error in a JSON document of any of the shapes that servers use: `{error: {…}}`, `{error: "…"}`, `{message}`,
 * `{detail}`, `{errors: […]}`, or one of these as the only element of a list; an empty one when there is none.
 */
export function serverErrorIn(answer: unknown): ServerError {
  const document: unknown = Array.isArray(answer) ? answer[0] : answer;
  if (typeof document === 'string') return { message: plainWords(document) };
  if (!isRecord(document)) return {};
  const { error, errors, detail } = document;
  if (typeof error === 'string') {
    return { ...serverErrorIn({ ...document, error: undefined }), message: plainWords(error) };
  }
  const inner: unknown = error ?? (Array.isArray(errors) ? errors[0] : undefined);
  if (isRecord(inner)) return readError(inner);
  const own = readError(document);
  if (own.message || detail === undefined) return own;
  return { ...own, message: typeof detail === 'string' ? detail : JSON.stringify(detail) };
}

/** Some gateways have the list of a validator as the message. */
function readError(error: Readonly<Record<string, unknown>>): ServerError {
  const { message } = error;
  const isList = typeof message === 'object' && message !== null;
  return serverErrorSchema.parse(isList ? { ...error, message: JSON.stringify(message) } : error);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MARKUP = /^\s*<(?:!doctype|\?xml|html|head|body|title|center|h\d|p|pre)\b/i;

/** The visible text, if it is a page of HTML. */
function plainWords(text: string): string {
  if (!MARKUP.test(text)) return text;
  const page = text.slice(0, LONGEST_PAGE);
  const [, title] = /<title[^<>]*>([^<]+)/i.exec(page) ?? [];
  const body = page.replaceAll(/<(script|style)\b[^<>]*>[^<]*|<[^<>]*>/gi, ' ');
  return (title ?? body).replaceAll(/\s+/g, ' ').trim();
}

/** True for text that begins like HTML or XML, as neither JSON nor an event stream does. */
export function isPage(text: string): boolean {
  return /^\s*</.test(text);
}

const LONGEST_PAGE = 10_000;

const QUOTA: Verdict = {
  kind: 'quota',
  message: 'The account has no quota left for this model.',
  retryable: false,
  action: 'check_settings',
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
  insufficient_quota: QUOTA,
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

const MENTIONS_CONTEXT_EXCEEDED =
  /context[ _](?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens|exceeds? the (?:available|model'?s?) (?:context|maximum)/i;
const MENTIONS_MODEL_UNKNOWN =
  /model\b.{0,80}\b(?:not found|does(?: not|n't) exist|not exist|unknown|not available|not supported)|(?:unknown|invalid|no such) model|not a valid model|no models? (?:is |are )?loaded/i;

function byWords(error: ServerError): Verdict | undefined {
  for (const name of [error.code, error.type]) {
    const verdict = ownValue(BY_CODE, String(name ?? '').toLowerCase());
    if (verdict) return verdict;
  }
  return undefined;
}

// ---------------------------------------------------------------- HTTP status

/** The fault of an HTTP error. `note`: a remark on its text, e.g. that it was cut. */
export function httpFault(status: number, headers: Headers, document: unknown, now: Date, note?: string): ModelFault {
  const error = serverErrorIn(document);
  const words = error.message ?? undefined;
  const name = note === undefined ? `HTTP ${status}` : `HTTP ${status} (${note})`;
  const parameter = error.param && !words?.includes(error.param) ? ` (${error.param})` : '';
  return faultOf(httpVerdict(status, error), {
    status,
    detail: words === undefined ? `${name}${parameter}` : `${name}: ${words}${parameter}`,
    retryAfterMs: retryAfter(headers, now) ?? resetsIn(error, now) ?? delayIn(words),
  });
}

function httpVerdict(status: number, error: ServerError): Verdict {
  const known = byWords(error);
  const words = error.message ?? '';
  switch (status) {
    case 400:
    case 413:
    case 422:
      if (known) return { ...known, retryable: false };
      if (MENTIONS_CONTEXT_EXCEEDED.test(words) || status === 413) return CONTEXT_EXCEEDED;
      return MENTIONS_MODEL_UNKNOWN.test(words) ? MODEL_NOT_FOUND : REFUSED;
    case 401:
      return AUTH;
    case 402:
      return QUOTA;
    case 403:
      if (known) return { ...known, retryable: false };
      return { ...AUTH, message: 'The API key is not allowed to do this.' };
    case 404:
      if (known) return { ...known, retryable: false };
      if (MENTIONS_MODEL_UNKNOWN.test(words)) return MODEL_NOT_FOUND;
      return {
        kind: 'config',
        message: 'There is no model service at this address: check the base URL.',
        retryable: false,
        action: 'check_settings',
      };
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
        const isFull = known?.kind === 'context_exceeded' || /context size has been exceeded/i.test(words);
        return isFull ? CONTEXT_EXCEEDED : SERVER_FAILED;
      }
      return known ? { ...known, retryable: false } : REFUSED;
  }
}

/** The milliseconds in `retry-after-ms` or `retry-after` (seconds or a date). */
export function retryAfter(headers: Headers, now: Date): number | undefined {
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

/** Parses “try again in 1.5s” (codex-behaviour.md §2.6, "Delay parsing"). */
export function delayIn(words: string | null | undefined): number | undefined {
  const match = /try again in\s*(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|seconds?|m|minutes?)\b/i.exec(words ?? '');
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
  const words = [error.code ?? error.type, error.message].filter(Boolean).join(': ');
  return faultOf(inStreamVerdict(error), { detail: words || undefined, retryAfterMs: delayIn(error.message) });
}

function inStreamVerdict(error: ServerError): Verdict {
  if (error.code === 'server_is_overloaded') return { ...OVERLOADED, retryable: false };
  const known = byWords(error);
  if (known) return known;
  if (MENTIONS_CONTEXT_EXCEEDED.test(error.message ?? '')) return CONTEXT_EXCEEDED;
  // A gateway that has started its response can report the status of the server behind it only here.
  const status = Number(error.code ?? Number.NaN);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? httpVerdict(status, error) : BROKEN_OFF;
}

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

/** The fault of a Chat `finish_reason`, in the terms of many servers; `undefined` for an ordinary end. */
export function finishReasonFault(reason: string): ModelFault | undefined {
  const verdict = finishVerdict(reason.toLowerCase());
  const answerCut = verdict === CONTEXT_EXCEEDED;
  return verdict && faultOf(verdict, { detail: `finish_reason: ${reason}`, answerCut });
}

function finishVerdict(reason: string): Verdict | undefined {
  switch (reason) {
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return CONTEXT_EXCEEDED;
    case 'content_filter':
    case 'safety':
      return CONTENT_FILTER;
    case 'error':
    case 'insufficient_system_resource':
      return BROKEN_OFF;
    default:
      return undefined;
  }
}

export function streamClosedFault(cause?: unknown): ModelFault {
  return faultOf(
    {
      kind: 'stream_closed',
      message: 'The connection closed before the answer was complete.',
      retryable: true,
      action: 'retry',
    },
    { detail: wordsOf(cause), cause },
  );
}

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

export function eventTooLargeFault(maxBytes: number): ModelFault {
  const message = `The server sent one event of more than ${describeBytes(maxBytes)}.`;
  const verdict: Verdict = { kind: 'bad_response', message, retryable: false, action: 'check_settings' };
  return faultOf(verdict, { detail: limitNote('stream.maxEventBytes') });
}

export function responseTooLargeFault(maxBytes: number): ModelFault {
  const message = `The server sent more than ${describeBytes(maxBytes)} in one response.`;
  const verdict: Verdict = { kind: 'bad_response', message, retryable: false, action: 'check_settings' };
  return faultOf(verdict, { detail: limitNote('stream.maxResponseBytes') });
}

/** For JSON that would need many times its size in memory. */
export function tooManyValuesFault(): ModelFault {
  const message = 'The server sent JSON with more values than an answer can have.';
  return faultOf({ kind: 'bad_response', message, retryable: false, action: 'show_log' }, {});
}

/** The maximum number of items in one response: more than any model sends, and few enough to search for each delta. */
export const MOST_ITEMS = 1000;

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

// ---------------------------------------------------------------- network

const PROXY_AUTH: Verdict = {
  kind: 'proxy',
  message: 'The proxy requires a user name and password.',
  retryable: false,
  action: 'check_network',
};

const NO_TLS_CODE = /^(?:ERR_SSL_|EPROTO$)/;
const CERTIFICATE_CODE =
  /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;
const UNUSABLE_ADDRESS = /^(?:ERR_INVALID_URL|ERR_INVALID_PROTOCOL|ERR_UNESCAPED_CHARACTERS|ERR_INVALID_CHAR)$/;
const TIMEOUT_CODE = /^(?:ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_\w+_TIMEOUT)$/;
const CLOSED_CODE = /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE)$/;
const NOT_HTTP_CODE = /^(?:HPE_\w+|ERR_UNUSABLE_ANSWER)$/;

/** The fault of an exception from the network. If a `ModelFault` is among its causes, that one. */
export function networkFault(error: unknown, phase: 'connecting' | 'streaming'): ModelFault {
  const chain = causesOf(error);
  const known = chain.find((link) => link instanceof ModelFault);
  if (known) return known;
  const codes = chain.map((link) => ('code' in link && typeof link.code === 'string' ? link.code : ''));
  const words = chain.map((link) => link.message).join(' ');
  return faultOf(networkVerdict(codes, words, phase), { detail: wordsOf(error), cause: error });
}

function networkVerdict(codes: readonly string[], words: string, phase: 'connecting' | 'streaming'): Verdict {
  const any = (pattern: RegExp) => codes.some((code) => pattern.test(code));
  if (/\bproxy\b|tunneling socket|CONNECT (?:request|response)/i.test(words)) {
    if (/\b407\b/.test(words)) return PROXY_AUTH;
    if (any(UNUSABLE_ADDRESS)) {
      return { kind: 'proxy', message: 'The proxy cannot be used.', retryable: false, action: 'check_network' };
    }
    return {
      kind: 'proxy',
      message: 'The proxy blocked the request.',
      retryable: true,
      action: 'check_network',
    };
  }
  if (any(NO_TLS_CODE)) {
    return {
      kind: 'tls',
      message:
        'No secure connection to the server could be established: check whether its address must begin with http://.',
      retryable: false,
      action: 'check_settings',
    };
  }
  if (any(CERTIFICATE_CODE)) return certificateVerdict(any);
  if (any(UNUSABLE_ADDRESS)) {
    return {
      kind: 'config',
      message: 'The request cannot be sent: check the base URL, the headers and the key.',
      retryable: false,
      action: 'check_settings',
    };
  }
  if (any(TIMEOUT_CODE)) {
    return { kind: 'timeout', message: 'The server did not answer in time.', retryable: true, action: 'retry' };
  }
  if (any(/^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/)) {
    return {
      kind: 'network',
      message: 'The server’s name cannot be resolved.',
      retryable: true,
      action: 'check_network',
    };
  }
  if (any(/^ECONNREFUSED$/)) {
    return {
      kind: 'network',
      message: 'Nothing answers at the server’s address.',
      retryable: true,
      action: 'check_network',
    };
  }
  if (phase === 'connecting' && any(NOT_HTTP_CODE)) {
    return {
      kind: 'bad_response',
      message: 'The server at this address did not answer with valid HTTP: check the base URL.',
      retryable: true,
      action: 'check_settings',
    };
  }
  if (phase === 'streaming' || any(CLOSED_CODE)) {
    return {
      kind: 'stream_closed',
      message: 'The connection closed before the answer was complete.',
      retryable: true,
      action: 'retry',
    };
  }
  return { kind: 'network', message: 'The server cannot be reached.', retryable: true, action: 'check_network' };
}

/** Errors of a certificate, by the codes of Node (nodejs.org/api/tls.html, “X509 certificate error codes”). */
function certificateVerdict(any: (pattern: RegExp) => boolean): Verdict {
  if (any(/^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/)) {
    return {
      kind: 'tls',
      message: 'The server’s certificate is for another name: check the base URL.',
      retryable: false,
      action: 'check_settings',
    };
  }
  if (any(/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/)) {
    return {
      kind: 'tls',
      message: 'The server’s certificate has expired or is not valid yet: check also the clock of this machine.',
      retryable: false,
      action: 'check_network',
    };
  }
  return {
    kind: 'tls',
    message:
      'The server’s certificate is not trusted on this machine. If it is the right one, let the variable NODE_EXTRA_CA_CERTS name a file with the certificate that signed it, and start again. VS Code also trusts the certificates of the system (setting http.systemCertificates). Tiller checks every certificate: the setting http.proxyStrictSSL does not change that.',
    retryable: false,
    action: 'check_network',
  };
}

/** An error, its cause, and their causes; for an `AggregateError` each part. */
function causesOf(error: unknown, depth = 0): readonly Error[] {
  if (!(error instanceof Error) || depth > 8) return [];
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [error, ...[error.cause, ...parts].flatMap((cause) => causesOf(cause, depth + 1))];
}

/** The innermost message: `connect ECONNREFUSED 127.0.0.1:1` says more than `fetch failed`. */
function wordsOf(error: unknown): string | undefined {
  return causesOf(error).findLast((link) => link.message !== '')?.message;
}

function faultOf(
  verdict: Verdict,
  facts: {
    status?: number;
    detail?: string | undefined;
    retryAfterMs?: number | undefined;
    answerCut?: boolean;
    cause?: unknown;
  },
): ModelFault {
  const { kind, message, retryable, action } = verdict;
  const detail = facts.detail?.slice(0, LONGEST_READ).replaceAll(STEERING, ' ');
  return new ModelFault(kind, message, { retryable, action, ...facts, detail });
}

/** Characters that control a terminal or change the direction of text; they are removed from messages. */
const STEERING = /[^\P{Cc}\t\n]|[\u202A-\u202E\u2066-\u2069]/gu;

/** In characters: how much of a server's message is kept until keys in it are redacted. */
const LONGEST_READ = 16_384;
/** In characters: how much of it is shown, because an error page is not a message. */
const LONGEST_DETAIL = 2000;

/** The fault for display: redacted and shortened. A key that was cut is redacted too. */
export function shownFault(fault: ModelFault, keys: SecretRedactor): ModelFault {
  const { detail } = fault;
  if (detail === undefined) return fault;
  const { shown, held } = keys.hideBeginning(detail);
  const isCut = detail.length >= LONGEST_READ && held !== '';
  const whole = shown + (isCut ? HIDDEN : keys.hide(held));
  const short = whole.length > LONGEST_DETAIL ? `${whole.slice(0, LONGEST_DETAIL)}…` : whole;
  return short === detail ? fault : fault.reworded(short);
}
