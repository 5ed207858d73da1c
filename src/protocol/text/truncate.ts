/** Long texts where there is room for one line. */
import { visibleText } from './escapeInvisible.ts';

/** At most `limit` characters; what is cut off shows as such. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

/** The first line, at most `limit` characters. */
export function firstLine(text: string, limit = 80): string {
  return shortened(text.trim().split('\n', 1)[0] ?? '', limit);
}

/** A command in one line; whatever is cut off, and what cannot be seen in it, shows as such. */
export function inOneLine(command: string, limit = 80): string {
  const whole = visibleText(command.trim());
  const line = firstLine(whole, limit);
  return line === whole ? line : `${line.slice(0, limit - 1)}…`;
}
