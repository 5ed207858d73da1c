/** The errors and warnings that VS Code shows for the workspace. */
import * as vscode from 'vscode';
import type { ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { describeProblem } from '../../core/tools/problems/describeProblem.ts';
import { pathOf } from '../workspace/places.ts';
import { problemOf } from '../workspace/problemsOf.ts';

interface Problem {
  readonly uri: vscode.Uri;
  readonly diagnostic: vscode.Diagnostic;
}

/** Errors first, then by file and place. `mayRead` leaves out files. */
function problems(mayRead: (path: string) => boolean): readonly Problem[] {
  const found = vscode.languages.getDiagnostics().flatMap(([uri, diagnostics]) => {
    if (vscode.workspace.getWorkspaceFolder(uri) === undefined || !mayRead(pathOf(uri))) return [];
    return diagnostics
      .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
      .map((diagnostic) => ({ uri, diagnostic }));
  });
  return found.toSorted(
    (one, other) =>
      one.diagnostic.severity - other.diagnostic.severity ||
      one.uri.path.localeCompare(other.uri.path) ||
      one.diagnostic.range.start.compareTo(other.diagnostic.range.start),
  );
}

/** “3 errors, 1 warning”; `undefined` when there are none. */
export function problemCount(mayRead: (path: string) => boolean): string | undefined {
  const found = problems(mayRead);
  if (found.length === 0) return undefined;
  const errors = found.filter(({ diagnostic }) => diagnostic.severity === vscode.DiagnosticSeverity.Error).length;
  const warnings = found.length - errors;
  const parts = [
    ...(errors === 0 ? [] : [errors === 1 ? vscode.l10n.t('1 error') : vscode.l10n.t('{0} errors', errors)]),
    ...(warnings === 0 ? [] : [warnings === 1 ? vscode.l10n.t('1 warning') : vscode.l10n.t('{0} warnings', warnings)]),
  ];
  return parts.join(', ');
}

/** Resolves to a line for each problem, for the model: `src/a.ts:3:7 error: message (source code)`. */
export async function problemText(refusals: ReadRefusals): Promise<string | undefined> {
  const refused = await refusals(problems(() => true).map(({ uri }) => pathOf(uri)));
  const lines = problems((path) => !refused.has(path)).flatMap(({ uri, diagnostic }) => {
    const problem = problemOf(diagnostic, undefined);
    return problem === undefined ? [] : [describeProblem(vscode.workspace.asRelativePath(uri), problem)];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}
