/** What the buttons of a code block in an answer do. Nothing is run or written without the user's confirmation. */
import path from 'node:path';
import { applyPatch, parsePatch, type StructuredPatch, structuredPatch } from 'diff';
import * as vscode from 'vscode';

/**
 * Puts commands into the active terminal, or a new one. A single line is not run. A terminal runs each complete line as it
 * arrives, so the user confirms several lines first.
 */
export async function insertIntoTerminal(text: string): Promise<void> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length === 0) return;
  if (lines.length > 1) {
    const run = vscode.l10n.t('Run {0} Lines', lines.length);
    const question = vscode.l10n.t('Run {0} lines in the terminal?', lines.length);
    const answer = await vscode.window.showWarningMessage(question, { modal: true, detail: lines.join('\n') }, run);
    if (answer !== run) return;
  }
  const terminal = vscode.window.activeTerminal ?? vscode.window.createTerminal();
  terminal.show();
  terminal.sendText(lines.join('\n'), lines.length > 1);
}

/** Shows the changes of a diff in VS Code's refactor preview; they are made when the user applies them there. */
export async function applyDiff(text: string): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined || !vscode.workspace.isTrusted) return;
  const edit = new vscode.WorkspaceEdit();
  for (const patch of parsed(text)) {
    const problem = await addTo(edit, patch, folder.uri);
    if (problem !== undefined) return void vscode.window.showErrorMessage(problem);
  }
  if (edit.size === 0) return void vscode.window.showErrorMessage(vscode.l10n.t('This is not a diff of files.'));
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
}

function parsed(text: string): readonly StructuredPatch[] {
  try {
    return parsePatch(text.endsWith('\n') ? text : `${text}\n`);
  } catch {
    return [];
  }
}

function confirmed(): vscode.WorkspaceEditEntryMetadata {
  return { needsConfirmation: true, label: vscode.l10n.t('Changes from Tiller’s answer') };
}

/** Returns the reason when the patch does not fit its file. */
async function addTo(
  edit: vscode.WorkspaceEdit,
  patch: StructuredPatch,
  root: vscode.Uri,
): Promise<string | undefined> {
  const isNew = patch.oldFileName === '/dev/null';
  const isDeleted = patch.newFileName === '/dev/null';
  const name = withoutPrefix((isDeleted ? patch.oldFileName : patch.newFileName) ?? '');
  if (name === null) return vscode.l10n.t('The diff names a file outside of the workspace.');
  const uri = vscode.Uri.joinPath(root, name);
  if (isNew) {
    const added = applyPatch('', patch);
    if (added === false) return vscode.l10n.t('The diff does not fit {0}.', name);
    edit.createFile(uri, { contents: Buffer.from(added, 'utf8'), overwrite: false }, confirmed());
    return undefined;
  }
  const document = await Promise.resolve(vscode.workspace.openTextDocument(uri)).catch(() => undefined);
  if (document === undefined) return vscode.l10n.t('{0} cannot be opened.', name);
  if (isDeleted) {
    edit.deleteFile(uri, {}, confirmed());
    return undefined;
  }
  const before = document.getText();
  const after = applyPatch(before, patch, { fuzzFactor: 1, autoConvertLineEndings: true });
  if (after === false) return vscode.l10n.t('The diff does not fit {0}.', name);
  for (const hunk of structuredPatch('', '', before, after, '', '', { context: 0 }).hunks) {
    // Without lines to replace, the hunk stands after the line that it names.
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    const range = new vscode.Range(start, 0, start + hunk.oldLines, 0);
    edit.replace(uri, document.validateRange(range), addedText(hunk.lines, after), confirmed());
  }
  return undefined;
}

/** The added lines, with the line end of the text that they are from; the last line may have none. */
function addedText(lines: readonly string[], after: string): string {
  const end = after.includes('\r\n') ? '\r\n' : '\n';
  return lines
    .flatMap((line, index) => {
      if (!line.startsWith('+')) return [];
      const isOpen = lines[index + 1]?.startsWith('\\') === true;
      return [line.slice(1).replace(/\r$/, '') + (isOpen ? '' : end)];
    })
    .join('');
}

/** The path in the workspace; `null` for one that leads out of it. */
function withoutPrefix(name: string): string | null {
  const plain = path.posix.normalize(name.replace(/^[ab]\//, ''));
  return plain === '' || plain.startsWith('..') || path.isAbsolute(plain) ? null : plain;
}
