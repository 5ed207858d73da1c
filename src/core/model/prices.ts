/** The cost of a response: by the prices of the settings (`tiller.providers.<id>.models.<slug>`), else as the server reports it. */
import type { TokenUsage } from '../../protocol/event.ts';
import type { ModelSettings } from '../../protocol/providers.ts';

/** For one token, in the currency of the settings. */
export interface Prices {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

const PER_TOKEN = 1_000_000;

/** `null` unless both input and output have a price, because a partial cost would be wrong. */
export function pricesOf(settings: ModelSettings | undefined): Prices | null {
  const { inputPrice, outputPrice } = settings ?? {};
  if (inputPrice === undefined || outputPrice === undefined) return null;
  const cachedInputPrice = settings?.cachedInputPrice ?? inputPrice;
  return {
    input: inputPrice / PER_TOKEN,
    cachedInput: cachedInputPrice / PER_TOKEN,
    output: outputPrice / PER_TOKEN,
  };
}

/**
 * `undefined` when it is not known. The prices of the user come first, because caps are in their currency. Reasoning tokens
 * are counted as output.
 */
export function costOf(usage: TokenUsage, prices: Prices | null): number | undefined {
  if (prices === null) return usage.cost;
  const newInput = Math.max(0, usage.input - usage.cachedInput);
  return newInput * prices.input + usage.cachedInput * prices.cachedInput + usage.output * prices.output;
}
