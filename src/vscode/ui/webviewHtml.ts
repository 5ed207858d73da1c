import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The panel, or a page in an editor tab. */
export type PageName = 'main' | 'rules' | 'audit';

/**
 * The HTML of a page: its script by nonce, its own styles and font, and no other resource. In an editor tab it has the
 * background of editors.
 */
export function panelHtml(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  page: PageName,
  isInEditor = page !== 'main',
): string {
  const nonce = randomBytes(16).toString('base64url');
  const file = (name: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'webview', name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file(`${page}.css`)}">
<title>Tiller</title>
</head>
<body${isInEditor ? ' data-place="editor"' : ''}>
<div id="root"></div>
<script nonce="${nonce}" src="${file(`${page}.js`)}"></script>
</body>
</html>`;
}
