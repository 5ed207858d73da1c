import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';

const SCHEME = 'tiller-thread';

/**
 * Threads as read-only Markdown documents, which an editor searches, and a screen reader reads, like any text. They never
 * ask to be saved; opening one again brings it up to date.
 */
export class ThreadTexts implements vscode.TextDocumentContentProvider, Disposable {
  readonly #store = new DisposableStore();
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#store.add(this.#changed);
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(SCHEME, this));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())));
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  async open(threadId: string, title: string, text: string): Promise<void> {
    const path = `/${title.replaceAll('/', '∕')}.md`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path, query: threadId });
    const isShown = this.#texts.has(uri.toString());
    this.#texts.set(uri.toString(), text);
    if (isShown) this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'));
  }

  dispose(): void {
    this.#store.dispose();
    this.#texts.clear();
  }
}
