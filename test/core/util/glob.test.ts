import { expect, test } from 'vitest';
import { globToRegExp } from '../../../src/core/util/glob.ts';

test.each<[glob: string, matches: readonly string[], others: readonly string[]]>([
  ['*.ts', ['a.ts', 'src/deep/a.ts', '.ts'], ['a.tsx', 'a.ts/b']],
  ['*.{ts,tsx}', ['a.ts', 'b/a.tsx'], ['a.js', 'a.{ts,tsx}']],
  ['src/*.ts', ['src/a.ts'], ['src/deep/a.ts', 'lib/src/a.ts']],
  ['/src/**', ['src/a.ts', 'src/deep/a.ts'], ['src', 'lib/src/a.ts']],
  ['**/.env', ['.env', 'a/b/.env'], ['a.env', '.env/x', '.env.local']],
  ['a/{src/**,lib}', ['a/src/b/c.ts', 'a/lib'], ['a/lib/x']],
  ['src/**/a.ts', ['src/a.ts', 'src/x/y/a.ts'], ['src/xa.ts']],
  ['a?c', ['abc'], ['ac', 'a/c']],
  ['[ab].txt', ['a.txt'], ['c.txt', 'ab.txt']],
  ['[!ab].txt', ['c.txt'], ['a.txt']],
  ['a+(b).txt', ['a+(b).txt'], ['aab.txt']],
  ['[z-a]', ['[z-a]'], ['z']],
  ['{a,b', ['a', 'b'], ['{a,b']],
  ['a,b', ['a,b'], ['a']],
])('the glob %s', (glob, matches, others) => {
  const expression = globToRegExp(glob);
  expect(matches.filter((path) => !expression.test(path))).toEqual([]);
  expect(others.filter((path) => expression.test(path))).toEqual([]);
});
