/** Shortens long texts to one line. */
import { visibleText } from './escapeInvisible.ts';

/** At most `limit` characters; a cut is marked with `…`. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

/** The first line, at most `limit` characters. */
export function firstLine(text: string, limit = 80): string {
  return shortened(text.trim().split('\n', 1)[0] ?? '', limit);
}

/** A command in one line; a cut is marked with `…`, and invisible characters are escaped. */
export function inOneLine(command: string, limit = 80): string {
  const whole = visibleText(command.trim());
  const line = firstLine(whole, limit);
  return line === whole ? line : `${line.slice(0, limit - 1)}…`;
}
