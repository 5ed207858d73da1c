/** Context keys for keys, title buttons and menus, set only when they change. */
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { contextKey } from '../ui/contextKey.ts';
import type { Reviews } from './reviews.ts';
import { hunkAtLine, shownHunks } from './shownHunks.ts';

export class ReviewKeys implements Disposable {
  readonly #store = new DisposableStore();
  readonly #reviews: Reviews;
  readonly #canUnkeep: () => boolean;
  readonly #setPendingPaths = contextKey<Readonly<Record<string, true>>>('tiller.pendingPaths');
  readonly #setHasPendingHunk = contextKey<boolean>('tiller.hasPendingHunk');
  readonly #setCanUnkeep = contextKey<boolean>('tiller.canUnkeep');
  readonly #setCursorInHunk = contextKey<boolean>('tiller.cursorInHunk');

  constructor(reviews: Reviews, canUnkeep: () => boolean) {
    this.#reviews = reviews;
    this.#canUnkeep = canUnkeep;
    this.#store.add(reviews.onDidChange(() => this.refresh()));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(() => this.#refreshCursor()));
    this.#store.add(vscode.window.onDidChangeTextEditorSelection(() => this.#refreshCursor()));
  }

  refresh(): void {
    const { pending } = this.#reviews;
    // In a remote window menus see other URIs than the extension host: match by path (review-ui.md §1).
    const paths = pending.flatMap(({ uri }) => [uri.path, uri.fsPath]).map((path): [string, true] => [path, true]);
    this.#setPendingPaths(Object.fromEntries(paths));
    this.#setHasPendingHunk(pending.length > 0);
    this.#setCanUnkeep(this.#canUnkeep());
    this.#refreshCursor();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refreshCursor(): void {
    const editor = vscode.window.activeTextEditor;
    const shown = editor && shownHunks(this.#reviews, editor.document);
    const isNew = shown?.file.story.type === 'added';
    const isIn = editor && shown && hunkAtLine(shown, editor.selection.active.line) !== undefined;
    this.#setCursorInHunk(isNew || isIn === true);
  }
}
