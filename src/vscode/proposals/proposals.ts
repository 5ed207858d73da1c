/**
 * Proposals with the user's choices: one state for all views. The text on the right side of the diff is the source of
 * truth; ticks in the panel and code lenses in the editor are computed from it and change it.
 */
import * as vscode from 'vscode';
import { isNotebookText } from '../../core/patch/notebookText.ts';
import { textAfter, textBefore } from '../../core/patch/proposalChoices.ts';
import { hunkEdit, type PlacedHunk, placeHunks, readReview, withEdit } from '../../core/patch/choicesText.ts';
import type { ProposedFile, TextHunk } from '../../core/ports.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import type { FileReview, HunkReason, ProposalChoices } from '../../protocol/policy.ts';
import type { ReviewedFile, ReviewState } from '../../protocol/review.ts';
import { MAX_HUNK_REASON } from '../../protocol/reviewLimits.ts';
import { allTabs, hasUnsavedText, openDocument } from '../workspace/documents.ts';
import { saveDocument } from '../workspace/saveDocument.ts';
import { AfterFiles } from './afterFiles.ts';
import { AwaitedTexts } from './awaitedTexts.ts';
import { BeforeDocuments } from './beforeDocuments.ts';
import type { KeptReviews } from './keptChoices.ts';
import { AFTER_SCHEME, approvalOf, BEFORE_SCHEME, proposalUri } from './proposalAddress.ts';
import { isEditable, isWhole, isWholeOut, placeOf, startOf } from './proposedText.ts';
import { savesAsIs } from './savesAsIs.ts';

/** Debounces saving a proposal, so that its tab can be closed without a dialog. */
const SAVE_AFTER_MS = 300;

/** A refused attempt takes about a second. */
const SAVE_ATTEMPTS = 3;

/** Debounces `onDidChange` while the user types. */
const FIRE_AFTER_MS = 50;

/** One file of a proposal, ready for a diff editor. */
export interface OpenProposal {
  readonly file: ProposedFile;
  readonly before: vscode.Uri;
  readonly after: vscode.Uri;
  readonly isEditable: boolean;
}

interface Entry extends OpenProposal {
  /** The whole file is left out in a way that its text cannot express. */
  isOut: boolean;
  /** By hunk, `null` for the whole file; also of hunks that were restored since. */
  readonly reasons: Map<number | null, string>;
  /** Cache: several views read the choices after each key. */
  read?: TextRead;
}

interface TextRead {
  readonly text: string;
  readonly part: FileReview | undefined;
  readonly places: readonly PlacedHunk[];
}

export class Proposals implements vscode.Disposable {
  readonly #store = new DisposableStore();
  readonly #befores = this.#store.add(new BeforeDocuments());
  readonly #afters = this.#store.add(new AfterFiles());
  readonly #awaited = this.#store.add(new AwaitedTexts());
  readonly #entries = new Map<string, readonly Entry[]>();
  readonly #changed = this.#store.add(new vscode.EventEmitter<string>());
  readonly #saves = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #fireTimers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Fires with an approval id, also when its proposal is closed. */
  readonly onDidChange = this.#changed.event;
  /** Ids of proposals that no model reads the answer to. */
  readonly #withoutReasons = new Set<string>();
  readonly #kept: KeptReviews | undefined;

  constructor(kept?: KeptReviews) {
    this.#kept = kept;
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(BEFORE_SCHEME, this.#befores));
    this.#store.add(vscode.workspace.registerFileSystemProvider(AFTER_SCHEME, this.#afters, { isCaseSensitive: true }));
    this.#store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => this.#onEdit(document)));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#onClose(uri)));
  }

  /** Sets or replaces a proposal; open diff editors follow. `given`: earlier choices. */
  put(approvalId: string, files: readonly ProposedFile[], given?: ProposalChoices): void {
    const reviewed = given ?? this.#kept?.of(files) ?? [];
    const entries = files.map((file) => {
      const { change } = file;
      const part = reviewed.find(({ path }) => path === file.name);
      const form = { isCells: isNotebookText(textBefore(change)) };
      const entry: Entry = {
        file,
        before: proposalUri(approvalId, 'before', change.path, form),
        after: proposalUri(approvalId, 'after', placeOf(change), form),
        isEditable: isEditable(change),
        isOut: part !== undefined && isWholeOut(file, part),
        reasons: new Map((part?.reasons ?? []).map(({ hunk, text }) => [hunk, text])),
      };
      this.#befores.put(entry.before, textBefore(change));
      this.#show(entry, startOf(file, part));
      return entry;
    });
    this.#entries.set(approvalId, entries);
    this.#fire(approvalId);
  }

  /** Call before `put` for a proposal that no model reads the answer to: the user is not asked why something is rejected. */
  takeNoReasons(approvalId: string): void {
    this.#withoutReasons.add(approvalId);
  }

  takesReasons(approvalId: string): boolean {
    return !this.#withoutReasons.has(approvalId);
  }

  filesOf(approvalId: string): readonly OpenProposal[] {
    return this.#entries.get(approvalId) ?? [];
  }

  get approvals(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** The file on the right side of a diff. */
  find(uri: vscode.Uri): OpenProposal | undefined {
    return this.#find(uri);
  }

  /** The choices that an approval would include; `undefined` for the unchanged proposal. */
  reviewOf(approvalId: string): ProposalChoices | undefined {
    const review = this.#of(approvalId).flatMap((entry) => this.#partOf(entry) ?? []);
    return review.length === 0 ? undefined : review;
  }

  stateOf(approvalId: string): ReviewState {
    return { approvalId, files: this.#of(approvalId).map((entry) => this.#stateOf(entry)) };
  }

  placesIn(uri: vscode.Uri): readonly PlacedHunk[] {
    const entry = this.#find(uri);
    return entry === undefined ? [] : this.#read(entry).places;
  }

  /** `hunk` is `null` for the whole file. Has no effect when the file or hunk does not exist any more. */
  async choose(approvalId: string, name: string, hunk: number | null, wanted: 'in' | 'out'): Promise<void> {
    const named = ({ file }: Entry) => file.name === name;
    const asked = this.#of(approvalId).find(named);
    if (asked !== undefined) await this.#awaited.shown(asked.after);
    const entry = this.#of(approvalId).find(named);
    if (entry === undefined) return;
    if (hunk === null || isWhole(entry.file)) await this.#chooseFile(entry, wanted);
    else {
      const wasOut = entry.isOut;
      entry.isOut = false;
      // When the whole file was left out, only this hunk is restored.
      const from = wasOut ? textBefore(entry.file.change) : this.#textOf(entry);
      const edit = hunkEdit(entry.file, from, hunk, wanted);
      if (edit) await this.#write(entry, withEdit(from, edit), wasOut ? undefined : edit);
    }
    this.#fire(approvalId);
  }

  /**
   * Sets why a hunk is rejected, for the model; `hunk` is `null` for the whole file, an empty text removes the reason. It
   * is part of the choices while the hunk is rejected.
   */
  explain(approvalId: string, name: string, hunk: number | null, reason: string): void {
    const entry = this.#of(approvalId).find(({ file }) => file.name === name);
    if (entry === undefined || (hunk !== null && hunk >= entry.file.hunks.length)) return;
    const text = reason.trim().slice(0, MAX_HUNK_REASON);
    if (text === '') entry.reasons.delete(hunk);
    else entry.reasons.set(hunk, text);
    this.#fireSoon(entry.after);
  }

  async #chooseFile(entry: Entry, wanted: 'in' | 'out'): Promise<void> {
    const { change } = entry.file;
    if (change.kind === 'update' && change.movedTo === null) {
      await this.#write(entry, wanted === 'in' ? change.after : change.before);
      return;
    }
    entry.isOut = wanted === 'out';
    // A text that the user has emptied counts as left out, too.
    const isStillOut = wanted === 'in' && this.#stateOf(entry).isOut;
    if (isStillOut) await this.#write(entry, textAfter(change));
  }

  /** Saves, so that the tabs close without a dialog. False when one would still ask. */
  async saveAll(approvalId: string): Promise<boolean> {
    const saves = this.#of(approvalId).map(async ({ after }) => {
      const document = openDocument(after);
      if (document === undefined) return true;
      // The event of a document's text comes before the event that it is dirty.
      const isUnsaved = document.isDirty || document.getText() !== this.#afters.textOf(after);
      return isUnsaved ? savePatiently(document) : true;
    });
    return (await Promise.all(saves)).every(Boolean);
  }

  /** `isAnswered`: the proposal will not be asked again, so its choices are removed. */
  forget(approvalId: string, isAnswered: boolean): void {
    if (isAnswered) this.#kept?.keep(this.#filesIn(approvalId), undefined);
    for (const { before, after } of this.#of(approvalId)) {
      this.#befores.forget(before);
      this.#afters.forget(after);
      this.#awaited.end(after);
    }
    this.#entries.delete(approvalId);
    this.#withoutReasons.delete(approvalId);
    this.#changed.fire(approvalId);
  }

  dispose(): void {
    for (const timer of [...this.#saves.values(), ...this.#fireTimers.values()]) clearTimeout(timer);
    this.#store.dispose();
  }

  #fire(approvalId: string): void {
    if (this.#entries.has(approvalId)) this.#kept?.keep(this.#filesIn(approvalId), this.reviewOf(approvalId));
    this.#changed.fire(approvalId);
  }

  #filesIn(approvalId: string): readonly ProposedFile[] {
    return this.#of(approvalId).map(({ file }) => file);
  }

  #of(approvalId: string): readonly Entry[] {
    return this.#entries.get(approvalId) ?? [];
  }

  #find(uri: vscode.Uri): Entry | undefined {
    const address = uri.toString();
    return this.#of(approvalOf(uri) ?? '').find(({ after }) => after.toString() === address);
  }

  #textOf({ after, isEditable }: Entry): string {
    const document = isEditable ? openDocument(after) : undefined;
    if (document === undefined) return this.#afters.textOf(after);
    return this.#awaited.of(after) ?? document.getText();
  }

  #partOf(entry: Entry): FileReview | undefined {
    const { file, isOut } = entry;
    const part: FileReview | undefined = isOut ? { path: file.name, leftOut: 'file' } : this.#read(entry).part;
    if (part === undefined) return undefined;
    const { isOut: isAllOut, hunks, reasons } = this.#stateWith(entry, part);
    const effective = reasons.filter(({ hunk }) => (hunk === null ? isAllOut : isAllOut || hunks[hunk] === 'out'));
    return effective.length === 0 ? part : { ...part, reasons: effective };
  }

  #read(entry: Entry): TextRead {
    const text = this.#textOf(entry);
    if (entry.read?.text !== text) {
      entry.read = { text, part: readReview(entry.file, text), places: placeHunks(entry.file, text) };
    }
    return entry.read;
  }

  #stateOf(entry: Entry): ReviewedFile {
    return this.#stateWith(entry, this.#partOf(entry));
  }

  #stateWith(entry: Entry, part: FileReview | undefined): ReviewedFile {
    const { file, isOut } = entry;
    const isEdited = part !== undefined && 'text' in part;
    const places = isOut || file.change.kind === 'delete' ? undefined : this.#read(entry).places;
    const hunks = places?.map(({ state }) => state) ?? file.hunks.map(() => (isOut ? ('out' as const) : 'in'));
    const { change } = file;
    const isAllOut = hunks.length > 0 && hunks.every((state) => state === 'out');
    const staysMoved = change.kind === 'update' && change.movedTo !== null;
    const reasons = [...entry.reasons].map(([hunk, text]): HunkReason => ({ hunk, text }));
    return { path: file.name, isOut: isOut || (isAllOut && !isEdited && !staysMoved), isEdited, hunks, reasons };
  }

  /** The text with which a proposal begins. An open document has it a moment later, and until then the text counts. */
  #show(entry: Entry, text: string): void {
    const { after, isEditable } = entry;
    const document = isEditable ? openDocument(after) : undefined;
    const isStale = this.#awaited.of(after) !== undefined;
    if (document === undefined || (document.getText() === text && !isStale)) {
      this.#afters.put(after, text, isEditable);
      return;
    }
    const isUnsaved = document.isDirty || (!isStale && document.getText() !== this.#afters.textOf(after));
    this.#awaited.expect(after, text);
    if (isUnsaved) void this.#impose(entry, text);
    else this.#afters.put(after, text, isEditable);
    this.#awaited.look(document);
  }

  /** VS Code does not load a file anew while its document has unsaved edits, and refuses to save them then. */
  async #impose(entry: Entry, text: string): Promise<void> {
    await this.#write(entry, text);
    if (openDocument(entry.after) === undefined) this.#afters.put(entry.after, text, entry.isEditable);
  }

  /** Writes to an open document as an edit, so that the user can undo it. */
  async #write(entry: Entry, text: string, hunk?: TextHunk): Promise<void> {
    const document = entry.isEditable ? openDocument(entry.after) : undefined;
    if (document === undefined) {
      this.#afters.put(entry.after, text, entry.isEditable);
      return;
    }
    if (!document.isDirty && !(savesAsIs(document) && hasTab(entry.after))) {
      // VS Code opens a tab for an unsaved document that has none, as in an overview of files.
      const shown = textShown(document, text);
      this.#afters.put(entry.after, text, entry.isEditable);
      return shown;
    }
    const edit = new vscode.WorkspaceEdit();
    const range = hunk ? new vscode.Range(hunk.start, 0, hunk.end, 0) : new vscode.Range(0, 0, document.lineCount, 0);
    edit.replace(entry.after, document.validateRange(range), hunk?.text ?? text);
    await vscode.workspace.applyEdit(edit);
    if (document.isDirty && savesAsIs(document)) await document.save();
  }

  #onEdit(document: vscode.TextDocument): void {
    if (document.uri.scheme !== AFTER_SCHEME) return;
    this.#awaited.look(document);
    this.#fireSoon(document.uri);
    const address = document.uri.toString();
    clearTimeout(this.#saves.get(address));
    const save = () => {
      this.#saves.delete(address);
      const awaited = this.#awaited.of(document.uri);
      const entry = this.#find(document.uri);
      // The user has typed into the text of an earlier proposal.
      if (awaited !== undefined && entry !== undefined && hasUnsavedText(document))
        return void this.#impose(entry, awaited);
      if (hasUnsavedText(document) && !document.isClosed && savesAsIs(document)) void document.save();
    };
    this.#saves.set(address, setTimeout(save, SAVE_AFTER_MS));
  }

  #onClose(uri: vscode.Uri): void {
    this.#awaited.end(uri);
    this.#fireSoon(uri);
  }

  #fireSoon(uri: vscode.Uri): void {
    const approvalId = approvalOf(uri);
    if (approvalId === undefined || this.#find(uri) === undefined || this.#fireTimers.has(approvalId)) return;
    const fire = () => {
      this.#fireTimers.delete(approvalId);
      this.#fire(approvalId);
    };
    this.#fireTimers.set(approvalId, setTimeout(fire, FIRE_AFTER_MS));
  }
}

/** Returns true if a document has a tab of its own: the overview of several files is none. */
function hasTab(uri: vscode.Uri): boolean {
  const address = uri.toString();
  return allTabs().some(({ input }) => {
    const shown =
      input instanceof vscode.TabInputTextDiff
        ? input.modified
        : input instanceof vscode.TabInputText
          ? input.uri
          : undefined;
    return shown?.toString() === address;
  });
}

/** In milliseconds. VS Code loads a changed file anew within a second; a document that was closed is loaded when it is opened. */
const SHOWN_WITHIN = 10_000;

/** Resolves when the document has this text. */
function textShown(document: vscode.TextDocument, text: string): Promise<void> {
  if (document.getText() === text) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(limit);
      watch.dispose();
      resolve();
    };
    const limit = setTimeout(end, SHOWN_WITHIN);
    const watch = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document && document.getText() === text) end();
      }),
      vscode.workspace.onDidCloseTextDocument((closed) => {
        if (closed === document) end();
      }),
    );
  });
}

/** A save of VS Code's own, such as the one after the last edit, refuses another one until it is done. */
async function savePatiently(document: vscode.TextDocument): Promise<boolean> {
  for (let attempt = 1; attempt <= SAVE_ATTEMPTS; attempt++) {
    if (await saveDocument(document)) return !hasUnsavedText(document);
  }
  return !hasUnsavedText(document);
}
