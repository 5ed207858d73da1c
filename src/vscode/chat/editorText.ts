/** Copies text from the panel into an editor. */
import * as vscode from 'vscode';

/** Replaces the selection of the active editor; shows a message when no editor is open. */
export async function insertCode(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a file to insert the code into.'));
    return;
  }
  await editor.edit((edit) => edit.replace(editor.selection, text));
}

/** Opens the text as an untitled file; with an unknown language as plain text. */
export async function openNewFile(content: string, language: string): Promise<void> {
  const name = language.toLowerCase();
  const id = LANGUAGE_IDS[name] ?? name;
  const isKnown = (await vscode.languages.getLanguages()).includes(id);
  const document = await vscode.workspace.openTextDocument({ content, ...(isKnown && { language: id }) });
  await vscode.window.showTextDocument(document);
}

/** VS Code's id of a language by its names in code fences and file extensions, where they differ. */
const LANGUAGE_IDS: Readonly<Record<string, string | undefined>> = {
  bash: 'shellscript',
  'c#': 'csharp',
  'c++': 'cpp',
  cs: 'csharp',
  docker: 'dockerfile',
  golang: 'go',
  js: 'javascript',
  jsx: 'javascriptreact',
  kt: 'kotlin',
  make: 'makefile',
  md: 'markdown',
  mjs: 'javascript',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
  zsh: 'shellscript',
};
