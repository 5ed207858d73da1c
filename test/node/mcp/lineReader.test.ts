import { describe, expect, test } from 'vitest';
import { LineReader, LogReader } from '../../../src/node/mcp/lineReader.ts';

describe('the log of a server', () => {
  test('is read in lines, which a carriage return ends, too', () => {
    const reader = new LogReader(100);
    expect(reader.read(Buffer.from('one\r\n\ntwo\r10 %\r20'))).toEqual(['one', 'two', '10 %']);
    expect(reader.read(Buffer.from(' %'))).toEqual([]);
    expect(reader.rest()).toEqual(['20 %']);
    expect(reader.rest()).toEqual([]);
  });

  test('without line breaks is cut, and not kept', () => {
    const reader = new LogReader(10);
    const lines = Array.from({ length: 100 }, () => reader.read(Buffer.from('abc'))).flat();
    expect(lines.join('') + reader.rest().join('')).toBe('abc'.repeat(100));
    expect(new Set(lines.map(({ length }) => length))).toEqual(new Set([10]));
  });

  test('keeps a character that comes in two parts', () => {
    const reader = new LogReader(10);
    const bytes = Buffer.from('é\n');
    expect([...reader.read(bytes.subarray(0, 1)), ...reader.read(bytes.subarray(1))]).toEqual(['é']);
  });
});

describe('messages', () => {
  test('are lines, however their bytes arrive', () => {
    const bytes = Buffer.from('{"é":1}\r\n\n{"b":2}\nrest');
    for (const size of [1, 3, bytes.length]) {
      const reader = new LineReader(9);
      const lines: string[] = [];
      for (let at = 0; at < bytes.length; at += size) lines.push(...reader.read(bytes.subarray(at, at + size)));
      expect([lines, reader.rest()]).toEqual([['{"é":1}', '', '{"b":2}'], 'rest']);
    }
  });

  test('beyond the limit end the reader, in one piece or in several', () => {
    expect(() => new LineReader(3).read(Buffer.from('abcd\n'))).toThrow('a line of more than 3 bytes');
    const reader = new LineReader(3);
    expect(reader.read(Buffer.from('ab\nabc'))).toEqual(['ab']);
    expect(() => reader.read(Buffer.from('d'))).toThrow(RangeError);
  });
});
