/** The tokens that a thread has used, and their cost. */
import { describe, expect, it } from 'vitest';
import { costOf, pricesOf } from '../../../src/core/model/prices.ts';
import { TokenMeter } from '../../../src/core/session/tokenMeter.ts';
import type { TokenUsage } from '../../../src/protocol/event.ts';
import { prompt, userSays } from '../model/harness.ts';

const unpriced = { contextWindow: 1000, prices: null };
const priced = { contextWindow: 1000, prices: pricesOf({ inputPrice: 2, cachedInputPrice: 0.5, outputPrice: 10 }) };
const usage = (input: number, cachedInput: number, output: number): TokenUsage => ({
  input,
  cachedInput,
  output,
  reasoning: 0,
  total: input + output,
});

describe('the meter', () => {
  it('reports the last request and the sum of all, on top of earlier counts', () => {
    const meter = new TokenMeter(null);
    meter.count(usage(100, 0, 10), prompt(), [], unpriced);
    const second = meter.count(usage(200, 100, 20), prompt(), [], unpriced);
    const sum = { input: 300, cachedInput: 100, output: 30, reasoning: 0, total: 330 };
    expect(second).toMatchObject({ last: usage(200, 100, 20), total: sum, contextWindow: 1000, estimated: false });
    expect(new TokenMeter(second).count(usage(1, 0, 1), prompt(), [], unpriced).total.total).toBe(332);
  });

  it('is full when the server reports a full window, and the sum stays', () => {
    const meter = new TokenMeter(null);
    const { total } = meter.count(usage(100, 0, 10), prompt(), [], unpriced);
    expect(meter.full(1000)).toEqual({
      last: { input: 1000, cachedInput: 0, output: 0, reasoning: 0, total: 1000 },
      total,
      contextWindow: 1000,
      estimated: true,
    });
  });
});

describe('a compaction', () => {
  const long = prompt({ instructions: 'x'.repeat(9000), input: [userSays('y'.repeat(9000))] });
  const short = prompt({ instructions: 'x'.repeat(9000), input: [userSays('y'.repeat(1000))] });

  it('is paid for, and leaves an estimate of the rest', () => {
    const meter = new TokenMeter(null);
    const before = meter.count(usage(6000, 0, 10), long, [], priced);
    meter.spend(usage(6100, 6000, 100), long, [], priced.prices);
    const after = meter.foresee(short, 1000);
    expect(after.total).toMatchObject({ input: 12_100, cachedInput: 6000, output: 110 });
    expect(after.cost?.total).toBeCloseTo((before.cost?.total ?? 0) + (100 * 2 + 6000 * 0.5 + 100 * 10) / 1e6);
    expect(after).toMatchObject({ estimated: true, contextWindow: 1000 });
    // By the counts of the server: 18,000 bytes and some were 6,000 tokens.
    expect(after.last.total).toBeGreaterThan(3300);
    expect(after.last.total).toBeLessThan(3500);
  });

  it('is due by the last count and an estimate of later items', () => {
    const meter = new TokenMeter(null);
    expect(meter.next(short)).toBe(meter.estimate(short));
    meter.count(usage(500_000, 0, 1000), short, [], unpriced);
    const more = { ...short, input: [...short.input, userSays('z'.repeat(4000))] };
    expect(meter.next(more)).toBeGreaterThan(501_900);
    expect(meter.next(more)).toBeLessThan(502_100);
    const resumed = new TokenMeter(meter.count(usage(500_000, 0, 1000), short, [], unpriced), short.input.length);
    expect(resumed.next(more)).toBe(meter.next(more));
    expect(meter.next(short)).toBe(501_000);
  });

  it('is due by all later items, also when the last ones that were counted have left the history', () => {
    const meter = new TokenMeter(null);
    meter.count(usage(1000, 0, 100), short, [{ type: 'reasoning', summary: [] }], unpriced);
    const more = { ...short, input: [...short.input, userSays('z'.repeat(4000))] };
    meter.removed(1);
    expect(meter.next(more)).toBeGreaterThan(2000);
  });
});

describe('an estimate', () => {
  const long = prompt({ instructions: 'x'.repeat(9000), input: [userSays('y'.repeat(1000))] });

  it('counts four bytes a token', () => {
    const { last, estimated } = new TokenMeter(null).count(null, long, [userSays('z'.repeat(400))], unpriced);
    expect(estimated).toBe(true);
    expect(last.input).toBeGreaterThan(2500);
    expect(last.input).toBeLessThan(2550);
    expect(last.output).toBeGreaterThan(100);
  });

  it('uses the ratio of the last count of the server', () => {
    const meter = new TokenMeter(null);
    meter.count(usage(3400, 0, 10), long, [], unpriced);
    const { last } = meter.count(null, long, [], unpriced);
    expect(last.input).toBe(3400);
  });

  it('keeps the ratio in a resumed thread', () => {
    const before = new TokenMeter(null).count(usage(3400, 0, 10), long, [], unpriced);
    expect(new TokenMeter(before).count(null, long, [], unpriced).last.input).toBe(3400);
    const full = new TokenMeter(before).full(1000);
    expect(new TokenMeter(full).count(null, long, [], unpriced).last.input).toBe(3400);
  });

  it('ignores a count that is impossible for its text', () => {
    const meter = new TokenMeter(null);
    meter.count(usage(100, 0, 10), prompt(), [], unpriced);
    meter.count(usage(100_000, 0, 10), long, [], unpriced);
    expect(meter.count(null, long, [], unpriced).last.input).toBeLessThan(2550);
  });
});

describe('the cost', () => {
  it('counts cached input at its own price where both prices are set', () => {
    const meter = new TokenMeter(null);
    const first = meter.count(usage(1_000_000, 0, 100_000), prompt(), [], priced);
    expect(first.cost).toEqual({ last: 3, total: 3 });
    const second = meter.count(usage(1_000_000, 1_000_000, 0), prompt(), [], priced);
    expect(second.cost).toEqual({ last: 0.5, total: 3.5 });
    expect(new TokenMeter(second).count(usage(0, 0, 100_000), prompt(), [], priced).cost).toEqual({
      last: 1,
      total: 4.5,
    });
  });

  it('has a price of its own for what is written to the cache, a quarter above that of input unless it is set', () => {
    const written = { ...usage(1_000_000, 500_000, 0), cacheWrite: 400_000 };
    const cost = (more: { cacheWritePrice?: number }) =>
      costOf(written, pricesOf({ inputPrice: 2, cachedInputPrice: 0.5, outputPrice: 10, ...more }));
    expect(cost({})).toBeCloseTo(0.2 + 0.25 + 1);
    expect(cost({ cacheWritePrice: 5 })).toBeCloseTo(0.2 + 0.25 + 2);
  });

  it('is that of the server where the settings have no prices', () => {
    const meter = new TokenMeter(null);
    const reported = { ...usage(1_000_000, 0, 100_000), cost: 0.25 };
    expect(meter.count(reported, prompt(), [], unpriced).cost).toEqual({ last: 0.25, total: 0.25 });
    expect(meter.count(reported, prompt(), [], priced).cost).toEqual({ last: 3, total: 3.25 });
  });

  it('is not shown without both prices', () => {
    expect(new TokenMeter(null).count(usage(1, 0, 1), prompt(), [], unpriced).cost).toBeUndefined();
    expect(pricesOf(undefined)).toBeNull();
    expect(pricesOf({ inputPrice: 1 })).toBeNull();
    expect(pricesOf({ inputPrice: 0, outputPrice: 0 })).toEqual({
      input: 0,
      cachedInput: 0,
      cacheWrite: 0,
      output: 0,
    });
  });
});
