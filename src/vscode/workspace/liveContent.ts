/** What a document holds that is not on the disk yet. */
import type * as vscode from 'vscode';
import type { TextContent } from './textContent.ts';

/** Whether the text exists only in the document. An untitled one counts even before VS Code marks it dirty. */
export function isLive(document: vscode.TextDocument | undefined): document is vscode.TextDocument {
  return document !== undefined && (document.isDirty || document.isUntitled);
}

/** What saving the document would write. `saved`: what the file holds, which says whether it has a byte order mark. */
export function liveContent(document: vscode.TextDocument, saved: TextContent | undefined): TextContent {
  return {
    text: document.getText(),
    encoding: document.encoding.replace(/^utf8bom$/, 'utf8'),
    hasByteOrderMark: saved?.hasByteOrderMark ?? document.encoding === 'utf8bom',
  };
}
