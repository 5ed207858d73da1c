/** Shortens long texts to one line. */
import { visibleText } from './escapeInvisible.ts';

/** Returns at most `limit` characters; a cut is marked with `…`. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${beginningOf(text, limit - 1)}…`;
}

/** Returns at most the first `limit` UTF-16 units, without half a character: servers refuse a request that has one. */
export function beginningOf(text: string, limit: number): string {
  const cut = text.slice(0, limit);
  return cut.length < text.length && /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Returns the first line, cut to at most `limit` characters. */
export function firstLine(text: string, limit = 80): string {
  return shortened(text.trim().split('\n', 1)[0] ?? '', limit);
}

/** Returns a command in one line. A cut is marked with `…`, and invisible characters are escaped. */
export function inOneLine(command: string, limit = 80): string {
  const whole = visibleText(command.trim());
  const line = firstLine(whole, limit);
  return line === whole ? line : `${line.slice(0, limit - 1)}…`;
}
