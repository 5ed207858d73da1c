import * as vscode from 'vscode';
import { movedLines } from '../../core/util/textEdit.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import { findQuote, quoteOf } from '../../protocol/text/quote.ts';
import { textEditsOf } from '../workspace/textEdits.ts';

/** Lines of a document. */
export interface Place {
  readonly uri: vscode.Uri;
  readonly lines: LineRange;
  /** The lines as they are, as far as a quote has them: by it they are found again in another text. */
  readonly quote: string;
}

/** Places by an id, which move with the text of their documents: while these are open, and when they are opened again. */
export class TrackedPlaces implements Disposable {
  readonly #places = new Map<string, Place>();
  readonly #moved = new vscode.EventEmitter<string>();
  readonly #store = new DisposableStore();
  /** Fires with the id of a place that has another document, other lines or another text. */
  readonly onDidMove = this.#moved.event;

  constructor() {
    const { workspace } = vscode;
    this.#store.add(this.#moved);
    this.#store.add(workspace.onDidChangeTextDocument((event) => this.#edited(event)));
    this.#store.add(workspace.onDidOpenTextDocument((document) => this.#opened(document)));
    this.#store.add(workspace.onDidRenameFiles(({ files }) => this.#renamed(files)));
  }

  get(id: string): Place | undefined {
    return this.#places.get(id);
  }

  /** Sets or replaces a place. Where its document is open it is where its quote is. */
  put(id: string, place: Place): Place {
    const document = openAt(place.uri);
    const found = document === undefined ? place : foundAgain(place, document);
    this.#places.set(id, found);
    return found;
  }

  delete(id: string): void {
    this.#places.delete(id);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #in(uri: vscode.Uri): readonly (readonly [string, Place])[] {
    const address = uri.toString();
    return [...this.#places].filter(([, place]) => place.uri.toString() === address);
  }

  #edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const places = contentChanges.length === 0 ? [] : this.#in(document.uri);
    if (places.length === 0) return;
    const edits = textEditsOf(contentChanges);
    for (const [id, place] of places) {
      const { lines, isTouched } = movedLines(place.lines, edits);
      // A reload and a formatter report one edit from the first difference to the last.
      const known = isTouched ? findQuote(document.getText(), place.quote, place.lines) : undefined;
      this.#move(id, place, { ...place, ...within(known ?? lines, place.quote, document) });
    }
  }

  #opened(document: vscode.TextDocument): void {
    for (const [id, place] of this.#in(document.uri)) this.#move(id, place, foundAgain(place, document));
  }

  #renamed(files: readonly { readonly oldUri: vscode.Uri; readonly newUri: vscode.Uri }[]): void {
    for (const { oldUri, newUri } of files) {
      for (const [id, place] of this.#places) {
        const isFile = place.uri.toString() === oldUri.toString();
        const isBelow = place.uri.scheme === oldUri.scheme && place.uri.path.startsWith(`${oldUri.path}/`);
        if (!isFile && !isBelow) continue;
        const path = newUri.path + place.uri.path.slice(oldUri.path.length);
        this.#move(id, place, { ...place, uri: newUri.with({ path }) });
      }
    }
  }

  #move(id: string, before: Place, place: Place): void {
    const isSame =
      before.uri.toString() === place.uri.toString() &&
      before.lines.first === place.lines.first &&
      before.lines.last === place.lines.last &&
      before.quote === place.quote;
    if (isSame) return;
    this.#places.set(id, place);
    this.#moved.fire(id);
  }
}

/** Returns the open document of this URI. */
export function openAt(uri: vscode.Uri): vscode.TextDocument | undefined {
  const address = uri.toString();
  return vscode.workspace.textDocuments.find((document) => !document.isClosed && document.uri.toString() === address);
}

/** The place of the quote now; without it the same lines, as far as the text has them. */
function foundAgain(place: Place, document: vscode.TextDocument): Place {
  const text = document.getText();
  if (quoteOf(text, place.lines) === place.quote) return place;
  const found = findQuote(text, place.quote, place.lines);
  if (found !== undefined) return { ...place, ...within(found, place.quote, document) };
  // The quote stays: the lines may come back.
  return { ...place, lines: within(place.lines, '', document).lines };
}

function within({ first, last }: LineRange, quote: string, document: vscode.TextDocument): Omit<Place, 'uri'> {
  const { lineCount } = document;
  const lines = { first: Math.min(first, lineCount), last: Math.min(last, lineCount) };
  return { lines, quote: quoteOf(document.getText(), lines) ?? quote };
}

/** The lines for VS Code: from the start of the first to the start of the last. */
export function rangeOf({ first, last }: LineRange): vscode.Range {
  return new vscode.Range(first - 1, 0, last - 1, 0);
}

/** Lines from 1, the last one included, in place of VS Code's from 0. */
export function linesOf({ start, end }: vscode.Range): LineRange {
  return { first: start.line + 1, last: end.line + 1 };
}
