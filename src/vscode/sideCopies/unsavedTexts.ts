import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { MAX_TEXT_BYTES } from '../workspace/documentKinds.ts';
import { isLive, liveContent } from '../workspace/liveContent.ts';
import { contentBytes, textContent } from '../workspace/textContent.ts';

/**
 * Resolves to the bytes that saving each open file would write, by path. Documents without a file, or with characters
 * that cannot be saved, are left out.
 */
export async function unsavedTexts(): Promise<ReadonlyMap<string, Uint8Array>> {
  const texts = new Map<string, Uint8Array>();
  for (const document of vscode.workspace.textDocuments) {
    if (document.uri.scheme !== 'file' || document.isClosed || !isLive(document)) continue;
    const disk = await readFile(document.uri.fsPath).catch(() => undefined);
    const isText = disk !== undefined && disk.length <= MAX_TEXT_BYTES;
    const saved = isText ? await textContent(document.uri, disk).catch(() => undefined) : undefined;
    const bytes = await contentBytes(liveContent(document, saved)).catch(() => undefined);
    if (bytes !== undefined) texts.set(document.uri.fsPath, bytes);
  }
  return texts;
}
