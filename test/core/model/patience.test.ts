/** The time limits of a server, with a clock that the test moves. */
import type { WireApi } from '../../../src/protocol/providers.ts';
import { describe, expect, test } from 'vitest';
import { recordStream, says } from '../../support/modelServer.ts';
import { limitsOf } from '../../../src/core/model/providerConfig.ts';
import { clientReading, collectResponse, textIn } from './harness.ts';

const MINUTE = 60_000;

/** Timers that fire when the test moves the clock. */
function handClock() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly ring: () => void }>();
  return {
    now: () => new Date(now),
    after(milliseconds: number, ring: () => void) {
      const timer = { at: now + milliseconds, ring };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async pass(milliseconds: number) {
      now += milliseconds;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.ring();
      }
      // Lets the code that waits for the clock continue.
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    },
  };
}

describe.each<WireApi>(['responses', 'chat'])('a server that takes its time, on %s', (wire) => {
  const stream = recordStream(wire, [says('At last.')]);

  /** Responds when the test says so, in the chunks that it sends. */
  function slowServer() {
    const clock = handClock();
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    let answer = () => {};
    const answered = new Promise<Response>((resolve) => {
      answer = () => resolve(new Response(body.readable, { headers: { 'content-type': 'text/event-stream' } }));
    });
    const client = clientReading(wire, () => answered, { clock });
    const send = (text: string) => void writer.write(Buffer.from(text)).catch(() => {});
    return { clock, answer, send, heard: collectResponse(client) };
  }

  test('may take ten minutes before its first byte, and ten more before its first event', async () => {
    const { clock, answer, send, heard } = slowServer();
    await clock.pass(0);
    await clock.pass(10 * MINUTE);
    answer();
    await clock.pass(0);
    await clock.pass(10 * MINUTE);
    send(stream);
    const { events, completed, fault } = await heard;
    expect(fault).toBeUndefined();
    expect(textIn(events)).toBe('At last.');
    expect(completed).toBeDefined();
  });

  test('times out half an hour after the request', async () => {
    const { clock, heard } = slowServer();
    await clock.pass(0);
    await clock.pass(29 * MINUTE);
    await clock.pass(MINUTE);
    expect((await heard).fault).toMatchObject({ kind: 'timeout', retryable: true });
  });

  test('times out after five minutes of silence in the middle', async () => {
    const { clock, answer, send, heard } = slowServer();
    await clock.pass(0);
    answer();
    await clock.pass(0);
    send(stream.slice(0, stream.indexOf('\n\n') + 2));
    await clock.pass(0);
    await clock.pass(4 * MINUTE);
    await clock.pass(MINUTE);
    expect((await heard).fault).toMatchObject({
      kind: 'timeout',
      retryable: true,
      detail: expect.stringContaining('300 s'),
    });
  });

  test.each([
    ['comments', ': keep-alive\n\n'],
    ['one byte at a time', ' '],
    ['events that say nothing', 'data: {"type":"keepalive"}\n\n'],
  ])('is given up after half an hour of %s', async (_case, piece) => {
    const { clock, answer, send, heard } = slowServer();
    await clock.pass(0);
    answer();
    await clock.pass(0);
    for (let minute = 0; minute < 30; minute++) {
      send(piece);
      await clock.pass(0);
      await clock.pass(MINUTE);
    }
    expect((await heard).fault).toMatchObject({
      kind: 'timeout',
      retryable: false,
      message: 'The server kept the connection open for 30 minutes without a part of an answer.',
      detail: 'The limit is the setting stream.progressTimeoutMs.',
    });
  });

  test('may take hours for a response that grows', async () => {
    const { clock, answer, send, heard } = slowServer();
    await clock.pass(0);
    answer();
    await clock.pass(0);
    const events = recordStream(wire, [says('word '.repeat(40), { deltas: 40 })]).split(/(?<=\n\n)/);
    for (const event of events) {
      for (let minute = 0; minute < 8; minute += 4) {
        send(': keep-alive\n\n');
        await clock.pass(0);
        await clock.pass(4 * MINUTE);
      }
      send(event);
      await clock.pass(0);
    }
    const { completed, fault } = await heard;
    expect(fault).toBeUndefined();
    expect(completed).toBeDefined();
  });
});

test.each([
  [undefined, 300, 1800, 1800],
  [300_000, 300, 1800, 1800],
  [299_999, 299.999, 299.999, 1799.994],
  [1_000, 1, 1, 6],
  [600_000, 600, 1800, 3600],
  [3_600_000, 3600, 3600, 21_600],
])('an idle timeout of %s: %s s between bytes, %s s to the first one, %s s without progress', (idle, ...seconds) => {
  const provider = { id: 'p', baseUrl: '', wireApi: 'chat', streamIdleTimeoutMs: idle } as const;
  const { idleTimeoutMs, firstByteTimeoutMs, progressTimeoutMs } = limitsOf(provider);
  expect([idleTimeoutMs, firstByteTimeoutMs, progressTimeoutMs].map((each) => each / 1000)).toEqual(seconds);
  expect(limitsOf({ ...provider, progressTimeoutMs: 5 }).progressTimeoutMs).toBe(5);
});

test('usage that does not follow the end of a Chat response is not waited for, whatever else arrives', async () => {
  const clock = handClock();
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const send = (text: string) => void writer.write(Buffer.from(text)).catch(() => {});
  const response = new Response(body.readable, { headers: { 'content-type': 'text/event-stream' } });
  const heard = collectResponse(clientReading('chat', () => response, { clock }));
  const stop = { choices: [{ index: 0, delta: { content: 'Done.' }, finish_reason: 'stop' }] };
  send(`data: ${JSON.stringify(stop)}\n\n`);
  await clock.pass(0);
  for (let tenth = 0; tenth < 20; tenth++) {
    send(': keep-alive\n\n');
    await clock.pass(100);
  }
  const { events, completed, fault } = await heard;
  expect(fault).toBeUndefined();
  expect(textIn(events)).toBe('Done.');
  expect(completed).toBeDefined();
});
