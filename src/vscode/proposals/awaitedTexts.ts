import type * as vscode from 'vscode';

/** In milliseconds. VS Code loads a changed file anew within a second; afterwards the text of the document counts. */
const SHOWN_WITHIN = 10_000;

interface Awaited {
  readonly text: string;
  readonly limit: ReturnType<typeof setTimeout>;
  /** Callers of `shown`. */
  readonly waiting: (() => void)[];
}

/**
 * Texts that open documents do not show yet: VS Code loads a file anew some time after it has changed. Until then the
 * document has the text of an earlier proposal, which is no choice of the user.
 */
export class AwaitedTexts implements vscode.Disposable {
  readonly #texts = new Map<string, Awaited>();

  /** Replaces one that is awaited for the same document. */
  expect(uri: vscode.Uri, text: string): void {
    const address = uri.toString();
    const known = this.#texts.get(address);
    clearTimeout(known?.limit);
    const limit = setTimeout(() => this.end(uri), SHOWN_WITHIN);
    this.#texts.set(address, { text, limit, waiting: known?.waiting ?? [] });
  }

  /** `undefined` where the text of the document counts. */
  of(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString())?.text;
  }

  /** Call when a document has changed. */
  look(document: vscode.TextDocument): void {
    if (this.of(document.uri) === document.getText()) this.end(document.uri);
  }

  /** Call when the document is closed, or its proposal is answered. */
  end(uri: vscode.Uri): void {
    const address = uri.toString();
    const known = this.#texts.get(address);
    if (known === undefined) return;
    clearTimeout(known.limit);
    this.#texts.delete(address);
    for (const resolve of known.waiting) resolve();
  }

  /** Resolves when the text of the document counts, after 10 s at the latest. */
  shown(uri: vscode.Uri): Promise<void> {
    const known = this.#texts.get(uri.toString());
    return known === undefined ? Promise.resolve() : new Promise((resolve) => known.waiting.push(resolve));
  }

  dispose(): void {
    for (const { limit, waiting } of this.#texts.values()) {
      clearTimeout(limit);
      for (const resolve of waiting) resolve();
    }
    this.#texts.clear();
  }
}
