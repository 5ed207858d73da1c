/**
 * The cost of a response: by the prices of the settings (`tiller.providers.<id>.models.<slug>`), else as the server
 * reports it.
 */
import type { TokenUsage } from '../../protocol/event.ts';
import type { ModelSettings } from '../../protocol/providers.ts';

/** For one token, in the currency of the settings. */
export interface Prices {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
}

const PER_TOKEN = 1_000_000;
/** Anthropic's price of a cache of five minutes, as part of that of input (platform.claude.com/docs, "Prompt caching"). */
const CACHE_WRITE = 1.25;

/** `null` unless both input and output have a price, because a partial cost would be wrong. */
export function pricesOf(settings: ModelSettings | undefined): Prices | null {
  const { inputPrice, outputPrice } = settings ?? {};
  if (inputPrice === undefined || outputPrice === undefined) return null;
  const { cachedInputPrice = inputPrice, cacheWritePrice = inputPrice * CACHE_WRITE } = settings ?? {};
  return {
    input: inputPrice / PER_TOKEN,
    cachedInput: cachedInputPrice / PER_TOKEN,
    cacheWrite: cacheWritePrice / PER_TOKEN,
    output: outputPrice / PER_TOKEN,
  };
}

/**
 * `undefined` when it is not known. The prices of the user come first, because caps are in their currency. Reasoning tokens
 * are counted as output.
 */
export function costOf(usage: TokenUsage, prices: Prices | null): number | undefined {
  if (prices === null) return usage.cost;
  const { input, cachedInput, cacheWrite = 0, output } = usage;
  const newInput = Math.max(0, input - cachedInput - cacheWrite);
  const cached = cachedInput * prices.cachedInput + cacheWrite * prices.cacheWrite;
  return newInput * prices.input + cached + output * prices.output;
}
