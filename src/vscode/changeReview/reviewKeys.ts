/** What keys, title buttons and menus go by: context keys, set when they change and not otherwise. */
import * as vscode from 'vscode';
import { hunkAt } from '../../core/changeReview/textReview.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { Reviews } from './reviews.ts';

export class ReviewKeys implements Disposable {
  readonly #store = new DisposableStore();
  readonly #reviews: Reviews;
  readonly #canUnkeep: () => boolean;
  readonly #set = new Map<string, string>();

  constructor(reviews: Reviews, canUnkeep: () => boolean) {
    this.#reviews = reviews;
    this.#canUnkeep = canUnkeep;
    this.#store.add(reviews.onDidChange(() => this.refresh()));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(() => this.#refreshCursor()));
    this.#store.add(vscode.window.onDidChangeTextEditorSelection(() => this.#refreshCursor()));
  }

  refresh(): void {
    const { pending } = this.#reviews;
    // Addresses of a remote window are others than ours: menus go by the path (review-ui.md §1).
    const paths = pending.flatMap(({ uri }) => [uri.path, uri.fsPath]).map((path) => [path, true] as const);
    this.#say('tiller.pendingPaths', Object.fromEntries(paths));
    this.#say('tiller.hasPendingHunk', pending.length > 0);
    this.#say('tiller.canUnkeep', this.#canUnkeep());
    this.#refreshCursor();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refreshCursor(): void {
    const editor = vscode.window.activeTextEditor;
    const file = editor && this.#reviews.at(editor.document.uri);
    const isNew = file?.story.type === 'added';
    const isIn = editor && file && hunkAt(file.text, editor.selection.active.line) !== undefined;
    this.#say('tiller.cursorInHunk', isNew || isIn === true);
  }

  #say(key: string, value: unknown): void {
    const said = JSON.stringify(value);
    // Until something waits for the first time nobody needs to know that nothing does.
    if (this.#set.get(key) === said || (said === 'false' && !this.#set.has(key))) return;
    this.#set.set(key, said);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
