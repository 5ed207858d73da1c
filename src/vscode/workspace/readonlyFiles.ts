/**
 * Files a person has marked read-only in the settings. `applyEdit` says `true` for them and the edit vanishes, and
 * `workspace.fs` does not ask at all (workspace-edits.md §6): so we ask.
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

/** Patterns are relative to the folder of the file, or absolute. */
function matches(uri: vscode.Uri, pattern: string): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const filters: vscode.DocumentFilter[] = [{ pattern }];
  if (folder !== undefined) filters.push({ pattern: new vscode.RelativePattern(folder, pattern) });
  // `match` looks at nothing but the address and the language; opening every file for it would be a heavy price.
  const document = { uri, languageId: 'plaintext' } as vscode.TextDocument;
  return vscode.languages.match(filters, document) > 0;
}
