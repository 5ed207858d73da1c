/** The confirmation before a code block of an answer is written into a terminal. */
import { expect, test } from 'vitest';
import { terminalInput } from '../../src/vscode/chat/terminalInput.ts';

test.each([
  ['a line', 'npm test', { lines: ['npm test'], hasInvisible: false, shown: 'npm test' }],
  ['a tab is no control character', 'a\tb', { lines: ['a\tb'], hasInvisible: false, shown: 'a\tb' }],
  ['empty lines are left out', '\n a \r\n\n', { lines: [' a '], hasInvisible: false, shown: ' a ' }],
  ['a carriage return ends a line', 'a\rb', { lines: ['a', 'b'], hasInvisible: false, shown: 'a\nb' }],
  ['Ctrl+O', 'rm -r x\u000f', { lines: ['rm -r x\u000f'], hasInvisible: true, shown: 'rm -r x\\u{f}' }],
  ['Ctrl+C and Ctrl+U', 'a\u0003b\u0015', { lines: ['a\u0003b\u0015'], hasInvisible: true, shown: 'a\\u{3}b\\u{15}' }],
  ['an escape sequence', '\u001b[201~a', { lines: ['\u001b[201~a'], hasInvisible: true, shown: '\\u{1b}[201~a' }],
  ['a reversed direction', 'a\u202eb', { lines: ['a\u202eb'], hasInvisible: true, shown: 'a\\u{202e}b' }],
  ['a C1 character', 'a\u0085b', { lines: ['a\u0085b'], hasInvisible: true, shown: 'a\\u{85}b' }],
])('input for a terminal: %s', (_case, text, input) => {
  expect(terminalInput(text)).toEqual(input);
});
