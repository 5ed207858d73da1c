import * as vscode from 'vscode';

/** Settings under which saving would change the user's text (review-ui.md §1). */
const CHANGING = ['files.trimTrailingWhitespace', 'files.insertFinalNewline', 'files.trimFinalNewlines'];

/** Returns true if a document is saved unchanged: a proposal must be applied as it was shown. */
export function savesAsIs(document: vscode.TextDocument): boolean {
  const settings = vscode.workspace.getConfiguration(undefined, document);
  if (settings.get('editor.formatOnSave') === true) return false;
  if (CHANGING.some((name) => settings.get(name) === true)) return false;
  const actions = settings.get<unknown>('editor.codeActionsOnSave');
  const isNone = (value: unknown) => value === false || value === 'never';
  return typeof actions !== 'object' || actions === null || Object.values(actions).every(isNone);
}
