import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { SseDecoder } from '../../../src/core/model/sse.ts';
import { rounds } from '../../support/rounds.ts';

function decode(text: string, size = Number.POSITIVE_INFINITY): readonly string[] {
  const decoder = new SseDecoder();
  const bytes = Buffer.from(text);
  const events: string[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    events.push(...decoder.decode(bytes.subarray(start, Math.min(bytes.length, start + size))));
  }
  return [...events, ...decoder.end()];
}

test.each([
  ['data: a\n\ndata: b\n\n', ['a', 'b']],
  ['data:a\n\n', ['a']],
  ['data:  a\n\n', [' a']],
  ['data: a\ndata: b\n\n', ['a\nb']],
  ['data\n\n', ['']],
  ['data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['data: a\r\rdata: b\r\r', ['a', 'b']],
  [': comment\nevent: x\nid: 1\nretry: 9\ndata: a\n\n', ['a']],
  ['database: no\n\n', []],
  ['\uFEFFdata: a\n\n', ['a']],
  ['event: x\n\n', []],
  ['data: a', ['a']],
  ['data: a\n', ['a']],
  ['data: 🌻 ü\n\n', ['🌻 ü']],
  ['', []],
  // Errors that are marked by a name alone: of the event, or, in llama.cpp, of a field.
  ['event: error\ndata: {"message":"x"}\n\ndata: a\n\n', ['{"error":{"message":"x"}}', 'a']],
  ['event: error\ndata: x\n\n', ['{"error":"x"}']],
  ['event: error\ndata: {"error":{"message":"x"}}\n\n', ['{"error":{"message":"x"}}']],
  // Servers that leave out the empty lines, or mark the type of an event by its name alone.
  ['data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n', ['{"a":1}', '{"b":2}', '[DONE]']],
  ['event: x\ndata: {"a":1}\nevent: error\ndata: {"b":2}\n', ['{"a":1}', '{"error":{"b":2}}']],
  ['data: {"a":\ndata: 1}\n\n', ['{"a":\n1}']],
  [
    'event: response.created\ndata: {"response":{"type":"x"}}\n\n',
    ['{"response":{"type":"x"},"type":"response.created"}'],
  ],
  ['event: response.created\ndata: {"response":1,"type":"y"}\n\n', ['{"response":1,"type":"y"}']],
  ['event: response.created\ndata: []\n\n', ['[]']],
  ['error: {"code":400}\n\ndata: a\n\n', ['{"error":{"code":400}}', 'a']],
])('%j', (text, events) => {
  expect(decode(text)).toEqual(events);
  expect(decode(text, 1)).toEqual(events);
});

test('the same events result however the bytes are split', () => {
  const line = fc.oneof(
    fc.string(),
    fc.string().map((text) => `data: ${text}`),
    fc.constant(''),
  );
  const end = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end)), fc.integer({ min: 1, max: 9 }), (lines, size) => {
      const text = lines.flat().join('');
      expect(decode(text, size)).toEqual(decode(text));
    }),
  );
});

/** A reference that parses everything again with every line. */
function slowly(lines: readonly string[]): readonly string[] {
  const events: string[] = [];
  let data: string | undefined;
  for (const line of lines) {
    if (data !== undefined && isJson(data)) {
      events.push(data);
      data = undefined;
    }
    data = data === undefined ? line : `${data}\n${line}`;
  }
  return data === undefined ? events : [...events, data];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('documents of several lines are separate events without empty lines between them', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', '"a"', ':', ',', '1', '"', String.raw`\"`, ' ', 'true', '-', '');
  const line = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  // A leading space belongs to the field.
  const whole = fc.jsonValue().map((value) => JSON.stringify(value, null, 1).split('\n'));
  const lines = fc
    .array(
      fc.oneof(
        line.map((one) => [one]),
        whole,
      ),
    )
    .map((parts) => parts.flat());
  fc.assert(
    fc.property(lines, (data) => {
      expect(decode(data.map((one) => `data: ${one}\n`).join(''))).toEqual(slowly(data));
    }),
    { numRuns: rounds(500, 20_000) },
  );
});

test.each([
  ['a document', ['{"a": [', ...Array<string>(20_000).fill('"}{ \\" words",'), '1]}']],
  ['a document with a string that is never closed', ['{"a": [', ...Array<string>(20_000).fill('"words'), ']}']],
  ['prose', Array<string>(20_000).fill('words')],
  ['brackets that close too often', Array<string>(20_000).fill('}')],
  ['white space', Array<string>(20_000).fill(' ')],
])('%s of many lines is not read again with each of them', (_what, lines) => {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    const [event] = decode(lines.map((line) => `data: ${line}\n`).join(''));
    expect(event).toBe(lines.join('\n'));
    expect(parse.mock.calls.length).toBeLessThan(3);
  } finally {
    parse.mockRestore();
  }
});

test.each([
  ['one line', 'data: 0123456789\n\n', 16],
  ['one line that does not end', 'data: 0123456789', 16],
  ['several lines', 'data: 0123\ndata: 56789\n\n', 21],
  ['a comment', ': 0123456789\n\n', 12],
  ['letters of several bytes', 'data: 漢字\n\n', 12],
  ['letters after one that is cut', 'data: 😀é\n\n', 12],
])('an event as %s may have so many bytes and no more', (_case, text, bytes) => {
  for (const size of [1, 3, 9, Number.POSITIVE_INFINITY]) {
    expect(overLimit(text, bytes, size)).toBe(false);
    expect(overLimit(text, bytes - 1, size)).toBe(true);
  }
});

test('events before one that is too large are kept, and sizes of events do not add up', () => {
  const decoder = new SseDecoder(20);
  const before = 'data: one\n\n: comment\n\n'.repeat(10);
  expect(decoder.decode(Buffer.from(`${before}data: ${'x'.repeat(20)}\n\ndata: two\n\n`))).toEqual(
    Array<string>(10).fill('one'),
  );
  expect(decoder.isOverLimit).toBe(true);
});

function overLimit(text: string, maxEventBytes: number, size: number): boolean {
  const decoder = new SseDecoder(maxEventBytes);
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length && !decoder.isOverLimit; start += size) {
    decoder.decode(bytes.subarray(start, Math.min(bytes.length, start + size)));
  }
  return decoder.isOverLimit;
}
