/**
 * Files that the user's settings make read-only. `applyEdit` returns `true` for them and the edit is lost, and
 * `workspace.fs` does not check at all (workspace-edits.md §6), so Tiller checks.
 */
import * as vscode from 'vscode';

type Patterns = Readonly<Record<string, boolean>>;

export function isMarkedReadonly(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration('files', uri);
  return (
    matchesAny(uri, files.get<Patterns>('readonlyInclude')) && !matchesAny(uri, files.get<Patterns>('readonlyExclude'))
  );
}

function matchesAny(uri: vscode.Uri, patterns: Patterns = {}): boolean {
  return Object.entries(patterns).some(([pattern, isOn]) => isOn && matches(uri, pattern));
}

/** Patterns are absolute, or relative to the workspace folder of the file. */
function matches(uri: vscode.Uri, pattern: string): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const filters: vscode.DocumentFilter[] = [{ pattern }];
  if (folder !== undefined) filters.push({ pattern: new vscode.RelativePattern(folder, pattern) });
  // `match` uses only the URI and the language; opening every file for it would be too slow.
  const document = { uri, languageId: 'plaintext' } as vscode.TextDocument;
  return vscode.languages.match(filters, document) > 0;
}
