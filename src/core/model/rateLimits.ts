/**
 * Reads how much of a rate limit is left, from the headers of a response: `x-ratelimit-{limit,remaining,reset}-requests`
 * and `-tokens` (OpenAI, Azure, Groq; platform.openai.com/docs/guides/rate-limits), and `x-ratelimit-limit`,
 * `-remaining`, `-reset` without a kind (OpenRouter; openrouter.ai/docs/api-reference/limits), and
 * `anthropic-ratelimit-{requests,tokens}-{limit,remaining,reset}` (platform.claude.com/docs/en/api/rate-limits).
 */
import type { RateLimit, RateLimits } from '../../protocol/event.ts';
import type { FetchHeaders } from '../ports.ts';

/** `undefined` when the server sends none. */
export function rateLimitsIn(headers: FetchHeaders, now: Date): RateLimits | undefined {
  const limit = (header: (name: string) => string) => limitIn(headers, header, now);
  const requests =
    limit((name) => `x-ratelimit-${name}-requests`) ??
    limit((name) => `x-ratelimit-${name}`) ??
    limit((name) => `anthropic-ratelimit-requests-${name}`);
  const tokens = limit((name) => `x-ratelimit-${name}-tokens`) ?? limit((name) => `anthropic-ratelimit-tokens-${name}`);
  if (!requests && !tokens) return undefined;
  return { ...(requests && { requests }), ...(tokens && { tokens }) };
}

function limitIn(headers: FetchHeaders, header: (name: string) => string, now: Date): RateLimit | undefined {
  const amount = (name: string) => amountOf(headers.get(header(name)));
  const remaining = amount('remaining');
  if (remaining === undefined) return undefined;
  const limit = amount('limit');
  const resetsInMs = durationOf(headers.get(header('reset')), now);
  return {
    remaining,
    ...(limit === undefined ? {} : { limit }),
    ...(resetsInMs === undefined ? {} : { resetsInMs }),
  };
}

function amountOf(value: string | null): number | undefined {
  return value !== null && /^\d{1,15}$/.test(value.trim()) ? Number(value) : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Above this a number is a time, not a duration: seconds since 1970. */
const LONGEST_SECONDS = 10_000_000;
/** Above this it is milliseconds since 1970. */
const LATEST_SECONDS = 100_000_000_000;

/** `6m0s`, `20ms`, `1.5s`, seconds, a time since 1970 in seconds or milliseconds, or a time as RFC 3339 writes it. */
function durationOf(value: string | null, now: Date): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number > LATEST_SECONDS) return Math.max(0, number - now.getTime());
    return number > LONGEST_SECONDS ? Math.max(0, number * 1000 - now.getTime()) : number * 1000;
  }
  if (/^\d{4}-\d\d-\d\dT/.test(text)) {
    const time = Date.parse(text);
    return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
  }
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g);
  return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 0), 0);
}
