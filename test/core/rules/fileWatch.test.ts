/** Files are watched only while there is a listener. */
import { expect, it } from 'vitest';
import { FileWatch } from '../../../src/core/rules/fileWatch.ts';

/** A clock that the test moves. */
function windUp() {
  const waiting = new Set<() => void>();
  const clock = {
    now: () => new Date(0),
    monotonic: () => 0,
    sleep: async () => {},
    after: (_milliseconds: number, callback: () => void) => {
      waiting.add(callback);
      return () => void waiting.delete(callback);
    },
  };
  const tick = async () => {
    for (const callback of [...waiting]) {
      waiting.delete(callback);
      callback();
    }
    await new Promise(setImmediate);
  };
  return { clock, waiting, tick };
}

it('a file watch reports each change once, from the first open to the last close', async () => {
  const { clock, waiting, tick } = windUp();
  let stamp = 'one';
  let changes = 0;
  const watch = new FileWatch(
    clock,
    async () => stamp,
    () => void changes++,
  );
  expect(waiting.size).toBe(0);
  const first = watch.open();
  const second = watch.open();
  await tick();
  expect([waiting.size, changes]).toEqual([1, 0]);
  stamp = 'two';
  await tick();
  await tick();
  expect(changes).toBe(1);
  first.dispose();
  first.dispose();
  stamp = 'three';
  await tick();
  expect(changes).toBe(2);
  second.dispose();
  expect(waiting.size).toBe(0);
  stamp = 'four';
  const third = watch.open();
  await tick();
  expect(changes).toBe(2);
  third.dispose();
});

it('a file watch treats a file that cannot be read as unchanged', async () => {
  const { clock, tick } = windUp();
  const looks = ['one', undefined, 'one', 'two'];
  let changes = 0;
  const look = async () => looks.shift() ?? Promise.reject(new Error('EIO'));
  const watch = new FileWatch(clock, look, () => void changes++).open();
  for (let i = 0; i < 3; i++) await tick();
  expect(changes).toBe(0);
  await tick();
  expect(changes).toBe(1);
  watch.dispose();
});
