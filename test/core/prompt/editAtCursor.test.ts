import { describe, expect, it } from 'vitest';
import { excerptAround } from '../../../src/core/prompt/editAtCursor.ts';
import type { LineRange } from '../../../src/protocol/lineRange.ts';

describe('the lines around a place', () => {
  const around = (place: LineRange, lengths: readonly number[]) =>
    excerptAround(place, lengths.length, (line) => lengths[line - 1] ?? 0);
  const lengths = (count: number, length = 10) => Array.from({ length: count }, () => length);

  it('are all lines of a short file', () => {
    expect(around({ first: 3, last: 4 }, lengths(20))).toEqual({ first: 1, last: 20 });
  });

  it('are as many above as below, and go on where the other side has ended', () => {
    expect(around({ first: 500, last: 500 }, lengths(1000))).toEqual({ first: 400, last: 600 });
    expect(around({ first: 2, last: 2 }, lengths(1000))).toEqual({ first: 1, last: 200 });
    expect(around({ first: 1000, last: 1000 }, lengths(1000))).toEqual({ first: 801, last: 1000 });
  });

  it('are fewer where they are long, and end before a line that is too long', () => {
    const { first, last } = around({ first: 50, last: 50 }, lengths(100, 1000));
    expect(last - first + 1).toBe(12);
    expect(around({ first: 2, last: 2 }, [10, 10, 50_000, 10])).toEqual({ first: 1, last: 2 });
  });

  it('are the selection alone where it has more lines than that', () => {
    expect(around({ first: 10, last: 900 }, lengths(1000))).toEqual({ first: 10, last: 900 });
  });

  it('are the place in an empty file', () => {
    expect(around({ first: 1, last: 1 }, [0])).toEqual({ first: 1, last: 1 });
  });
});
