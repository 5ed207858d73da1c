/** Content of a document that is not on the disk yet. */
import type * as vscode from 'vscode';
import { hasUnsavedText } from './documents.ts';
import type { TextContent } from './textContent.ts';

/** Returns true if the text exists only in the document. Untitled documents count even before VS Code marks them dirty. */
export function isLive(document: vscode.TextDocument | undefined): document is vscode.TextDocument {
  return document !== undefined && (document.isUntitled || hasUnsavedText(document));
}

/** The bytes that saving would write. `saved`: the bytes of the file, which determine whether there is a byte order mark. */
export function liveContent(document: vscode.TextDocument, saved: TextContent | undefined): TextContent {
  return {
    text: document.getText(),
    encoding: document.encoding.replace(/^utf8bom$/, 'utf8'),
    hasByteOrderMark: saved?.hasByteOrderMark ?? document.encoding === 'utf8bom',
  };
}
