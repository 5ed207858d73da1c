/**
 * All files with pending changes of an agent, updated with every change of their documents: patches, typing, undo and
 * redo, formatters, renames. Decorations, lenses and the rest are views of it.
 */
import * as vscode from 'vscode';
import { applyEdits, type Author, becomeText } from '../../core/changeReview/edits.ts';
import { markWritten } from '../../core/changeReview/markWritten.ts';
import { linesOf, startReview, type TextReview } from '../../core/changeReview/textReview.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { Emitter } from '../../core/util/emitter.ts';
import type { AppliedChange, ApplyWatch, PatchOrigin } from '../apply/model.ts';
import { openDocument } from '../workspace/documents.ts';
import { notebookAt, textOfNotebook } from '../workspace/notebooks.ts';
import { uriOf } from '../workspace/places.ts';
import { sameButEndings } from '../workspace/textContent.ts';
import { textEditsOf } from '../workspace/textEdits.ts';
import { afterApply } from './afterApply.ts';
import { isTrimmedBySave } from './trimmedBySave.ts';
import { countOf, isPending, type PendingFile } from './pendingFile.ts';

/** Changes during a save count as a formatter's for this long. */
const LONGEST_SAVE_MS = 5000;

/** An edit whose event is expected from VS Code. */
interface Expected {
  readonly author: Author;
  /** The thread whose patch it is. */
  readonly owner: string | undefined;
  /** The resolved place. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export class Reviews implements Disposable {
  readonly #store = new DisposableStore();
  /** By URI. A file without pending hunks stays while its document is open: Ctrl+Z may restore hunks. */
  readonly #files = new Map<string, PendingFile>();
  readonly #expected = new Map<string, Expected>();
  /** Start times of saves; VS Code sends no event for a save that failed. */
  readonly #saving = new Map<string, number>();
  /** Files that a patch deletes. VS Code reports the deletion before the patch is recorded: until then their review is here. */
  readonly #leaving = new Map<string, PendingFile | undefined>();
  readonly #changed: Emitter<PendingFile>;

  constructor(report: (error: unknown) => void) {
    this.#changed = this.#store.add(new Emitter(report));
    const { workspace } = vscode;
    this.#store.add(workspace.onDidChangeTextDocument((event) => this.#textChanged(event)));
    this.#store.add(workspace.onDidChangeNotebookDocument(({ notebook }) => this.#cellsChanged(notebook)));
    this.#store.add(workspace.onDidCloseNotebookDocument(({ uri }) => this.#forgetIfDone(uri)));
    this.#store.add(workspace.onDidOpenTextDocument((document) => this.#catchUp(document, 'user')));
    this.#store.add(workspace.onDidCloseTextDocument(({ uri }) => this.#forgetIfDone(uri)));
    this.#store.add(
      workspace.onWillSaveTextDocument(({ document }) => this.#saving.set(document.uri.toString(), Date.now())),
    );
    this.#store.add(
      workspace.onDidSaveTextDocument((document) => {
        this.#saving.delete(document.uri.toString());
        this.#catchUp(document, 'agreed');
      }),
    );
    this.#store.add(
      workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) this.#renamed(oldUri, newUri);
      }),
    );
    this.#store.add(workspace.onDidDeleteFiles(({ files }) => this.#removed(files)));
  }

  /** Fires with the present state of a file, which may not be pending any more. */
  get onDidChange(): Emitter<PendingFile>['event'] {
    return this.#changed.event;
  }

  /** Sorted by name. */
  get pending(): readonly PendingFile[] {
    const files = [...this.#files.values()].filter(isPending);
    return files.toSorted((one, other) => (one.uri.path < other.uri.path ? -1 : 1));
  }

  /** The number of pending decisions. */
  get count(): number {
    return this.pending.reduce((sum, file) => sum + countOf(file), 0);
  }

  at(uri: vscode.Uri): PendingFile | undefined {
    return this.#files.get(uri.toString());
  }

  put(file: PendingFile): void {
    const address = file.uri.toString();
    const isOpen = (file.isCells ? notebookAt(file.uri) : openDocument(file.uri)) !== undefined;
    if (isPending(file) || isOpen) this.#files.set(address, file);
    else this.#files.delete(address);
    this.#changed.fire(file);
  }

  /** Returns the watch for a patch of an agent. */
  watchFor(origin: PatchOrigin | undefined): ApplyWatch {
    return this.watchAs(authorOf(origin), origin?.threadId);
  }

  /** Returns the watch for patches whose edits count as this author's. `owner`: their thread. */
  watchAs(author: Author, owner?: string): ApplyWatch {
    return {
      edits: ({ uri, path }, { before, after }) => {
        const address = uri.toString();
        const expected = { author, owner, path, before, after };
        this.#expected.set(address, expected);
        return () => {
          if (this.#expected.get(address) === expected) this.#expected.delete(address);
        };
      },
      moves: (from, to) => {
        const file = this.#files.get(from.uri.toString());
        if (file !== undefined) this.#move(file, to.uri, to.path, to.path);
      },
      deletes: ({ uri }) => {
        const address = uri.toString();
        this.#leaving.set(address, undefined);
        return () => {
          const file = this.#leaving.get(address);
          this.#leaving.delete(address);
          if (file !== undefined) this.put(file);
        };
      },
    };
  }

  /** Records a patch of an agent. What the user has approved in a proposal counts as the user's. */
  applied(changes: readonly AppliedChange[], origin: PatchOrigin | undefined): void {
    const author = authorOf(origin);
    const owner = origin?.threadId;
    for (const applied of changes) {
      const { change } = applied;
      const path = change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
      const uri = uriOf(path);
      const there = this.#files.get(uri.toString()) ?? [...this.#files.values()].find((file) => file.path === path);
      const known = there ?? (change.kind === 'delete' ? this.#leaving.get(uri.toString()) : undefined);
      if (change.kind === 'delete') this.#leaving.delete(uri.toString());
      const text = textAt(known?.uri ?? uri, applied.cells !== undefined) ?? applied.final ?? '';
      const next = afterApply(applied, { uri, path, place: placeOf(applied), known, author, owner, text });
      if (next === 'gone') this.drop(known?.uri ?? uri);
      else if (next !== undefined && next !== known) this.put(next);
    }
  }

  /** Records the files that a command of an agent has written. Call when open documents have loaded them. */
  written(changes: readonly AppliedChange[]): void {
    for (const applied of changes) {
      const { change } = applied;
      const known = change.kind === 'update' ? this.#files.get(uriOf(change.path).toString()) : undefined;
      if (change.kind !== 'update' || known === undefined || known.story.type === 'deleted') {
        this.applied([applied], BY_COMMAND);
        continue;
      }
      const text = markWritten(known.text, change.before, change.after);
      if (text !== known.text) this.put({ ...known, text });
    }
  }

  /** Ends the review of the file. */
  drop(uri: vscode.Uri): void {
    const file = this.#files.get(uri.toString());
    if (file === undefined) return;
    this.#files.delete(uri.toString());
    this.#changed.fire({ ...file, story: { type: 'edited' }, text: { ...file.text, hunks: [], kept: [] } });
  }

  /** Records that the file holds this text. */
  found(file: PendingFile, text: string, author: Author): PendingFile {
    const next = { ...file, text: becomeText(file.text, text, author) };
    if (next.text !== file.text) this.put(next);
    return next;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #textChanged({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    const address = document.uri.toString();
    const known = this.#files.get(address);
    const expected = this.#expected.get(address);
    if ((known === undefined && expected === undefined) || contentChanges.length === 0) return;
    const isExpected = expected !== undefined && sameButEndings(document.getText(), expected.after);
    const file = known ?? (isExpected && expected.author === 'agent' ? newFile(document.uri, expected) : undefined);
    if (file === undefined || file.isCells || file.story.type === 'deleted') return;
    const edits = textEditsOf(contentChanges);
    const isTrimming = reason === undefined && isTrimmedBySave(edits, file.text, document);
    const author = isExpected ? expected.author : isTrimming ? 'agreed' : this.#authorOf(address, reason);
    const owner = isExpected ? expected.owner : undefined;
    const text = applyEdits(file.text, edits, author, owner);
    const isWhole = text.current.length === document.lineCount;
    this.put({ ...file, text: isWhole ? text : now(file.text, document, author, owner) });
  }

  /** Called also where only outputs have changed. VS Code does not report if it was an undo. */
  #cellsChanged(notebook: vscode.NotebookDocument): void {
    const address = notebook.uri.toString();
    const file = this.#files.get(address);
    // Changes of a patch are recorded when it is applied.
    if (!file?.isCells || file.story.type === 'deleted' || this.#expected.has(address)) return;
    const text = becomeText(file.text, textOfNotebook(notebook), 'history');
    if (text !== file.text) this.put({ ...file, text });
  }

  #authorOf(address: string, reason: vscode.TextDocumentChangeReason | undefined): Author {
    if (reason !== undefined) return 'history';
    return Date.now() - (this.#saving.get(address) ?? 0) < LONGEST_SAVE_MS ? 'agreed' : 'user';
  }

  /** `author`: of changes that no event has reported. */
  #catchUp(document: vscode.TextDocument, author: Author): void {
    const file = this.#files.get(document.uri.toString());
    if (file === undefined || file.isCells || file.story.type === 'deleted') return;
    const text = now(file.text, document, author);
    if (text !== file.text) this.put({ ...file, text });
  }

  #forgetIfDone(uri: vscode.Uri): void {
    const file = this.#files.get(uri.toString());
    if (file === undefined) return;
    // An untitled document is gone when it closes, or was saved under another URI.
    if (uri.scheme === 'untitled') this.drop(uri);
    else if (!isPending(file)) this.#files.delete(uri.toString());
  }

  /** Renames a file, or every file below a folder. */
  #renamed(oldUri: vscode.Uri, newUri: vscode.Uri): void {
    for (const file of [...this.#files.values()]) {
      if (!isIn(file.uri, oldUri)) continue;
      const rest = file.uri.path.slice(oldUri.path.length);
      const uri = newUri.with({ path: newUri.path + rest });
      this.#move(file, uri, uri.scheme === 'file' ? uri.fsPath : uri.path, undefined);
    }
  }

  #removed(files: readonly vscode.Uri[]): void {
    for (const file of [...this.#files.values()]) {
      if (file.story.type === 'deleted' || !files.some((uri) => isIn(file.uri, uri))) continue;
      const address = file.uri.toString();
      if (this.#leaving.has(address)) this.#leaving.set(address, file);
      this.drop(file.uri);
    }
  }

  #move(file: PendingFile, uri: vscode.Uri, path: string, place: string | undefined): void {
    if (uri.toString() === file.uri.toString()) return;
    this.drop(file.uri);
    this.put({ ...file, uri, path, place });
  }
}

/** The origin of changes by a command: the user has not approved them in their exact form. */
const BY_COMMAND: PatchOrigin = { turnId: '', itemId: '', isUnseen: true };

function authorOf(origin: PatchOrigin | undefined): Author {
  return origin?.isUnseen ? 'agent' : 'agreed';
}

/** The place of a removed file: the name itself. */
function placeOf({ change }: AppliedChange): string {
  const { path, movedTo } = change.places;
  return change.kind === 'delete' ? path.name : (movedTo ?? path).target;
}

function textAt(uri: vscode.Uri, isCells: boolean): string | undefined {
  const notebook = isCells ? notebookAt(uri) : undefined;
  return notebook === undefined ? openDocument(uri)?.getText() : textOfNotebook(notebook);
}

function newFile(uri: vscode.Uri, { path, before }: Expected): PendingFile {
  return { uri, path, place: path, story: { type: 'edited' }, text: startReview(before, before) };
}

function now(text: TextReview, document: vscode.TextDocument, author: Author, owner?: string): TextReview {
  const lines = linesOf(document.getText());
  const isSame = lines.length === text.current.length && lines.every((line, at) => line === text.current[at]);
  return isSame ? text : becomeText(text, document.getText(), author, owner);
}

function isIn(uri: vscode.Uri, place: vscode.Uri): boolean {
  if (uri.scheme !== place.scheme || uri.authority !== place.authority) return false;
  return uri.path === place.path || uri.path.startsWith(`${place.path}/`);
}
