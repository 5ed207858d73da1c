/** Converts a failure to a `ModelFault`, and limits the text that is shown of it. */
import type { ErrorAction, ErrorKind } from '../../protocol/policy.ts';
import { HIDDEN, type SecretRedactor } from '../util/secretRedactor.ts';
import { ModelFault } from './client.ts';

export interface Verdict {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly retryable: boolean;
  readonly action?: ErrorAction;
}

/** An error, its cause, and their causes; for an `AggregateError` each part. */
export function causesOf(error: unknown, depth = 0): readonly Error[] {
  if (!(error instanceof Error) || depth > 8) return [];
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [error, ...[error.cause, ...parts].flatMap((cause) => causesOf(cause, depth + 1))];
}

/** The innermost message: `connect ECONNREFUSED 127.0.0.1:1` says more than `fetch failed`. */
export function wordsOf(error: unknown): string | undefined {
  return causesOf(error).findLast((link) => link.message !== '')?.message;
}

/** The fault of a verdict; `detail` is cut and freed of control characters. */
export function faultOf(
  verdict: Verdict,
  facts: {
    status?: number;
    detail?: string | undefined;
    retryAfterMs?: number | undefined;
    answerCut?: boolean;
    cause?: unknown;
  } = {},
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
