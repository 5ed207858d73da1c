/** Files without the changes that are pending in review: the left side of diffs and of the quick diff. */
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';

const BASE_SCHEME = 'tiller-base';

/** Read-only documents with a file as it was before its pending changes, for diffs and the peek. */
export class BaseDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #store = new DisposableStore();
  readonly #reviews: Reviews;
  readonly #changed = this.#store.add(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.#changed.event;
  /** The lines provided last, by URI. */
  readonly #given = new Map<string, readonly string[]>();

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(BASE_SCHEME, this));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#given.delete(uri.toString())));
    this.#store.add(
      reviews.onDidChange((file) => {
        for (const uri of [baseUri(file.uri), cellsUri(file.uri, 'base'), cellsUri(file.uri, 'now')]) {
          const given = this.#given.get(uri.toString());
          if (given !== undefined && given !== linesAt(uri, file)) this.#changed.fire(uri);
        }
      }),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    const file = this.#reviews.at(vscode.Uri.parse(uri.query, true));
    if (file === undefined) return undefined;
    const lines = linesAt(uri, file);
    this.#given.set(uri.toString(), lines);
    return lines.join('\n');
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** Keeps the real path: VS Code takes name, icon and language from it. */
export function baseUri(uri: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: BASE_SCHEME, path: uri.path, query: uri.toString() });
}

/** A side of the text of a notebook's cells. Under the name of the file VS Code would read it as JSON. */
export function cellsUri(uri: vscode.Uri, side: 'base' | 'now'): vscode.Uri {
  return baseUri(uri).with({ path: `${uri.path}.cells`, fragment: side });
}

/** Returns the lines of one side. The current text of a deleted file is its former text. */
function linesAt({ fragment }: vscode.Uri, { story, text }: PendingFile): readonly string[] {
  return story.type === 'deleted' || fragment === 'now' ? text.current : text.base;
}
