/** The commands of change review: in the palette, by key, in the editor and in Source Control. */
import * as vscode from 'vscode';
import type { ReviewHunk } from '../../core/changeReview/textReview.ts';
import { leftAloneInWords } from '../ui/workspacePaths.ts';
import { uriOf } from '../workspace/places.ts';
import type { Choice, Decisions, LeftAlone } from './decide.ts';
import { Navigation } from './navigation.ts';
import { hasHunks, type PendingFile } from './pendingFile.ts';
import type { ReviewKeys } from './reviewKeys.ts';
import type { Reviews } from './reviews.ts';
import { hunkAtLine, shownHunks } from './shownHunks.ts';

export interface ReviewCommandsDeps {
  readonly reviews: Reviews;
  readonly decisions: Decisions;
  readonly keys: ReviewKeys;
  /** Returns true if VS Code's peek contains our changes. */
  readonly hasPeek: () => boolean;
}

/** A line change as VS Code passes it to the buttons of its peek: lines from 1, and an end of 0 for an empty range. */
interface LineChange {
  readonly modifiedStartLineNumber: number;
  readonly modifiedEndLineNumber: number;
}

export class ReviewCommands {
  readonly #reviews: Reviews;
  readonly #decisions: Decisions;
  readonly #keys: ReviewKeys;
  readonly #hasPeek: () => boolean;
  readonly #navigation: Navigation;

  constructor({ reviews, decisions, keys, hasPeek }: ReviewCommandsDeps) {
    this.#reviews = reviews;
    this.#decisions = decisions;
    this.#keys = keys;
    this.#hasPeek = hasPeek;
    this.#navigation = new Navigation(reviews);
  }

  next(): Promise<void> {
    return this.#navigation.go('next');
  }

  previous(): Promise<void> {
    return this.#navigation.go('previous');
  }

  /** Keeps the hunk of a code lens, else the one at the cursor; then goes to the next one. */
  async keepHunk(address?: unknown, id?: unknown): Promise<void> {
    const choice = this.#choiceOf(address, id);
    if (choice === undefined) return nothingHere();
    this.#keep([choice]);
    if (id === undefined) await this.#navigation.go('next', 'active_file');
  }

  async undoHunk(address?: unknown, id?: unknown): Promise<void> {
    const choice = this.#choiceOf(address, id);
    if (choice === undefined) return nothingHere();
    await this.#undo([choice]);
    if (id === undefined) await this.#navigation.go('next', 'active_file');
  }

  keepFile(given?: unknown): void {
    const file = this.#fileOf(given);
    if (file === undefined) nothingHere();
    else this.#keep([{ file, hunks: 'all' }]);
  }

  async undoFile(given?: unknown): Promise<void> {
    const file = this.#fileOf(given);
    if (file === undefined) nothingHere();
    else await this.#undo([{ file, hunks: 'all' }]);
  }

  keepAll(): void {
    const all = this.#reviews.pending.map((file) => ({ file, hunks: 'all' as const }));
    if (all.length === 0) nothingHere();
    else this.#keep(all);
  }

  /** Ctrl+Z reverts it only file by file, so it asks first when there are several files. */
  async undoAll(): Promise<void> {
    const all = this.#reviews.pending.map((file) => ({ file, hunks: 'all' as const }));
    if (all.length === 0) return nothingHere();
    if (all.length > 1) {
      const undo = vscode.l10n.t('Undo All');
      const question = vscode.l10n.t('Undo all changes by Tiller in {0} files?', all.length);
      const detail = vscode.l10n.t('Your own edits stay. Ctrl+Z reverts this file by file.');
      if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, undo)) !== undo) return;
    }
    await this.#undo(all);
  }

  unkeep(): void {
    const isSomething = this.#decisions.unkeep();
    this.#keys.refresh();
    if (!isSomething) void vscode.window.showInformationMessage(vscode.l10n.t('There is no Keep to undo.'));
  }

  /** A button of the peek; `changes` has the changes of all source controls. From a key it has no arguments. */
  keepChange(uri?: vscode.Uri, changes?: readonly LineChange[], index = 0): void {
    const choice = this.#choiceAt(uri, changes?.[index]);
    if (choice === undefined) nothingHere();
    else this.#keep([choice]);
  }

  async undoChange(uri?: vscode.Uri, changes?: readonly LineChange[], index = 0): Promise<void> {
    const choice = this.#choiceAt(uri, changes?.[index]);
    if (choice === undefined) nothingHere();
    else await this.#undo([choice]);
  }

  async peek(address: unknown, id: unknown): Promise<void> {
    const { file, hunk } = this.#hunkOf(address, id) ?? {};
    if (file === undefined || hunk === undefined) return;
    if (this.#hasPeek() && !file.isCells && vscode.workspace.getWorkspaceFolder(file.uri)) {
      await this.#navigation.peek(file, hunk);
    } else await this.#navigation.showDiff(file);
  }

  async showDiff(given?: unknown): Promise<void> {
    const file = this.#fileOf(given);
    if (file === undefined) nothingHere();
    else await this.#navigation.showDiff(file);
  }

  async showAll(): Promise<void> {
    if (this.#reviews.pending.length === 0) nothingHere();
    else await this.#navigation.showAll();
  }

  #keep(choices: readonly Choice[]): void {
    this.#decisions.keep(choices);
    this.#keys.refresh();
  }

  async #undo(choices: readonly Choice[]): Promise<void> {
    reportLeftAlone(await this.#decisions.undo(choices));
  }

  /**
   * Returns the hunk with this id, else the one at the cursor; of a file without hunks the whole file. The keys work
   * anywhere in the file: a `when` clause about the cursor would not be up to date for a key right after a move.
   */
  #choiceOf(address: unknown, id: unknown): Choice | undefined {
    const found = this.#hunkOf(address, id);
    if (found !== undefined) return { file: found.file, hunks: hasHunks(found.file) ? [found.hunk.id] : 'all' };
    const file = id === undefined ? this.#fileOf(undefined) : undefined;
    return file !== undefined && !hasHunks(file) ? { file, hunks: 'all' } : undefined;
  }

  #hunkOf(address: unknown, id: unknown): { readonly file: PendingFile; readonly hunk: ReviewHunk } | undefined {
    if (typeof address === 'string' && typeof id === 'number') {
      const file = this.#reviews.at(vscode.Uri.parse(address, true));
      const hunk = file?.text.hunks.find((known) => known.id === id);
      return file && hunk && { file, hunk };
    }
    const editor = vscode.window.activeTextEditor;
    const shown = editor && shownHunks(this.#reviews, editor.document);
    const hunk = editor && shown && hunkAtLine(shown, editor.selection.active.line);
    return shown && hunk && { file: shown.file, hunk };
  }

  #choiceAt(uri: vscode.Uri | undefined, change: LineChange | undefined): Choice | undefined {
    const file = uri && (this.#reviews.at(uri) ?? this.#reviews.at(uriOf(uri.fsPath)));
    if (file === undefined || change === undefined) return undefined;
    // VS Code may place a change one line beside ours when neighbouring lines are equal.
    const start =
      change.modifiedEndLineNumber === 0 ? change.modifiedStartLineNumber : change.modifiedStartLineNumber - 1;
    const end = Math.max(start, change.modifiedEndLineNumber);
    const hunks = file.text.hunks.filter((hunk) => hunk.start <= end && hunk.end >= start).map(({ id }) => id);
    return { file, hunks: hasHunks(file) ? hunks : 'all' };
  }

  /** A title button passes a URI, the Source Control view a row; the default is the active editor's file. */
  #fileOf(given: unknown): PendingFile | undefined {
    const row = given as { readonly resourceUri?: unknown } | undefined;
    const uri = given instanceof vscode.Uri ? given : row?.resourceUri;
    const { activeTextEditor, activeNotebookEditor } = vscode.window;
    const active = activeNotebookEditor?.notebook.uri ?? activeTextEditor?.document.uri;
    const wanted = uri instanceof vscode.Uri ? uri : active;
    if (wanted === undefined) return undefined;
    const file = this.#reviews.at(wanted) ?? this.#reviews.at(uriOf(wanted.fsPath));
    return this.#reviews.pending.find((pending) => pending === file);
  }
}

function nothingHere(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('There are no changes to review here.'));
}

function reportLeftAlone(leftAlone: readonly LeftAlone[]): void {
  if (leftAlone.length === 0) return;
  void vscode.window.showWarningMessage(vscode.l10n.t('Not undone: {0}', leftAloneInWords(leftAlone)));
}
