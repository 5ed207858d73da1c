import { describe, expect, it } from 'vitest';
import { usageIn } from '../../../src/core/model/chatUsage.ts';

const counts = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const read = { input: 100, cachedInput: 0, output: 20, reasoning: 0, total: 120 };

describe('the usage in a chunk', () => {
  it('has the details of OpenAI', () => {
    const usage = {
      ...counts,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 5 },
    };
    expect(usageIn({ choices: [], usage })).toEqual({ ...read, cachedInput: 60, reasoning: 5 });
  });

  it('has the cached tokens of DeepSeek, and the cost of OpenRouter', () => {
    expect(usageIn({ usage: { ...counts, prompt_cache_hit_tokens: 64 } })).toEqual({ ...read, cachedInput: 64 });
    expect(usageIn({ usage: { ...counts, cost: 0.0042 } })).toEqual({ ...read, cost: 0.0042 });
  });

  it('is found in the first choice, and in the field of Groq', () => {
    expect(usageIn({ choices: [{ usage: counts }] })).toEqual(read);
    expect(usageIn({ choices: [null], x_groq: { usage: counts } })).toEqual(read);
    expect(usageIn({ choices: [{}], x_groq: null })).toBeUndefined();
  });

  it('is counted where a server sends null, or a detail that cannot be read', () => {
    const usage = { prompt_tokens: 7, completion_tokens: null, total_tokens: null, cost: -1 };
    const total = { input: 7, cachedInput: 0, output: 0, reasoning: 0, total: 7 };
    expect(usageIn({ usage: { ...usage, prompt_tokens_details: null } })).toEqual(total);
    expect(usageIn({ usage: { ...usage, cost: null, prompt_tokens_details: 'none' } })).toEqual(total);
    expect(usageIn({ usage: { completion_tokens: 3 } })).toBeUndefined();
  });
});
