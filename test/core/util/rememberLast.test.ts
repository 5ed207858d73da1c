import { expect, test } from 'vitest';
import { rememberLast } from '../../../src/core/util/rememberLast.ts';

test('a result is computed once while it is among the last ones', () => {
  const asked: string[] = [];
  const lengthOf = rememberLast((text) => {
    asked.push(text);
    return { length: text.length };
  }, 2);

  expect(lengthOf('a')).toBe(lengthOf('a'));
  expect(lengthOf('bb')).toEqual({ length: 2 });
  expect(lengthOf('ccc')).toEqual({ length: 3 });
  expect(lengthOf('a')).toEqual({ length: 1 });

  expect(asked).toEqual(['a', 'bb', 'ccc', 'a']);
});
