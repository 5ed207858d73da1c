/** Tokens and costs of a turn, from the totals of its thread. */
import type { EventMsgOf, TokenUsage } from './event.ts';

type TokenCount = Omit<EventMsgOf<'token_count'>, 'type'>;

/** The sum over the requests of a turn, without those of its sub-agents. */
export interface TurnUsage {
  readonly tokens: TokenUsage;
  /** True when at least one request was estimated, because the server reported no usage. */
  readonly estimated: boolean;
  /** The sum over the requests whose cost was known; absent where none was. */
  readonly cost?: number;
}

/** The totals of a thread before its first request. */
export const NO_USAGE: TokenUsage = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };

/** Returns the sum of two usages, without costs. */
export function addUsage(left: TokenUsage, right: TokenUsage): TokenUsage {
  return {
    input: left.input + right.input,
    cachedInput: left.cachedInput + right.cachedInput,
    output: left.output + right.output,
    reasoning: left.reasoning + right.reasoning,
    total: left.total + right.total,
  };
}

/**
 * Returns the usage of a turn after the count `after`; `before` is the thread's previous count. The count of a request
 * that was not sent does not change the totals, and so leaves the usage unchanged.
 */
export function usageAfter(usage: TurnUsage | null, before: TokenCount | null, after: TokenCount): TurnUsage | null {
  const grown = subtractUsage(after.total, before?.total ?? NO_USAGE);
  if (grown.total <= 0) return usage;
  const cost = (usage?.cost ?? 0) + (after.cost?.total ?? 0) - (before?.cost?.total ?? 0);
  return {
    tokens: addUsage(usage?.tokens ?? NO_USAGE, grown),
    estimated: after.estimated || usage?.estimated === true,
    ...(cost > 0 && { cost }),
  };
}

function subtractUsage(left: TokenUsage, right: TokenUsage): TokenUsage {
  return {
    input: left.input - right.input,
    cachedInput: left.cachedInput - right.cachedInput,
    output: left.output - right.output,
    reasoning: left.reasoning - right.reasoning,
    total: left.total - right.total,
  };
}
