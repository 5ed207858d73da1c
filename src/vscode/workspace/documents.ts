/** Open documents and tabs. */
import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';

/** The live document with exactly this URI; also one without a tab, held by an extension. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const address = uri.toString();
  return vscode.workspace.textDocuments.find((document) => !document.isClosed && document.uri.toString() === address);
}

/**
 * Returns true if the text of the document is not on the disk. A tab is asked, too: VS Code 1.139 tells extensions that a
 * document is clean after each save, also when the user typed while the file was written, and corrects that only with
 * the next change of the text. Its tab stays dirty.
 */
export function hasUnsavedText(document: Pick<vscode.TextDocument, 'isDirty' | 'uri'> | undefined): boolean {
  if (document === undefined) return false;
  if (document.isDirty) return true;
  const address = document.uri.toString();
  return allTabs().some((tab) => tab.isDirty && isTextTab(tab) && shownIn(tab)?.toString() === address);
}

function isTextTab({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputText || input instanceof vscode.TabInputTextDiff;
}

/**
 * The document for this file: the one that is open there, or an untitled one that will be saved there and is not saved
 * yet.
 */
export function documentAt(uri: vscode.Uri): vscode.TextDocument | undefined {
  const untitled = uri.scheme === 'file' ? openDocument(uri.with({ scheme: 'untitled' })) : undefined;
  return openDocument(uri) ?? untitled;
}

/**
 * The document that holds this file, also when it was opened by another name: VS Code keeps a link and its target as
 * two documents, and saving the second gives a conflict (workspace-edits.md §6). A document with unsaved text is
 * preferred. `place`: the resolved place of the file; computed when absent.
 */
export async function documentOfFile(uri: vscode.Uri, place?: string): Promise<vscode.TextDocument | undefined> {
  const named = documentAt(uri);
  if (uri.scheme !== 'file' || hasUnsavedText(named)) return named;
  const wanted = place ?? (await realPath(uri));
  // A clean document without a tab only copies the disk.
  const others = vscode.workspace.textDocuments.filter(
    ({ uri, isClosed, isDirty }) => !isClosed && uri.scheme === 'file' && (isDirty || tabsOf(uri).length > 0),
  );
  const places = await Promise.all(others.map((document) => realPath(document.uri)));
  const sameFile = others.filter((_document, index) => places[index] === wanted);
  return sameFile.find((document) => hasUnsavedText(document)) ?? named ?? sameFile[0];
}

/** Paths of the files that have unsaved edits in a text editor. */
export function dirtyFiles(): readonly string[] {
  const open = vscode.workspace.textDocuments.filter(({ uri, isClosed }) => !isClosed && uri.scheme === 'file');
  return open.filter((document) => hasUnsavedText(document)).map(({ uri }) => uri.fsPath);
}

/** All documents of these files, by whatever names they were opened. */
export async function documentsOfFiles(uris: readonly vscode.Uri[]): Promise<readonly vscode.TextDocument[]> {
  const places = new Set(await Promise.all(uris.map(realPath)));
  const open = vscode.workspace.textDocuments.filter(({ uri, isClosed }) => !isClosed && uri.scheme === 'file');
  const found = await Promise.all(open.map(({ uri }) => realPath(uri)));
  return open.filter((_document, index) => places.has(found[index] ?? ''));
}

function realPath(uri: vscode.Uri): Promise<string> {
  return realpath(uri.fsPath).catch(() => uri.fsPath);
}

/** Tabs that show the file, diff editors with it on the right included. */
export function tabsOf(uri: vscode.Uri): readonly vscode.Tab[] {
  const address = uri.toString();
  return allTabs().filter((tab) => shownIn(tab)?.toString() === address);
}

/** Returns the tabs of all groups in their order. */
export function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

/** The file that a tab shows, that on the right in a diff editor; `undefined` where it shows none. */
export function shownIn({ input }: vscode.Tab): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff) return input.modified;
  const hasUri =
    input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputCustom ||
    input instanceof vscode.TabInputNotebook;
  return hasUri ? input.uri : undefined;
}

/** Leaves the focus where it is. Tabs that cannot be closed stay. */
export async function closeTabs(tabs: readonly vscode.Tab[]): Promise<void> {
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true).then(undefined, () => false);
}

/** Closes tabs that VS Code opens by itself, for every file that stays unsaved for 800 ms (workspace-edits.md §3). */
export class UninvitedTabs {
  readonly #before: ReadonlySet<string>;

  /** Create it before the first edit. */
  constructor() {
    this.#before = new Set(allTabs().map((tab) => shownIn(tab)?.toString() ?? tab.label));
  }

  /**
   * Closes tabs of the given files that were opened since. One with unsaved text stays: closing it would ask the user.
   */
  async close(uris: readonly vscode.Uri[]): Promise<void> {
    const nothingWasOpen = this.#before.size === 0;
    const uninvited = uris
      .filter((uri) => !this.#before.has(uri.toString()))
      .flatMap((uri) => tabsOf(uri))
      .filter((tab) => !tab.isDirty && (!tab.isActive || nothingWasOpen || !tab.group.isActive));
    await closeTabs(uninvited);
  }
}
