import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { JsonLines } from '../../src/cli/print.ts';

/** A stream whose reader takes a chunk only when `take` is called, or all at once. */
function streamOf({ isSlow = false } = {}) {
  const chunks: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    highWaterMark: 1000,
    write(chunk: string, _encoding, done) {
      chunks.push(chunk);
      if (isSlow) waiting.push(done);
      else setImmediate(done);
    },
  });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    chunks,
    take: () => waiting.shift()?.(),
    text: () => chunks.join(''),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the lines of one turn of the event loop are one write', async () => {
  const { stream, chunks } = streamOf();
  const lines = new JsonLines(stream);
  lines.write({ n: 1 });
  lines.write({ n: 2 });
  expect(chunks).toEqual([]);
  await turn();
  expect(chunks).toEqual(['{"n":1}\n{"n":2}\n']);
  lines.write({ n: 3 });
  lines.flush();
  await turn();
  await turn();
  expect(chunks).toEqual(['{"n":1}\n{"n":2}\n', '{"n":3}\n']);
});

test('all lines arrive in order, in writes of limited size', async () => {
  const { stream, chunks, text } = streamOf();
  const lines = new JsonLines(stream);
  const values = Array.from({ length: 5000 }, (_, n) => ({ n, text: 'x'.repeat(n % 200) }));
  for (const value of values) lines.write(value);
  await lines.caughtUp();
  lines.flush();
  await lines.caughtUp();
  await turn();
  await turn();
  expect(text()).toBe(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  expect(chunks.length).toBeLessThan(20);
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(70_000);
});

test('a value is turned into text only when a slow reader has taken what is before it', async () => {
  const { stream, take, text } = streamOf({ isSlow: true });
  const lines = new JsonLines(stream);
  let asked = 0;
  const value = {
    toJSON: () => {
      asked += 1;
      return 'y'.repeat(70_000);
    },
  };
  lines.write(value);
  lines.write(value);
  lines.write(value);
  await turn();
  expect(asked).toBeLessThan(3);
  let isCaughtUp = false;
  const caughtUp = lines.caughtUp()?.then(() => (isCaughtUp = true));
  expect(isCaughtUp).toBe(false);
  const isAsked = () => asked === 3;
  for (let n = 0; n < 10 && !isAsked(); n++) {
    take();
    await turn();
  }
  expect(asked).toBe(3);
  lines.flush();
  for (let n = 0; n < 10; n++) {
    take();
    await turn();
  }
  await caughtUp;
  expect(lines.caughtUp()).toBeUndefined();
  expect(text().length).toBe(3 * 70_003);
});
