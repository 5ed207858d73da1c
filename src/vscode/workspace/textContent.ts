/** The content of a file as text: UTF-8 directly, any other encoding by VS Code (workspace-edits.md §5). */
import * as vscode from 'vscode';
import { decodeText, encodeText } from '../../core/util/textBytes.ts';

export interface TextContent {
  /** Without a byte order mark. */
  readonly text: string;
  readonly hasByteOrderMark: boolean;
  /** VS Code's name of the encoding; `utf8` includes the byte order mark. */
  readonly encoding: string;
}

/** `undefined` for binary files, and for text that would not be encoded to the same bytes again. */
export async function textContent(uri: vscode.Uri, bytes: Uint8Array): Promise<TextContent | undefined> {
  const decoded = decodeText(bytes);
  if (decoded !== undefined) return { ...decoded, encoding: 'utf8' };
  const encoding = await encodingOf(uri);
  if (encoding === undefined || encoding === 'utf8' || encoding === 'utf8bom') return undefined;
  const text = await vscode.workspace.decode(bytes, { encoding });
  const hasByteOrderMark = bytesStartWithMark(bytes);
  const content = { text, hasByteOrderMark, encoding };
  return sameBytes(await contentBytes(content), bytes) ? content : undefined;
}

/** @throws Error when a character does not exist in the encoding: `?` would be written in its place. */
export async function contentBytes({ text, hasByteOrderMark, encoding }: TextContent): Promise<Uint8Array> {
  if (encoding === 'utf8') return encodeText({ text, hasByteOrderMark });
  const bytes = await vscode.workspace.encode(text, { encoding });
  if ((await vscode.workspace.decode(bytes, { encoding })) !== text) {
    throw new UnencodableText(`The new text has characters that do not exist in the file's encoding, ${encoding}.`);
  }
  if (hasByteOrderMark === bytesStartWithMark(bytes)) return bytes;
  const mark = UTF16_MARKS[encoding];
  if (mark === undefined) return bytes;
  return hasByteOrderMark ? new Uint8Array([...mark, ...bytes]) : bytes.subarray(mark.length);
}

/** The file's encoding has no form for some of the text; the message names the encoding. */
export class UnencodableText extends Error {}

/**
 * The encoding that VS Code would open it with: from the settings, or its byte order mark. `undefined` for binary
 * files.
 */
async function encodingOf(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).encoding;
  } catch {
    return undefined;
  }
}

const UTF16_MARKS: Readonly<Record<string, readonly number[]>> = { utf16le: [0xff, 0xfe], utf16be: [0xfe, 0xff] };

function bytesStartWithMark(bytes: Uint8Array): boolean {
  return Object.values(UTF16_MARKS).some((mark) => mark.every((byte, index) => bytes[index] === byte));
}

/** True for equal lengths and contents. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

// ---------------------------------------------------------------- line endings

/** Returns true if VS Code would hold both in the same buffer: it has one line ending per document. */
export function sameButEndings(one: string, other: string): boolean {
  return one === other || lineFeedsOnly(one) === lineFeedsOnly(other);
}

function lineFeedsOnly(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Returns true if a buffer that was opened on `before` and now holds `after` is saved as exactly `after`. */
export function keepsEndings(before: string, after: string): boolean {
  const found = lineEndings(before);
  const wanted = lineEndings(after);
  if (found.size === 0) return wanted.size === 0;
  return !found.has('\r') && new Set([...found, ...wanted]).size === 1;
}

function lineEndings(text: string): ReadonlySet<string> {
  return new Set(text.match(/\r\n|\r|\n/g) ?? []);
}
