/** The output of a command that is kept and reported, with a clock that the test moves. */
import { describe, expect, it } from 'vitest';
import { OutputLog } from '../../../src/core/exec/outputLog.ts';
import { OutputRelay } from '../../../src/core/exec/outputRelay.ts';
import type { Clock, Log } from '../../../src/core/ports.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';

class HandClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];
  now = () => new Date(this.#now);
  monotonic = () => this.#now;
  sleep = () => Promise.reject(new Error('Nobody sleeps here.'));
  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }
  pass(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
  }
}

function watched() {
  const clock = new HandClock();
  const told: string[] = [];
  const relay = new OutputRelay(clock, (text, stream) => told.push(stream === 'stderr' ? `!${text}` : text));
  return { clock, told, relay };
}

describe('a viewer of a command', () => {
  it('gets the first output at once and the rest in batches', () => {
    const { clock, told, relay } = watched();
    for (const word of ['a', 'b', 'c']) relay.push(word, 'stdout');
    expect(told).toEqual(['a']);
    clock.pass(30);
    expect(told).toEqual(['a', 'bc']);
    relay.push('d', 'stdout');
    expect(told).toEqual(['a', 'bc']);
    relay.flush();
    expect(told).toEqual(['a', 'bc', 'd']);
  });

  it('gets both streams in their order', () => {
    const { told, relay } = watched();
    relay.push('a', 'stdout');
    relay.push('b', 'stderr');
    relay.push('c', 'stdout');
    relay.flush();
    expect(told).toEqual(['a', '!b', 'c']);
  });

  it('gets a note in place of the middle of a flood, and then its end', () => {
    const { clock, told, relay } = watched();
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 100; count++) {
      relay.push(megabyte, 'stdout');
      clock.pass(1);
    }
    relay.push('the end', 'stdout');
    relay.flush();
    const all = told.join('');
    expect(all.length).toBeLessThan(12 * 1024 * 1024);
    expect(all).toMatch(/\[\d+ characters are not shown here\]/);
    expect(all.endsWith('xthe end')).toBe(true);
    expect(Math.max(...told.map((piece) => piece.length))).toBeLessThanOrEqual(40_000);
  });

  it('gets all of the output again after the flood', () => {
    const { clock, told, relay } = watched();
    relay.push('x'.repeat(20 * 1024 * 1024), 'stdout');
    clock.pass(10_000);
    relay.push('calm again', 'stdout');
    relay.flush();
    expect(told.at(-1)).toBe('calm again');
  });

  it('may be replaced by another one', () => {
    const { told, relay } = watched();
    const later: string[] = [];
    relay.push('a', 'stdout');
    relay.push('b', 'stdout');
    relay.redirect((text) => later.push(text));
    relay.push('c', 'stdout');
    relay.flush();
    expect([told, later]).toEqual([['a', 'b'], ['c']]);
  });
});

const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('the log of a command', () => {
  it('is not written for a short output that was not requested', async () => {
    const storage = new MemoryStorage();
    const log = new OutputLog(storage, 'logs/a.log', quiet);
    log.append('few words');
    await log.close();
    expect([log.path, await storage.readText('logs/a.log')]).toEqual([undefined, undefined]);
  });

  it('has the whole output from before and after the request', async () => {
    const storage = new MemoryStorage();
    const log = new OutputLog(storage, 'logs/a.log', quiet);
    log.append('before ');
    log.keep();
    log.append('after');
    await log.close();
    expect(await storage.readText('logs/a.log')).toBe('before after');
  });

  it('has both ends of an output over the limit, with a note of the missing size', async () => {
    const storage = new MemoryStorage();
    const log = new OutputLog(storage, 'logs/a.log', quiet);
    log.append('first');
    for (let count = 0; count < 40; count++) log.append('x'.repeat(1024 * 1024));
    log.append('last');
    await log.close();
    const text = (await storage.readText('logs/a.log')) ?? '';
    expect([text.startsWith('firstx'), text.endsWith('xlast')]).toEqual([true, true]);
    expect(text).toMatch(/\n\[\d+ characters were not kept\]\n/);
    expect(text.length).toBeLessThan(26 * 1024 * 1024);
  });

  it('does not affect the command when it cannot be written', async () => {
    const full = new MemoryStorage();
    full.canOpen = false;
    const log = new OutputLog(full, 'logs/a.log', quiet);
    log.append('x'.repeat(100_000));
    await log.close();
    expect(log.path).toBeUndefined();
  });
});
