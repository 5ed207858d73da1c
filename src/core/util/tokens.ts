/** Token estimates, and the truncation of tool output that is based on them (codex-behaviour.md §5). */

export const BYTES_PER_TOKEN = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** `ceil(utf8 bytes / 4)`, the estimate used everywhere. */
export function estimateTokens(text: string): number {
  return tokensOfBytes(byteLength(text));
}

/** Estimates the tokens of that many bytes of UTF-8. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The number of bytes of the text in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) index++;
  }
  return bytes;
}

/** The two ends of a text that was too long, with the number of bytes missing between them. */
export interface HeadTail {
  readonly head: string;
  readonly tail: string;
  /** Bytes between them; 0 for a whole text. */
  readonly omittedBytes: number;
  /** The number of line breaks in the whole text. */
  readonly lineBreaks: number;
}

/**
 * Returns the text if it is within `budget` tokens; otherwise its two ends with a marker between them, after a line
 * with its full length. Halves are shortened to character boundaries. Deterministic, so that text that was sent once
 * can be sent again.
 */
export function truncateMiddle(whole: string | HeadTail, budget: number): string {
  const text = typeof whole === 'string' ? wholeText(whole) : whole;
  const cut = cutMiddle(text, budget);
  if (cut.totalBytes === null) return cut.text;
  const breaks = text.lineBreaks >= 0 ? text.lineBreaks : countLineBreaks(text.head);
  const lines = breaks + ((text.tail || text.head).endsWith('\n') ? 0 : 1);
  return [
    `Warning: output was cut in the middle (${tokensOfBytes(cut.totalBytes)} tokens in all).`,
    `Total output lines: ${lines}`,
    '',
    cut.text,
  ].join('\n');
}

/** Cuts a text as `cutMiddle` does, without the lines in front. */
export function withoutMiddle(text: string, budget: number): string {
  return cutMiddle(wholeText(text), budget).text;
}

function wholeText(text: string): HeadTail {
  return { head: text, tail: '', omittedBytes: 0, lineBreaks: -1 };
}

/** `totalBytes` is null for a text that was not cut. */
function cutMiddle(text: HeadTail, budget: number): { readonly text: string; readonly totalBytes: number | null } {
  const kept = encoder.encode(text.head + text.tail);
  const total = kept.length + text.omittedBytes;
  const budgetBytes = budget * BYTES_PER_TOKEN;
  if (text.omittedBytes === 0 && total <= budgetBytes) return { text: text.head + text.tail, totalBytes: null };

  const headBytes = Math.min(Math.floor(budgetBytes / 2), encoder.encode(text.head).length);
  const tailBytes = Math.min(budgetBytes - headBytes, kept.length - headBytes);
  const headEnd = startOfCharacter(kept, headBytes);
  const tailStart = endOfCharacter(kept, kept.length - tailBytes);
  const removed = tailStart - headEnd + text.omittedBytes;
  const marker = `…${tokensOfBytes(removed)} tokens truncated…`;
  return {
    text: decoder.decode(kept.subarray(0, headEnd)) + marker + decoder.decode(kept.subarray(tailStart)),
    totalBytes: total,
  };
}

/** Counts "\n" alone. */
export function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Returns the first byte of the character that `offset` would cut. */
function startOfCharacter(bytes: Uint8Array, offset: number): number {
  while (offset > 0 && isContinuation(bytes[offset])) offset--;
  return offset;
}

function endOfCharacter(bytes: Uint8Array, offset: number): number {
  while (offset < bytes.length && isContinuation(bytes[offset])) offset++;
  return offset;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
