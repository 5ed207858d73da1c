import { byteLength } from '../../util/tokens.ts';

/** The size limit of one output, in bytes: about 10,000 tokens (codex-behaviour.md §5). */
const MAX_OUTPUT_BYTES = 40_000;

/** The lines that fit into one output, from the first, and how many they are: at least one. */
export function withinBudget(lines: readonly string[]): { readonly text: string; readonly count: number } {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += byteLength(line) + 1;
    if (bytes > MAX_OUTPUT_BYTES && count > 0) break;
    count++;
  }
  return { text: lines.slice(0, count).join('\n'), count };
}

/** Cuts a text after so many bytes of UTF-8, between two characters. */
export function cutBytes(text: string, most: number): string {
  if (text.length * 3 <= most || byteLength(text) <= most) return text;
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > most) break;
    kept += character;
  }
  return kept;
}
