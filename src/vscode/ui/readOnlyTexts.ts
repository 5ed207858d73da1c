import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';

/** Texts as read-only documents of one URI scheme, which can be searched and never ask to be saved. */
export class ReadOnlyTexts implements vscode.TextDocumentContentProvider, Disposable {
  readonly #store = new DisposableStore();
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #scheme: string;

  constructor(scheme: string) {
    this.#scheme = scheme;
    this.#store.add(this.#changed);
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(scheme, this));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())));
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  /**
   * Opens one document for each `id`; `name` is shown in its tab. A document that is open already gets the new text.
   */
  async open(id: string, name: string, text: string): Promise<vscode.TextDocument> {
    const uri = vscode.Uri.from({ scheme: this.#scheme, path: `/${name.replaceAll('/', '∕')}`, query: id });
    const isShown = this.#texts.has(uri.toString());
    this.#texts.set(uri.toString(), text);
    if (isShown) this.#changed.fire(uri);
    return vscode.workspace.openTextDocument(uri);
  }

  /** Gives an open document another text. */
  set(uri: vscode.Uri, text: string): void {
    const address = uri.toString();
    if (!this.#texts.has(address) || this.#texts.get(address) === text) return;
    this.#texts.set(address, text);
    this.#changed.fire(uri);
  }

  dispose(): void {
    this.#store.dispose();
    this.#texts.clear();
  }
}
