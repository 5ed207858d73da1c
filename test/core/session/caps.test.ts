/** The arithmetic of caps. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addSpending,
  type CapUnit,
  capQuestion,
  continues,
  mergeRaised,
  nextLimit,
  NOTHING_SPENT,
  pauseSentence,
  type RaisedCaps,
  reachedCap,
  type Spending,
  withRaised,
} from '../../../src/core/session/caps.ts';

const spent = (more: Partial<Spending>): Spending => ({ ...NOTHING_SPENT, ...more });
const tokenCap = fc.integer({ min: 1, max: 10_000_000 });
const costCap = fc.double({ min: Number.MIN_VALUE, max: 1e9, noNaN: true });
const unit = fc.constantFrom<CapUnit>('tokens', 'cost');

describe('a cap', () => {
  it('is asked about at every response that reaches its limit, and at no other', () => {
    const responses = fc.array(fc.integer({ min: 0, max: 3_000_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(tokenCap, responses, (cap, used) => {
        let total = NOTHING_SPENT;
        let raised: RaisedCaps = {};
        // As a user would: the limit is the next multiple of the cap above what was used when it was last reached.
        let limit = cap;
        for (const tokens of used) {
          total = addSpending(total, { tokens, cost: 0, estimated: false });
          const reached = reachedCap('turn', { tokens: cap, cost: null }, total, raised);
          expect(reached !== undefined).toBe(total.tokens >= limit);
          if (reached === undefined) continue;
          limit = (Math.floor(total.tokens / cap) + 1) * cap;
          expect(reached).toMatchObject({ unit: 'tokens', used: total.tokens, next: limit });
          raised = withRaised(raised, reached);
          expect(reachedCap('turn', { tokens: cap, cost: null }, total, raised)).toBeUndefined();
        }
      }),
    );
  });

  it('is above what was used once it is raised, whatever the figures are', () => {
    const figure = fc.double({ min: 0, max: 1e300, noNaN: true });
    fc.assert(
      fc.property(fc.oneof(tokenCap, costCap), figure, figure, (cap, more, over) => {
        const limit = cap + more;
        const used = limit + over;
        const next = nextLimit(limit, cap, used);
        expect(next).toBeGreaterThan(used);
        expect(Number.isFinite(next)).toBe(true);
      }),
    );
  });

  it('is raised once by two answers to one question, in any order, also through the file', () => {
    fc.assert(
      fc.property(tokenCap, tokenCap, tokenCap, unit, (cap, one, two, of) => {
        const first = { unit: of, cap, next: one };
        const second = { unit: of, cap, next: two };
        const both = withRaised(withRaised({}, first), second);
        expect(both).toEqual({ [of]: { cap, to: Math.max(one, two) } });
        expect(withRaised(withRaised({}, second), first)).toEqual(both);
        expect(mergeRaised(withRaised({}, first), withRaised({}, second))).toEqual(both);
        expect(mergeRaised(withRaised({}, second), withRaised({}, first))).toEqual(both);
      }),
    );
  });

  it('counts from the start when the setting is changed', () => {
    const raised = withRaised({}, { unit: 'tokens', cap: 100, next: 300 });
    const at = (tokens: number | null) => reachedCap('day', { tokens, cost: null }, spent({ tokens: 250 }), raised);
    expect(at(100)).toBeUndefined();
    expect(at(50)).toMatchObject({ limit: 50, next: 300 });
    expect(at(200)).toMatchObject({ limit: 200, next: 400 });
    expect(at(null)).toBeUndefined();
  });

  it('of tokens comes before one of the cost', () => {
    const caps = { tokens: 10, cost: 1 };
    const used = spent({ tokens: 10, cost: 1 });
    expect(reachedCap('turn', caps, used, {})).toMatchObject({ unit: 'tokens' });
    expect(reachedCap('turn', caps, used, { tokens: { cap: 10, to: 20 } })).toMatchObject({ unit: 'cost' });
  });
});

describe('the question about a cap', () => {
  const reached = {
    span: 'turn',
    unit: 'tokens',
    used: 210_000,
    estimated: false,
    cap: 200_000,
    limit: 200_000,
  } as const;
  const cost = { ...reached, unit: 'cost', used: 2.345, cap: 2, limit: 2, next: 4 } as const;

  it.each([
    [{ ...reached, next: 400_000 }, 'This turn has used 210,000 tokens; the cap is 200,000.'],
    [{ ...reached, next: 400_000, estimated: true }, 'This turn has used about 210,000 tokens; the cap is 200,000.'],
    [{ ...reached, next: 400_000, span: 'day' }, '210,000 tokens were used today; the cap is 200,000.'],
    [cost, 'This turn has cost 2.35; the cap is 2.'],
    [{ ...cost, span: 'day' }, 'Today has cost 2.35; the cap is 2.'],
    [{ ...cost, span: 'month' }, 'This month has cost 2.35; the cap is 2.'],
    [{ ...reached, next: 400_000, span: 'month' }, '210,000 tokens were used this month; the cap is 200,000.'],
    [{ ...cost, used: 0.001234, limit: 0.001 }, 'This turn has cost 0.0012; the cap is 0.001.'],
  ] as const)('%j', (cap, sentence) => {
    const body = capQuestion(cap);
    expect(body.source === 'tiller' && body.questions[0]?.question).toBe(`${sentence} Continue?`);
    expect(pauseSentence(cap)).toBe(`${sentence} Try again to continue.`);
  });

  it('is answered by the choice to continue; everything else stops', () => {
    expect(continues({ type: 'answered', answers: { cap: ['Continue'] } })).toBe(true);
    const others: readonly Record<string, string[]>[] = [{ cap: ['Stop'] }, { cap: [] }, {}, { x: ['Continue'] }];
    for (const answers of others) {
      expect(continues({ type: 'answered', answers })).toBe(false);
    }
    expect(continues({ type: 'cancelled', by: 'user' })).toBe(false);
    expect(continues({ type: 'cancelled', by: 'non_interactive' })).toBe(false);
  });
});
