import { expect, test } from 'vitest';
import type { Clock } from '../../../src/core/ports.ts';
import { CallTimer } from '../../../src/core/tools/mcp/callTimer.ts';

/** A clock that stands still until it is moved. */
class HeldClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  now(): Date {
    return new Date(this.#now);
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(): Promise<void> {
    return Promise.reject(new Error('Nothing sleeps here.'));
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  move(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
  }
}

test('the time-out of a call stands still while its server waits for the user', async () => {
  const clock = new HeldClock();
  let expired = 0;
  const timer = new CallTimer(clock, 100, () => expired++);
  clock.move(60);
  let answer: (value: string) => void = () => {};
  const waiting = timer.pausedFor(
    () =>
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
  );
  clock.move(10_000);
  expect(expired).toBe(0);
  answer('yes');
  expect(await waiting).toBe('yes');
  clock.move(39);
  expect(expired).toBe(0);
  clock.move(1);
  expect(expired).toBe(1);
});

test('a call that has ended does not expire, also when its server still waited for the user', async () => {
  const clock = new HeldClock();
  let expired = 0;
  const timer = new CallTimer(clock, 100, () => expired++);
  const waiting = timer.pausedFor(() => Promise.resolve());
  timer.stop();
  await waiting;
  clock.move(1_000);
  expect(expired).toBe(0);
});
