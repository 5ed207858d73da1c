import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelFault } from '../../../src/core/model/client.ts';
import { describeDuration } from '../../../src/core/model/describeDuration.ts';
import { RetrySchedule } from '../../../src/core/model/retry.ts';
import type { ErrorKind } from '../../../src/protocol/policy.ts';

function fault(kind: ErrorKind, options: { retryable?: boolean; retryAfterMs?: number } = {}): ModelFault {
  return new ModelFault(kind, 'It failed.', { retryable: true, ...options });
}

/** The delays until the schedule gives up, and its last answer. */
function exhaust(schedule: RetrySchedule, next: () => ModelFault) {
  const delays: number[] = [];
  while (true) {
    const decision = schedule.next(next());
    if (decision.type === 'give_up') return { delays, fault: decision.fault };
    delays.push(decision.delayMs);
  }
}

const NO_JITTER = () => 0.5;

describe('RetrySchedule', () => {
  test('doubles from 0.2 s and stops after the sixth attempt', () => {
    const { delays, fault: last } = exhaust(new RetrySchedule(NO_JITTER), () => fault('stream_closed'));
    expect(delays).toEqual([200, 400, 800, 1600, 3200]);
    expect(last).toMatchObject({ kind: 'stream_closed', message: 'It failed. Tried 6 times.', retryable: false });
  });

  test('doubles from 1 s for a rate limit without a delay', () => {
    const { delays } = exhaust(new RetrySchedule(NO_JITTER), () => fault('rate_limited'));
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  test('numbers the attempts', () => {
    const schedule = new RetrySchedule(NO_JITTER, { maxAttempts: 3 });
    expect(schedule.next(fault('network'))).toEqual({ type: 'retry', attempt: 1, of: 3, delayMs: 200 });
    expect(schedule.next(fault('network'))).toEqual({ type: 'retry', attempt: 2, of: 3, delayMs: 400 });
    expect(schedule.next(fault('network')).type).toBe('give_up');
  });

  test('uses Retry-After, up to a minute', () => {
    const asked = (retryAfterMs: number) => new RetrySchedule(NO_JITTER).next(fault('rate_limited', { retryAfterMs }));
    expect(asked(2000)).toMatchObject({ type: 'retry', delayMs: 2000 });
    expect(asked(60_000)).toMatchObject({ type: 'retry', delayMs: 60_000 });
    expect(asked(61_000)).toMatchObject({
      type: 'give_up',
      fault: { message: 'It failed. The server asked to retry after 61 seconds.' },
    });
    expect(asked(5 * 3_600_000)).toMatchObject({
      fault: { message: 'It failed. The server asked to retry after 5 hours.' },
    });
  });

  test('does not wait more than a minute in all', () => {
    const { delays, fault: last } = exhaust(new RetrySchedule(NO_JITTER), () =>
      fault('rate_limited', { retryAfterMs: 25_000 }),
    );
    expect(delays).toEqual([25_000, 25_000]);
    expect(last.message).toBe('It failed. Tried 3 times over 50 seconds; the next try would have to wait 25 seconds.');
  });

  test('gives up at once, with the same fault, when a retry cannot help', () => {
    const hopeless = fault('auth', { retryable: false });
    expect(new RetrySchedule(NO_JITTER).next(hopeless)).toEqual({ type: 'give_up', fault: hopeless });
  });

  test('is bounded in number and in time for any faults, and never faster than requested', () => {
    const kinds = fc.constantFrom<ErrorKind>('network', 'rate_limited', 'overloaded', 'timeout');
    const faults = fc.record({ kind: kinds, retryAfterMs: fc.option(fc.nat(100_000), { nil: undefined }) });
    fc.assert(
      fc.property(
        fc.infiniteStream(faults),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (next, random) => {
          let asked: number | undefined;
          const delays: number[] = [];
          const schedule = new RetrySchedule(() => random.next().value);
          for (let attempts = 1; ; attempts += 1) {
            const { kind, retryAfterMs } = next.next().value;
            asked = retryAfterMs;
            const decision = schedule.next(fault(kind, retryAfterMs === undefined ? {} : { retryAfterMs }));
            if (decision.type === 'give_up') {
              expect(decision.fault.retryable).toBe(false);
              expect(attempts).toBeLessThanOrEqual(6);
              break;
            }
            expect(decision.delayMs).toBeGreaterThanOrEqual(Math.max(asked ?? 0, 180));
            delays.push(decision.delayMs);
          }
          expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeLessThanOrEqual(60_000);
        },
      ),
    );
  });
});

test.each([
  [900, '1 second'],
  [45_000, '45 seconds'],
  [150_000, '3 minutes'],
  [3 * 3_600_000, '3 hours'],
  [5 * 24 * 3_600_000, '5 days'],
])('%i ms is %s', (milliseconds, words) => {
  expect(describeDuration(milliseconds)).toBe(words);
});
