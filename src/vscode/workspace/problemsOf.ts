/** Problems as VS Code shows them, for core. */
import * as vscode from 'vscode';
import type { Problem } from '../../core/ports.ts';

/** Errors and warnings of the file. `document`: the live text of it. */
export function problemsOf(uri: vscode.Uri, document: vscode.TextDocument | undefined): readonly Problem[] {
  return vscode.languages.getDiagnostics(uri).flatMap((diagnostic) => problemOf(diagnostic, document) ?? []);
}

/** `undefined` for hints and notes. */
export function problemOf(
  { severity, range, message, source, code }: vscode.Diagnostic,
  document: vscode.TextDocument | undefined,
): Problem | undefined {
  if (severity > vscode.DiagnosticSeverity.Warning) return undefined;
  const { line, character } = range.start;
  const rule = typeof code === 'object' ? code.value : code;
  return {
    severity: severity === vscode.DiagnosticSeverity.Error ? 'error' : 'warning',
    line: line + 1,
    column: character + 1,
    message,
    origin: [source, rule].filter((word) => word !== undefined).join(' '),
    lineText: document !== undefined && line < document.lineCount ? document.lineAt(line).text : '',
  };
}
