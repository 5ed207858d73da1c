/** Reads the token usage of Chat servers, wherever they put it. */
import * as z from 'zod';
import type { TokenUsage } from '../../protocol/event.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const usageSchema = lazyObject(() => ({
  prompt_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish().catch(undefined),
  /** DeepSeek's field for cached tokens. */
  prompt_cache_hit_tokens: z.number().nullish().catch(undefined),
  completion_tokens: z.number().nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish().catch(undefined),
  total_tokens: z.number().nullish(),
  /** OpenRouter, in credits (openrouter.ai/docs/use-cases/usage-accounting). */
  cost: z.number().nonnegative().nullish().catch(undefined),
}));

interface Counting {
  readonly usage?: unknown;
}

/** A chunk before validation. */
interface Places extends Counting {
  readonly choices?: readonly (Counting | null)[] | null;
  readonly x_groq?: Counting | null;
}

/**
 * The usage in the chunk, in its first choice (Moonshot), or in a field of the server's own (Groq). `undefined` when
 * this chunk has none.
 */
export function usageIn(chunk: object): TokenUsage | undefined {
  const { usage, choices, x_groq }: Places = chunk;
  const wire = usage ?? choices?.[0]?.usage ?? x_groq?.usage;
  if (!wire) return undefined;
  const { data } = usageSchema.safeParse(wire);
  if (!data) return undefined;
  const input = data.prompt_tokens;
  const output = data.completion_tokens ?? 0;
  return {
    input,
    cachedInput: data.prompt_tokens_details?.cached_tokens ?? data.prompt_cache_hit_tokens ?? 0,
    output,
    reasoning: data.completion_tokens_details?.reasoning_tokens ?? 0,
    total: data.total_tokens ?? input + output,
    ...(typeof data.cost === 'number' ? { cost: data.cost } : {}),
  };
}
