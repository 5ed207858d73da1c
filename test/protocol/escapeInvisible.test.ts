import { expect, test } from 'vitest';
import { terminalJson, visibleName, visibleText } from '../../src/protocol/text/escapeInvisible.ts';

test.each([
  ['ls -la "ä 文 🙂"\n\tpwd', 'ls -la "ä 文 🙂"\n\tpwd'],
  ['echo \u202Ekcah\u2066', 'echo \\u{202e}kcah\\u{2066}'],
  ['a\u001B[2Jb\rc\u0000', 'a\\u{1b}[2Jb\\u{d}c\\u{0}'],
  ['r\u200Bm \uFEFF-rf\u2028\u{E0041}', 'r\\u{200b}m \\u{feff}-rf\\u{2028}\\u{e0041}'],
])('what cannot be seen in %j can', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('a name is on one line', () => {
  expect(visibleName('a\nb')).toBe('a\\nb');
});

test('a line of JSON for a terminal is the same JSON in one line', () => {
  const line = terminalJson('{"a":"\u202e\u{e0041}\u200d"}\n');
  expect(line).toBe('{"a":"\\u202e\\udb40\\udc41\\u200d"}\n');
  expect(JSON.parse(line)).toEqual({ a: '\u202e\u{e0041}\u200d' });
});
