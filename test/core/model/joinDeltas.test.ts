import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ResponseEvent } from '../../../src/core/model/client.ts';
import { joinDeltas } from '../../../src/core/model/joinDeltas.ts';

const text = (key: string, words: string): ResponseEvent => ({ type: 'text_delta', key, text: words });
const raw = (key: string, words: string): ResponseEvent => ({ type: 'reasoning_raw_delta', key, text: words });
const call = (name: string | undefined, words: string): ResponseEvent => ({
  type: 'call_delta',
  key: 'c',
  name,
  kind: 'arguments',
  text: words,
});
const started: ResponseEvent = { type: 'item_started', key: 'b', kind: 'message' };

const joined = (...wires: readonly (readonly ResponseEvent[])[]) => [...joinDeltas(wires, (events) => events)];

it('joinDeltas joins consecutive deltas of one text, across wire events', () => {
  expect(joined([text('a', 'Hel'), text('a', 'lo')], [text('a', ' you')])).toEqual([text('a', 'Hello you')]);
});

it('joinDeltas makes no delta longer than one frame of the panel can draw', () => {
  const long = 'x'.repeat(1500);
  expect(joined([text('a', long), text('a', long), text('a', 'y')])).toEqual([text('a', long), text('a', `${long}y`)]);
});

it('joinDeltas keeps the order, and texts of other items and kinds apart', () => {
  const events = [text('a', '1'), raw('a', '2'), text('a', '3'), started, text('a', '4'), text('b', '5')];
  expect(joined(events)).toEqual(events);
});

it('joinDeltas keeps the deltas of a call before and after its name apart', () => {
  expect(joined([call(undefined, '{'), call('shell', '"a"'), call('shell', ':1}')])).toEqual([
    call(undefined, '{'),
    call('shell', '"a":1}'),
  ]);
});

it('joinDeltas returns the deltas before a wire event that cannot be read, then throws', () => {
  const seen: ResponseEvent[] = [];
  const events = joinDeltas([1, 2, 3], (wire) => {
    if (wire === 3) throw new Error('unreadable');
    return [text('a', String(wire))];
  });
  expect(() => {
    for (const event of events) seen.push(event);
  }).toThrow('unreadable');
  expect(seen).toEqual([text('a', '12')]);
});

it('joinDeltas reads no further than the consumer does', () => {
  let reads = 0;
  for (const event of joinDeltas([started, started], (wire) => (reads++, [wire]))) {
    expect(event).toBe(started);
    break;
  }
  expect(reads).toBe(1);
});

it('joinDeltas yields at most as many events, with the same texts', () => {
  const event = fc.oneof(
    fc.tuple(fc.constantFrom('a', 'b'), fc.string()).map(([key, words]) => text(key, words)),
    fc.string().map((words) => raw('a', words)),
    fc.constant(started),
  );
  const textOf = (events: readonly ResponseEvent[], key: string) =>
    events.map((one) => (one.type === 'text_delta' && one.key === key ? one.text : '')).join('');
  fc.assert(
    fc.property(fc.array(fc.array(event)), (wires) => {
      const all = wires.flat();
      const result = joined(...wires);
      expect(result.length).toBeLessThanOrEqual(all.length);
      for (const key of ['a', 'b']) expect(textOf(result, key)).toBe(textOf(all, key));
      expect(result.filter(({ type }) => type === 'item_started')).toHaveLength(
        all.filter(({ type }) => type === 'item_started').length,
      );
    }),
  );
});
