/** The files that the user has open or has used last, and the selection. */
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { Mention } from '../../protocol/item.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import { allTabs } from '../workspace/documents.ts';
import { pathOf } from '../workspace/places.ts';
import { selectedLines } from '../workspace/selectedLines.ts';

/** The most files that count as recent. */
const MAX_RECENT = 50;

/** Which files were active, the last one first. */
export class RecentFiles implements Disposable {
  readonly #store = new DisposableStore();
  #paths: readonly string[] = [];

  constructor() {
    const note = (editor: vscode.TextEditor | undefined) => {
      if (editor === undefined || !isFile(editor.document.uri)) return;
      const path = pathOf(editor.document.uri);
      this.#paths = [path, ...this.#paths.filter((other) => other !== path)].slice(0, MAX_RECENT);
    };
    note(vscode.window.activeTextEditor);
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(note));
  }

  /** The open files in the order in which they were active last, then those that were closed. */
  get paths(): readonly string[] {
    const open = openFiles();
    const used = this.#paths.filter((path) => open.has(path));
    return [...new Set([...used, ...open, ...this.#paths])];
  }

  dispose(): void {
    this.#store.dispose();
  }
}

function openFiles(): ReadonlySet<string> {
  const uris = allTabs().flatMap(({ input }) =>
    input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? [input.uri] : [],
  );
  return new Set(uris.filter(isFile).map(pathOf));
}

function isFile({ scheme }: vscode.Uri): boolean {
  return scheme === 'file' || (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.scheme === scheme);
}

/** The selected lines of the active editor, as a mention; `undefined` without a selection. */
export function selectionMention(editor: vscode.TextEditor | undefined): Mention | undefined {
  if (editor === undefined || editor.selection.isEmpty) return undefined;
  const { document, selection } = editor;
  return mentionOfLines(document, selectedLines(selection));
}

/** Lines of a document: a file, or a new document that has no file yet. */
export function mentionOfLines({ uri }: Pick<vscode.TextDocument, 'uri'>, lines: LineRange): Mention | undefined {
  if (uri.scheme !== 'untitled' && !isFile(uri)) return undefined;
  const path = uri.scheme === 'untitled' ? `untitled:${uri.path}` : pathOf(uri);
  return { type: 'mention', kind: 'selection', name: `${shortName(uri)}:${rangeName(lines)}`, path, lines };
}

/** Lines as in `@a.ts:3-5`, from 1. */
export function rangeName({ first, last }: LineRange): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

function shortName(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri);
}
