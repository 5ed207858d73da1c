/** Earlier messages of the user, for the composer. */
import { describe, expect, it } from 'vitest';
import { MessageHistory } from '../../../src/core/rollout/messageHistory.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = {
  now: () => new Date(1_790_000_000_999),
  monotonic: () => 0,
  sleep: async () => {},
  after: () => () => {},
};

function historyOf(storage: MemoryStorage, settings: { persistence?: 'none'; maxBytes?: number } = {}) {
  return new MessageHistory({ storage, clock, log }, () => ({ persistence: 'save-all', maxBytes: 1000, ...settings }));
}

describe('the message history', () => {
  it('returns the messages of all threads, the newest first and each once', async () => {
    const storage = new MemoryStorage();
    const history = historyOf(storage);
    await history.add('a', 'one');
    await history.add('b', 'two\nlines "quoted"');
    await history.add('a', 'one');
    await history.add('a', '  ');
    expect(await history.recent(10)).toEqual(['one', 'two\nlines "quoted"']);
    expect(await history.recent(1)).toEqual(['one']);
    expect(await history.recent(10, 5)).toEqual(['one']);
    await history.add('a', 'too long');
    expect(await history.recent(10, 5)).toEqual(['one']);
    expect(storage.files.get('history.jsonl')?.split('\n')[0]).toBe('{"session_id":"a","ts":1790000000,"text":"one"}');
  });

  it('keeps and shows nothing when it is turned off', async () => {
    const storage = new MemoryStorage();
    await historyOf(storage).add('a', 'before');
    await historyOf(storage, { persistence: 'none' }).add('a', 'secret');
    expect(await historyOf(storage, { persistence: 'none' }).recent(10)).toEqual([]);
    expect(await historyOf(storage).recent(10)).toEqual(['before']);
  });

  it('drops the oldest messages when it grows too long, but never the newest', async () => {
    const storage = new MemoryStorage();
    const history = historyOf(storage);
    for (let number = 0; number < 100; number++) await history.add('a', `message ${number}`);
    expect(storage.files.get('history.jsonl')?.length).toBeLessThanOrEqual(1000);
    const recent = await history.recent(100);
    expect(recent[0]).toBe('message 99');
    expect(recent.length).toBeGreaterThan(10);
    await history.add('a', 'x'.repeat(5000));
    expect(await history.recent(100)).toEqual(['x'.repeat(5000)]);
  });

  it('reads the intact lines of a damaged file, and does not fail a message when the disk is full', async () => {
    const storage = new MemoryStorage({
      'history.jsonl': 'junk\n{"session_id":"a","ts":1,"text":"kept"}\n{"session_id":"a',
    });
    const history = historyOf(storage);
    await history.add('b', 'new');
    expect(await history.recent(10)).toEqual(['new', 'kept']);
    storage.refuses = () => true;
    await history.add('b', 'lost');
    expect(await history.recent(10)).toEqual(['new', 'kept']);
  });
});
