/** The queue, the emitter, the store and the cancellable waits. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { abortable, onAbort } from '../../../src/core/util/abort.ts';
import { AsyncQueue } from '../../../src/core/util/asyncQueue.ts';
import { DisposableStore } from '../../../src/core/util/disposable.ts';
import { Emitter } from '../../../src/core/util/emitter.ts';
import { mapTexts } from '../../../src/core/util/mapTexts.ts';

describe('a queue', () => {
  it('returns values in order, whether they were added before or during reading, and ends when it is closed', async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1);
    queue.push(2);
    const read: number[] = [];
    const reading = (async () => {
      for await (const value of queue) {
        read.push(value);
        if (value === 2) queue.push(3);
        if (value === 3) queue.close();
      }
    })();
    await reading;
    queue.push(4);
    expect(read).toEqual([1, 2, 3]);
    expect(queue.size).toBe(0);
  });

  it('resumes a waiting reader', async () => {
    const queue = new AsyncQueue<string>();
    const next = queue[Symbol.asyncIterator]().next();
    await new Promise((resolve) => setTimeout(resolve, 5));
    queue.push('late');
    expect(await next).toEqual({ done: false, value: 'late' });
  });
});

describe('an emitter', () => {
  it('calls listeners in registration order, also when one of them throws', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<string>((error) => errors.push(error));
    const heard: string[] = [];
    emitter.event((value) => heard.push(`first ${value}`));
    emitter.event(() => {
      throw new Error('deaf');
    });
    const third = emitter.event((value) => heard.push(`third ${value}`));
    emitter.fire('one');
    third.dispose();
    emitter.fire('two');
    emitter.dispose();
    emitter.fire('three');
    expect(heard).toEqual(['first one', 'third one', 'first two']);
    expect(errors).toEqual([new Error('deaf'), new Error('deaf')]);
  });
});

describe('a store', () => {
  it('disposes in reverse order, each once, and late additions at once', () => {
    const closed: string[] = [];
    const store = new DisposableStore();
    store.add({ dispose: () => closed.push('a') });
    store.add({ dispose: () => closed.push('b') });
    store.dispose();
    store.dispose();
    store.add({ dispose: () => closed.push('late') });
    expect(closed).toEqual(['b', 'a', 'late']);
  });

  it('disposes the rest when one dispose throws, and reports that', () => {
    const closed: string[] = [];
    const store = new DisposableStore();
    store.add({ dispose: () => closed.push('a') });
    store.add({
      dispose: () => {
        throw new Error('stuck');
      },
    });
    expect(() => store.dispose()).toThrow('stuck');
    expect(closed).toEqual(['a']);
  });
});

describe('a cancellable wait', () => {
  it('ends with its promise and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(1), signal)).toBe(1);
    await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    await Promise.resolve();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason, before and during the wait; later results are ignored', async () => {
    const controller = new AbortController();
    const late = deferred();
    const waiting = abortable(late.promise, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(abortable(Promise.resolve(1), controller.signal)).rejects.toThrow('enough');
    late.reject(new Error('nobody hears this'));
  });

  it('calls back once, at once when it is already aborted, and not after it was removed', () => {
    const controller = new AbortController();
    const heard: string[] = [];
    onAbort(controller.signal, () => heard.push('kept'));
    onAbort(controller.signal, () => heard.push('gone'))();
    controller.abort();
    onAbort(controller.signal, () => heard.push('late'));
    expect(heard).toEqual(['kept', 'late']);
  });
});

describe('the texts of a value', () => {
  it('are mapped wherever they are; keys and values of other types stay', () => {
    const value = { key: 'key', list: ['a key', 1, null, { key: true }], none: undefined };
    expect(mapTexts(value, (text) => text.replaceAll('key', '…'))).toEqual({
      key: '…',
      list: ['a …', 1, null, { key: true }],
      none: undefined,
    });
  });
});

function deferred() {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_, rejectIt) => {
    reject = rejectIt;
  });
  return { promise, reject };
}
