/** Long texts where there is room for one line. */
import { visibleText } from './visibleText.ts';

/** The first line, at most `limit` characters. */
export function firstLine(text: string, limit = 80): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

/** A command in one line; whatever is cut off, and what cannot be seen in it, shows as such. */
export function inOneLine(command: string, limit = 80): string {
  const whole = visibleText(command.trim());
  const line = firstLine(whole, limit);
  return line === whole || line.endsWith('…') ? line : `${line}…`;
}
