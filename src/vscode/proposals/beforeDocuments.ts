import * as vscode from 'vscode';

/** Left sides of diff editors: the texts before the proposals. */
export class BeforeDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /** An open document shows the new text at once. */
  put(uri: vscode.Uri, text: string): void {
    const address = uri.toString();
    if (this.#texts.get(address) === text) return;
    this.#texts.set(address, text);
    this.#changed.fire(uri);
  }

  forget(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
  }

  dispose(): void {
    this.#changed.dispose();
    this.#texts.clear();
  }
}
