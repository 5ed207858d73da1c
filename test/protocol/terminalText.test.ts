import { expect, test } from 'vitest';
import { plainTerminalText } from '../../src/protocol/text/terminalText.ts';

test('the text of a terminal is the final text on its screen', () => {
  expect(plainTerminalText('\u001b[1;31mred\u001b[0m and \u001b]8;;https://a.b\u0007linked\u001b]8;;\u0007\n')).toBe(
    'red and linked\n',
  );
  expect(plainTerminalText('10 %\r20 %\r100 %\r\ndone\r\n')).toBe('100 %\ndone\n');
  expect(plainTerminalText('a\tb\u0007\u0000c\n')).toBe('a\tbc\n');
});
