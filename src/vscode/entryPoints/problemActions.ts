/** "Fix with Tiller" and "Explain with Tiller" on problems: as code actions and as commands. */
import * as vscode from 'vscode';
import type { Mention, UserInput } from '../../protocol/item.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import { describeProblem } from '../../core/tools/problems/describeProblem.ts';
import type { ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { pathOf } from '../workspace/places.ts';
import { problemOf } from '../workspace/problemsOf.ts';

export type ProblemTask = 'fix' | 'explain';

export interface ProblemActionsDeps {
  readonly refusals: ReadRefusals;
  /** The lines as an attachment; `undefined` for a document that is not a file. */
  readonly mentionOf: (document: vscode.TextDocument, lines: LineRange) => Mention | undefined;
  /** Sends the message to the shown thread and shows the panel. */
  readonly send: (input: readonly UserInput[]) => Promise<void>;
}

/** Problems that one message names. */
const MAX_PROBLEMS = 20;

export class ProblemActions implements vscode.CodeActionProvider {
  readonly #deps: ProblemActionsDeps;

  constructor(deps: ProblemActionsDeps) {
    this.#deps = deps;
  }

  /** Registers the code actions, for the light bulb and the hover of a problem. */
  register(): vscode.Disposable {
    const providedCodeActionKinds = [vscode.CodeActionKind.QuickFix];
    return vscode.languages.registerCodeActionsProvider('*', this, { providedCodeActionKinds });
  }

  provideCodeActions(
    { uri }: vscode.TextDocument,
    range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const found = diagnostics.filter((diagnostic) => problemOf(diagnostic, undefined) !== undefined);
    if (found.length === 0) return [];
    const action = (title: string, command: string) => {
      const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      made.command = { title, command, arguments: [uri, range] };
      made.diagnostics = found;
      return made;
    };
    return [
      action(vscode.l10n.t('Fix with Tiller'), 'tiller.fixProblem'),
      action(vscode.l10n.t('Explain with Tiller'), 'tiller.explainProblem'),
    ];
  }

  /** Sends the problems in the range with their lines; without one those in the line of the cursor. */
  async ask(task: ProblemTask, uri?: vscode.Uri, range?: vscode.Range): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const document = uri === undefined ? editor?.document : await vscode.workspace.openTextDocument(uri);
    const asked = range ?? editor?.selection;
    const found = document === undefined || asked === undefined ? [] : problemsIn(document, asked);
    if (document === undefined || found.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no problem at the cursor.'));
      return;
    }
    const path = pathOf(document.uri);
    const refused = (await this.#deps.refusals([path])).get(path);
    if (refused !== undefined) return void vscode.window.showWarningMessage(refused);
    const first = Math.min(...found.map(({ range: { start } }) => start.line)) + 1;
    const last = Math.max(...found.map(({ range: { end } }) => end.line)) + 1;
    const mention = this.#deps.mentionOf(document, { first, last });
    const text: UserInput = { type: 'text', text: messageOf(task, document, found) };
    await this.#deps.send(mention === undefined ? [text] : [text, mention]);
  }
}

/** Errors and warnings that touch the lines of the range. */
function problemsIn({ uri }: vscode.TextDocument, { start, end }: vscode.Range): readonly vscode.Diagnostic[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter((diagnostic) => problemOf(diagnostic, undefined) !== undefined)
    .filter(({ range }) => range.start.line <= end.line && range.end.line >= start.line);
}

function messageOf(task: ProblemTask, { uri }: vscode.TextDocument, found: readonly vscode.Diagnostic[]): string {
  const name = vscode.workspace.asRelativePath(uri);
  const lines = found.slice(0, MAX_PROBLEMS).flatMap((diagnostic) => {
    const problem = problemOf(diagnostic, undefined);
    return problem === undefined ? [] : [describeProblem(name, problem)];
  });
  return `${requestOf(task, found.length)}\n\n${lines.join('\n')}`;
}

function requestOf(task: ProblemTask, count: number): string {
  switch (task) {
    case 'fix':
      return count === 1 ? vscode.l10n.t('Fix this problem:') : vscode.l10n.t('Fix these problems:');
    case 'explain':
      return count === 1
        ? vscode.l10n.t('Explain this problem and how to fix it. Change no file.')
        : vscode.l10n.t('Explain these problems and how to fix them. Change no file.');
  }
}
