/** Actions of the buttons of a code block in an answer. Nothing is run or written without the user's confirmation. */
import path from 'node:path';
import { applyPatch, parsePatch, type StructuredPatch, structuredPatch } from 'diff';
import * as vscode from 'vscode';
import { terminalInput } from './terminalInput.ts';

/**
 * Puts commands into the active terminal, or a new one. A single line is not run. A terminal runs each complete line as it
 * arrives, so the user confirms several lines first, and a line with control or invisible characters.
 */
export async function insertIntoTerminal(text: string): Promise<void> {
  const { lines, hasInvisible, shown } = terminalInput(text);
  if (lines.length === 0) return;
  const isMany = lines.length > 1;
  if (isMany || hasInvisible) {
    const agree = isMany ? vscode.l10n.t('Run {0} Lines', lines.length) : vscode.l10n.t('Insert');
    const question = isMany
      ? vscode.l10n.t('Run {0} lines in the terminal?', lines.length)
      : vscode.l10n.t('Insert a line with control or invisible characters? The terminal may run it at once.');
    const warning = vscode.l10n.t('Control and invisible characters are shown as \\u{…}.');
    const detail = hasInvisible ? `${shown}\n\n${warning}` : shown;
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, agree)) !== agree) return;
  }
  const terminal = vscode.window.activeTerminal ?? vscode.window.createTerminal();
  terminal.show();
  terminal.sendText(lines.join('\n'), isMany);
}

/**
 * Draws a Mermaid diagram in VS Code's Markdown preview, which shows its source where VS Code cannot draw it. The document
 * is a file in `folder`, so that the preview is there again after a reload; the next diagram replaces it. The document opens
 * itself where VS Code's Markdown extension is off.
 */
export async function previewDiagram(text: string, folder: vscode.Uri): Promise<void> {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  const file = vscode.Uri.joinPath(folder, 'Diagram.md');
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(`${fence}mermaid\n${text}\n${fence}\n`));
  const canDraw = (await vscode.commands.getCommands(true)).includes('markdown.showPreview');
  await vscode.commands.executeCommand(canDraw ? 'markdown.showPreview' : 'vscode.open', file);
}

/** Shows the changes of a diff in VS Code's refactor preview; they are made when the user applies them there. */
export async function applyDiff(text: string): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined || !vscode.workspace.isTrusted) return;
  const label = vscode.l10n.t('Changes from Tiller’s answer');
  const edit = await editOfDiff(text, folder.uri, { needsConfirmation: true, label });
  if (typeof edit === 'string') return void vscode.window.showErrorMessage(edit);
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
}

/** Returns the reason when the diff does not fit the files below `root`. `about`: metadata of each change. */
export async function editOfDiff(
  text: string,
  root: vscode.Uri,
  about?: vscode.WorkspaceEditEntryMetadata,
): Promise<vscode.WorkspaceEdit | string> {
  const edit = new vscode.WorkspaceEdit();
  for (const patch of parsed(text)) {
    const problem = await addTo(edit, patch, root, about);
    if (problem !== undefined) return problem;
  }
  return edit.size === 0 ? vscode.l10n.t('This is not a diff of files.') : edit;
}

function parsed(text: string): readonly StructuredPatch[] {
  try {
    return parsePatch(text.endsWith('\n') ? text : `${text}\n`);
  } catch {
    return [];
  }
}

/** Returns the reason when the patch does not fit its file. */
async function addTo(
  edit: vscode.WorkspaceEdit,
  patch: StructuredPatch,
  root: vscode.Uri,
  about: vscode.WorkspaceEditEntryMetadata | undefined,
): Promise<string | undefined> {
  const [from, to] = [placeIn(patch.oldFileName), placeIn(patch.newFileName)];
  if (from === undefined || to === undefined) return vscode.l10n.t('The diff names a file outside of the workspace.');
  const create = (name: string, before: string) => {
    const contents = applyPatch(before, patch);
    if (contents === false) return vscode.l10n.t('The diff does not fit {0}.', name);
    const options = { contents: Buffer.from(contents, 'utf8'), overwrite: false };
    edit.createFile(vscode.Uri.joinPath(root, name), options, about);
    return undefined;
  };
  if (from === null) return to === null ? undefined : create(to, '');
  const old = await opened(root, from);
  // `diff -u a.ts.orig a.ts` names a copy that may be gone; git names a rename or a copy explicitly.
  const isMoved = to !== null && to !== from && (old !== undefined || patch.isRename || patch.isCopy);
  const name = isMoved || to === null ? from : to;
  const document = name === from ? old : await opened(root, name);
  if (document === undefined) return vscode.l10n.t('{0} cannot be opened.', name);
  const before = document.getText();
  if (isMoved && patch.isCopy) return create(to, before);
  const after = applyPatch(before, patch, { fuzzFactor: to === null ? 0 : 1, autoConvertLineEndings: true });
  if (after === false || (to === null && after !== '')) return vscode.l10n.t('The diff does not fit {0}.', name);
  if (to === null) {
    edit.deleteFile(document.uri, {}, about);
    return undefined;
  }
  for (const hunk of structuredPatch('', '', before, after, '', '', { context: 0 }).hunks) {
    // Without lines to replace, the hunk is inserted after the line that it names.
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    const range = new vscode.Range(start, 0, start + hunk.oldLines, 0);
    edit.replace(document.uri, document.validateRange(range), addedText(hunk.lines, after), about);
  }
  if (isMoved) edit.renameFile(document.uri, vscode.Uri.joinPath(root, to), { overwrite: false }, about);
  return undefined;
}

async function opened(root: vscode.Uri, name: string): Promise<vscode.TextDocument | undefined> {
  return Promise.resolve(vscode.workspace.openTextDocument(vscode.Uri.joinPath(root, name))).catch(() => undefined);
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

/** The path in the workspace; `null` for `/dev/null`, `undefined` for one that leads out of it. */
function placeIn(name = ''): string | null | undefined {
  if (name === '/dev/null') return null;
  const plain = path.posix.normalize(name.replace(/^[ab]\//, ''));
  return plain === '.' || plain.startsWith('..') || path.isAbsolute(plain) ? undefined : plain;
}
