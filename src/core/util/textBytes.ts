/** Encoding of text files: UTF-8 with or without a byte order mark (workspace-edits.md §5). */

export const BYTE_ORDER_MARK = '\uFEFF';
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export interface DecodedText {
  /** Without the byte order mark. */
  readonly text: string;
  readonly hasByteOrderMark: boolean;
}

/** Editors and shells on Windows write a byte order mark, which is no part of JSON. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/**
 * Returns `undefined` when the bytes are not UTF-8 text: they contain an invalid sequence or a NUL.
 *
 * Strict decoding loses nothing: encoding the same text with the same mark gives the same bytes. So a changed text can
 * be written whole, and every byte outside the change stays the same, including mixed line endings.
 */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  let text: string;
  try {
    text = strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
  // In the text, because the search in a typed array takes ten times as long.
  if (text.includes('\0')) return undefined;
  const hasByteOrderMark = text.startsWith(BYTE_ORDER_MARK);
  return { text: hasByteOrderMark ? text.slice(1) : text, hasByteOrderMark };
}

/** The reverse of `decodeText`: the same bytes for what it has returned. */
export function encodeText({ text, hasByteOrderMark }: DecodedText): Uint8Array {
  return encoder.encode(hasByteOrderMark ? BYTE_ORDER_MARK + text : text);
}
