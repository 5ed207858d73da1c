/**
 * "Edit at the Cursor": one line of instruction, and the change is applied at that place (docs/editor.md,
 * docs/decisions/0053). Each edit is a thread of its own; the panel is not opened.
 */
import { resolve } from 'node:path';
import * as vscode from 'vscode';
import type { EditOutcome, EditProgress, PreparedEdit } from '../../core/agent/editThread.ts';
import type { ReviewHunk } from '../../core/changeReview/textReview.ts';
import { editInput } from '../../core/prompt/editAtCursor.ts';
import type { ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { describeProblem } from '../../core/tools/problems/describeProblem.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { movedLines } from '../../core/util/textEdit.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import { contextKey } from '../ui/contextKey.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { offerTrust } from '../ui/neededPlace.ts';
import { pathOf } from '../workspace/places.ts';
import { problemsOf } from '../workspace/problemsOf.ts';
import { selectedLines } from '../workspace/selectedLines.ts';
import { textEditsOf } from '../workspace/textEdits.ts';
import { approvalOf, type Edit, isRunning, sentenceOf } from './edit.ts';
import { EditInput, Instructions } from './editInput.ts';
import { EditViews } from './editViews.ts';

export interface EditAtCursorDeps {
  readonly refusals: ReadRefusals;
  /** Returns true if the user is in plan mode. */
  readonly isPlanMode: () => boolean;
  /** False when the user has selected no model, also when asked. */
  readonly hasModel: () => Promise<boolean>;
  /** Makes the thread of an edit. Call when the user begins to write the instruction. */
  readonly prepare: () => Pick<PreparedEdit, 'start' | 'discard'>;
  /** The folder that paths of patches are relative to. */
  readonly cwd: () => string;
  readonly answer: (threadId: string, approvalId: string, decision: 'approved' | 'denied') => void;
  readonly showProposal: (approvalId: string) => Promise<unknown>;
  /** Opens the panel with the thread. */
  readonly showThread: (threadId: string) => Promise<void>;
  readonly review: {
    hunksIn(uri: vscode.Uri): readonly ReviewHunk[];
    decideHunk(uri: vscode.Uri, id: number, what: 'keep' | 'undo'): Promise<void>;
    onHunks(listener: () => void): Disposable;
  };
  readonly memento: Pick<vscode.Memento, 'get' | 'update'>;
  /** Returns true if the settings let messages be kept over a restart. */
  readonly keepsInstructions: () => boolean;
  readonly report: (error: unknown) => void;
}

/** The place that the box asks about; it follows the edits of the document. */
interface Asked {
  readonly uri: vscode.Uri;
  lines: LineRange;
}

/** Parts that are prepared while the user writes the instruction. */
interface Ready {
  readonly refusals: ReturnType<ReadRefusals>;
  readonly prepared: Pick<PreparedEdit, 'start' | 'discard'>;
}

/** The answer that a lens gives. */
export type EditAnswer = 'approved' | 'denied' | 'show';

export class EditAtCursor implements Disposable {
  readonly #deps: EditAtCursorDeps;
  readonly #store = new DisposableStore();
  readonly #input: EditInput;
  readonly #views: EditViews;
  readonly #edits = new Map<number, Edit>();
  readonly #aborts = new Map<number, AbortController>();
  #nextId = 1;
  /** The last place that was asked about. */
  #asked: Asked | undefined;
  /** The active editor has an edit that Escape stops or dismisses. */
  readonly #setIsHere = contextKey<boolean>('tiller.editHere');
  readonly #setAsks = contextKey<boolean>('tiller.editAsks');
  readonly #setIsRunning = contextKey<boolean>('tiller.editRunning');
  readonly #setHasThread = contextKey<boolean>('tiller.editHasThread');

  constructor(deps: EditAtCursorDeps) {
    this.#deps = deps;
    this.#input = this.#store.add(new EditInput(new Instructions(deps.memento, deps.keepsInstructions)));
    this.#views = this.#store.add(new EditViews({ edits: () => this.all, hunksIn: (uri) => deps.review.hunksIn(uri) }));
    this.#store.add(vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event)));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#closed(uri)));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(() => this.#setKeys()));
    this.#store.add(deps.review.onHunks(() => this.#reviewed()));
  }

  /** The oldest first. */
  get all(): readonly Edit[] {
    return [...this.#edits.values()];
  }

  /** The key: asks for the change at the selection or the line of the cursor. */
  async ask(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !isEditable(editor.document)) {
      return tell(vscode.l10n.t('Put the cursor into a file to edit it.'));
    }
    if (this.#isRefused()) return;
    await this.#askFor(editor.document, selectedLines(editor.selection));
  }

  /** The arrow keys in the box. */
  recall(direction: 'earlier' | 'later'): void {
    this.#input.recall(direction);
  }

  /** Asks again, with the instruction of an edit that has ended. */
  async retry(id: number): Promise<void> {
    const edit = this.#edits.get(id);
    if (edit === undefined || isRunning(edit)) return;
    if (this.#isRefused()) return;
    const document = await vscode.workspace.openTextDocument(edit.uri);
    await this.#askFor(document, edit.lines, edit);
  }

  /** Stops an edit, or dismisses one that has ended; without an id the one nearest to the cursor. */
  stop(id?: number): void {
    const edit = id === undefined ? this.#nearest(isStoppable) : this.#edits.get(id);
    if (edit === undefined) return;
    if (isRunning(edit)) this.#aborts.get(edit.id)?.abort(new vscode.CancellationError());
    else this.#remove(edit.id);
  }

  /** Shows the thread of an edit in the panel; without an id that of the one nearest to the cursor. */
  async open(id?: number): Promise<void> {
    const edit = id === undefined ? this.#nearest(({ threadId }) => threadId !== undefined) : this.#edits.get(id);
    if (edit?.threadId === undefined) return;
    await this.#deps.showThread(edit.threadId);
    if (isEnded(edit)) this.#remove(edit.id);
  }

  /** Answers an edit that waits for approval. From a key: `id` is the decision, about the edit nearest to the cursor. */
  async answer(id: number | EditAnswer, given?: EditAnswer): Promise<void> {
    const asks = (edit: Edit) => approvalOf(edit) !== undefined;
    const edit = typeof id === 'number' ? this.#edits.get(id) : this.#nearest(asks);
    const decision = typeof id === 'number' ? given : id;
    const approvalId = edit && approvalOf(edit);
    if (edit?.threadId === undefined || approvalId === undefined || decision === undefined) return;
    if (decision === 'show') await this.#deps.showProposal(approvalId);
    else this.#deps.answer(edit.threadId, approvalId, decision);
  }

  /** Keeps or undoes all changes of an edit. */
  async decide(id: number, what: 'keep' | 'undo'): Promise<void> {
    const edit = this.#edits.get(id);
    for (const hunk of edit?.hunks ?? []) {
      if (edit !== undefined) await this.#deps.review.decideHunk(edit.uri, hunk, what);
    }
  }

  dispose(): void {
    for (const abort of this.#aborts.values()) abort.abort(new vscode.CancellationError());
    this.#store.dispose();
  }

  /** True, after a message, where no file may be changed. */
  #isRefused(): boolean {
    const { isTrusted } = vscode.workspace;
    const isPlanMode = this.#deps.isPlanMode();
    if (!isTrusted) offerTrust(vscode.l10n.t('Edits at the cursor are not available in Restricted Mode.'));
    else if (isPlanMode) tell(vscode.l10n.t('Plan mode changes no files. Choose another mode in the panel.'));
    return !isTrusted || isPlanMode;
  }

  /** `before`: the edit that this one repeats and replaces. */
  async #askFor(document: vscode.TextDocument, lines: LineRange, before?: Edit): Promise<void> {
    const refusals = this.#deps.refusals([pathIn(document)]);
    refusals.catch(() => {});
    const asked: Asked = { uri: document.uri, lines };
    this.#asked = asked;
    const place = rangeName(vscode.workspace.asRelativePath(document.uri), lines);
    const asking = this.#input.ask(place, before?.instruction);
    const prepared = this.#deps.prepare();
    const instruction = await asking;
    if (instruction === undefined || !(await this.#deps.hasModel())) return prepared.discard();
    if (before !== undefined) this.#edits.delete(before.id);
    const edit = newEdit(this.#nextId++, asked, instruction);
    this.#put(edit);
    await this.#run(edit, document, { refusals, prepared });
  }

  async #run(edit: Edit, document: vscode.TextDocument, ready: Ready): Promise<void> {
    const abort = new AbortController();
    this.#aborts.set(edit.id, abort);
    const ran = this.#start(edit, document, ready, abort.signal);
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: sentenceOf(edit) }, () => ran);
    await ran;
    this.#aborts.delete(edit.id);
  }

  /** Never rejects. */
  async #start(
    { id, instruction, lines }: Edit,
    document: vscode.TextDocument,
    { refusals, prepared }: Ready,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const path = pathIn(document);
      const refused = (await refusals).get(path);
      if (refused !== undefined) {
        await prepared.discard();
        return this.#end(id, { type: 'failed', message: refused, paths: [] });
      }
      const input = editInput(instruction, { path, ...placeIn(document, lines) });
      const running = await prepared.start(input, signal, (progress) => this.#progress(id, progress));
      this.#change(id, { threadId: running.threadId });
      this.#end(id, await running.outcome);
    } catch (error) {
      if (!signal.aborted) this.#deps.report(error);
      const paths: readonly string[] = [];
      this.#end(id, signal.aborted ? { type: 'stopped', paths } : { type: 'failed', message: messageOf(error), paths });
    }
  }

  #progress(id: number, progress: EditProgress): void {
    const edit = this.#edits.get(id);
    const hunks = edit === undefined || progress.type !== 'applied' ? {} : { hunks: this.#hunksOf(edit) };
    this.#change(id, { state: { type: 'running', progress }, ...hunks });
  }

  #end(id: number, outcome: EditOutcome): void {
    switch (outcome.type) {
      case 'changed':
        return this.#changed(id, outcome.paths);
      case 'stopped':
        return outcome.paths.length > 0 ? this.#changed(id, outcome.paths) : this.#remove(id);
      case 'answered':
        this.#change(id, { state: outcome });
        return this.#tellWithoutLenses(id);
      case 'failed': {
        const edit = this.#edits.get(id);
        const hunks = edit === undefined || outcome.paths.length === 0 ? [] : this.#hunksOf(edit);
        this.#change(id, { state: { type: 'failed', message: outcome.message }, hunks });
        return this.#tellWithoutLenses(id);
      }
      default:
        return assertNever(outcome);
    }
  }

  /** Nothing is left to decide where the user has approved the patch, or has decided already. */
  #changed(id: number, paths: readonly string[]): void {
    const edit = this.#edits.get(id);
    if (edit === undefined) return;
    const hunks = this.#hunksOf(edit);
    if (hunks.length > 0) return this.#change(id, { state: { type: 'changed' }, hunks });
    if (paths.some((path) => resolve(this.#deps.cwd(), path) === pathOf(edit.uri))) return this.#remove(id);
    this.#change(id, { state: { type: 'changed_elsewhere', paths } });
    this.#tellWithoutLenses(id);
  }

  /** The hunks that its patches have made, or have changed. */
  #hunksOf({ uri, threadId }: Edit): readonly number[] {
    if (threadId === undefined) return [];
    const own = this.#deps.review.hunksIn(uri).filter(({ owners }) => owners?.includes(threadId));
    return own.map(({ id }) => id);
  }

  /** The hunks of a file have changed: a patch that the model has written is applied, or the user has decided. */
  #reviewed(): void {
    for (const edit of this.all) {
      const { id, uri, state } = edit;
      if (state.type === 'running' && state.progress.type === 'writing') {
        const hunks = this.#hunksOf(edit);
        if (hunks.length > 0) this.#change(id, { state: { type: 'running', progress: { type: 'applied' } }, hunks });
      } else if (state.type === 'changed' || (state.type === 'failed' && edit.hunks.length > 0)) {
        const there = new Set(this.#deps.review.hunksIn(uri).map((hunk) => hunk.id));
        if (edit.hunks.some((hunk) => there.has(hunk))) continue;
        if (state.type === 'changed') this.#remove(id);
        else this.#change(id, { hunks: [] });
      }
    }
  }

  /** Shows the end in a notification where the user has turned code lenses off. */
  #tellWithoutLenses(id: number): void {
    const edit = this.#edits.get(id);
    if (edit === undefined || vscode.workspace.getConfiguration('editor', edit.uri).get('codeLens') !== false) return;
    const open = vscode.l10n.t('Open as Thread');
    const buttons = edit.threadId === undefined ? [] : [open];
    void vscode.window.showWarningMessage(withoutLinks(sentenceOf(edit)), ...buttons).then((answer) => {
      if (answer === open) this.open(id).catch(this.#deps.report);
      else this.#remove(id);
    });
  }

  #put(edit: Edit): void {
    this.#edits.set(edit.id, edit);
    this.#refresh();
  }

  #change(id: number, changes: Partial<Edit>): void {
    const edit = this.#edits.get(id);
    if (edit !== undefined) this.#put({ ...edit, ...changes });
  }

  #remove(id: number): void {
    if (this.#edits.delete(id)) this.#refresh();
  }

  #refresh(): void {
    this.#setKeys();
    this.#views.refresh();
  }

  #setKeys(): void {
    const here = vscode.window.activeTextEditor?.document.uri.toString();
    const shown = this.all.filter(({ uri }) => uri.toString() === here);
    this.#setIsHere(shown.some(isStoppable));
    this.#setAsks(shown.some((edit) => approvalOf(edit) !== undefined));
    this.#setIsRunning(this.all.some(isRunning));
    this.#setHasThread(this.all.some(({ threadId }) => threadId !== undefined));
  }

  /** Returns the accepted edit nearest to the cursor of the active editor, else the newest one. */
  #nearest(accepts: (edit: Edit) => boolean): Edit | undefined {
    const accepted = this.all.filter(accepts);
    const editor = vscode.window.activeTextEditor;
    const line = (editor?.selection.active.line ?? 0) + 1;
    const distance = ({ lines: { first, last } }: Edit) => Math.max(first - line, line - last, 0);
    const here = accepted.filter(({ uri }) => uri.toString() === editor?.document.uri.toString());
    return here.toSorted((one, other) => distance(one) - distance(other))[0] ?? accepted.at(-1);
  }

  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const address = document.uri.toString();
    const changes = textEditsOf(contentChanges);
    const asked = this.#asked;
    if (asked?.uri.toString() === address) asked.lines = movedLines(asked.lines, changes).lines;
    let isMoved = false;
    for (const edit of this.all.filter(({ uri }) => uri.toString() === address)) {
      const { lines } = movedLines(edit.lines, changes);
      isMoved ||= lines.first !== edit.lines.first || lines.last !== edit.lines.last;
      this.#edits.set(edit.id, { ...edit, lines });
    }
    if (isMoved) this.#views.refresh();
  }

  #closed(uri: vscode.Uri): void {
    for (const edit of this.all) if (isEnded(edit) && edit.uri.toString() === uri.toString()) this.#remove(edit.id);
  }
}

function newEdit(id: number, { uri, lines }: Asked, instruction: string): Edit {
  const state = { type: 'running' as const, progress: { type: 'thinking' as const } };
  return { id, uri, lines, instruction, hunks: [], threadId: undefined, state };
}

/** Returns true for an edit that has ended; it shows its outcome until it is dismissed. */
function isEnded({ state }: Edit): boolean {
  return state.type === 'answered' || state.type === 'failed' || state.type === 'changed_elsewhere';
}

function isStoppable(edit: Edit): boolean {
  return isRunning(edit) || isEnded(edit);
}

/** A document without a file has a path that no file has. */
function pathIn({ uri, isUntitled }: vscode.TextDocument): string {
  return isUntitled ? `untitled:${uri.path}` : pathOf(uri);
}

function isEditable({ uri, isUntitled }: vscode.TextDocument): boolean {
  const isOfFolder = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  return uri.scheme === 'file' || isUntitled || (isOfFolder && uri.scheme !== 'vscode-notebook-cell');
}

function tell(message: string): void {
  void vscode.window.showInformationMessage(message);
}

function rangeName(name: string, { first, last }: LineRange): string {
  return first === last
    ? vscode.l10n.t('{0}, line {1}', name, first)
    : vscode.l10n.t('{0}, lines {1} to {2}', name, first, last);
}

/** Returns the facts about the place that the model gets. */
function placeIn(document: vscode.TextDocument, lines: LineRange) {
  const name = vscode.workspace.asRelativePath(document.uri);
  const distance = ({ line }: { readonly line: number }) => Math.max(lines.first - line, line - lines.last, 0);
  const problems = problemsOf(document.uri, document).toSorted((one, other) => distance(one) - distance(other));
  return {
    name,
    lines,
    lineCount: document.lineCount,
    lineAt: (line: number) => document.lineAt(line - 1).text,
    problems: problems.map((problem) => describeProblem(name, problem)),
  };
}
