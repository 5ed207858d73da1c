/** How long a server may take, by a clock that the test moves (issue 4: "a local server that thinks ten minutes"). */
import { describe, expect, test } from 'vitest';
import type { WireApi } from '../../../src/core/model/families.ts';
import { recordStream, says } from '../../support/modelServer.ts';
import { clientReading, hear, textIn } from './harness.ts';

const MINUTE = 60_000;

/** Timers that ring when the test says so. */
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
      // What waits for the clock goes on.
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    },
  };
}

describe.each<WireApi>(['responses', 'chat'])('a server that takes its time, on %s', (wire) => {
  const stream = recordStream(wire, [says('At last.')]);

  /** Answers when it is told to, in pieces as they are told. */
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
    return { clock, answer, send, heard: hear(client) };
  }

  test('may think for ten minutes before its first byte, and for ten more before its first event', async () => {
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

  test('is given up half an hour after the request', async () => {
    const { clock, heard } = slowServer();
    await clock.pass(0);
    await clock.pass(29 * MINUTE);
    await clock.pass(MINUTE);
    expect((await heard).fault).toMatchObject({ kind: 'timeout', retryable: true });
  });

  test('is given up after five minutes of silence in the middle', async () => {
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
});
