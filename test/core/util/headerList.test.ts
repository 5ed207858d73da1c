import { expect, test } from 'vitest';
import { HeaderList } from '../../../src/core/util/headerList.ts';

const GIVEN: [string, string][] = [
  ['X-Two', 'a'],
  ['Content-Type', ' text/plain\t'],
  ['x-two', ' b '],
  ['x-empty', ''],
];

test('reads and lists headers as the global class does', () => {
  const [list, web] = [new HeaderList(GIVEN), new Headers(GIVEN)];
  for (const name of ['x-TWO', 'content-type', 'X-Empty', 'absent']) {
    expect([list.get(name), list.has(name)]).toEqual([web.get(name), web.has(name)]);
  }
  expect(Object.fromEntries(list)).toEqual(Object.fromEntries(web));
  expect(new Set(list.keys())).toEqual(new Set(web.keys()));
});

test('changes them as it does', () => {
  const [list, web] = [new HeaderList(GIVEN), new Headers(GIVEN)];
  for (const headers of [list, web]) {
    headers.set('X-Two', ' c');
    headers.append('x-empty', 'd');
    headers.append('X-New', 'e');
    headers.delete('CONTENT-TYPE');
  }
  expect(Object.fromEntries(list.entries())).toEqual(Object.fromEntries(web));
  expect([...new HeaderList(web)]).toEqual([...web]);
});
