/** Patches that have landed, reviewed hunk by hunk: what waits, every view of it, and what the person can do (design decision 6). */
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { Emitter } from '../../core/util/emitter.ts';
import type { PendingReview } from '../../protocol/wire.ts';
import type { AppliedChange, ApplyChange, ApplyWatch, PatchOrigin } from '../apply/model.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import type { Reader } from '../apply/inverseOf.ts';
import type { EditorApplyResult } from '../apply/applyPatch.ts';
import { BaseDocuments } from './baseDocuments.ts';
import { Decisions } from './decide.ts';
import { Lenses } from './lenses.ts';
import { Marks } from './marks.ts';
import { countOf } from './pendingFile.ts';
import { QuickDiff } from './quickDiff.ts';
import { ReviewCommands } from './reviewCommands.ts';
import { ReviewKeys } from './reviewKeys.ts';
import { Reviews } from './reviews.ts';
import { ReviewStatus } from './reviewStatus.ts';
import { ReviewStorage } from './reviewStorage.ts';

export interface ChangeReviewDeps {
  readonly extensionUri: vscode.Uri;
  /** Where VS Code keeps what belongs to this folder; a window without a folder has no such place. */
  readonly storageUri: vscode.Uri | undefined;
  readonly reader: Reader;
  readonly apply: (changes: readonly ApplyChange[], watch: ApplyWatch) => Promise<EditorApplyResult>;
  readonly report: (error: unknown) => void;
}

/** A person does not see it sooner; a landing of many files is told once. */
const TELL_AFTER_MS = 50;

const MOST_FILES_TOLD = 200;

export class ChangeReview implements Disposable {
  readonly #store = new DisposableStore();
  readonly #reviews: Reviews;
  readonly commands: ReviewCommands;
  readonly #quickDiff: QuickDiff;
  readonly #storage: ReviewStorage | undefined;
  readonly #parts: ChangeReviewDeps;
  readonly #summaryChanged: Emitter<void>;
  /** The summary that was told last. */
  #told = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: ChangeReviewDeps) {
    this.#parts = parts;
    const { extensionUri, storageUri, reader, apply, report } = parts;
    const reviews = this.#store.add(new Reviews(report));
    this.#reviews = reviews;
    const watch = reviews.watchAs('decision');
    const decisions = new Decisions({ reviews, reader, apply: (changes) => apply(changes, watch) });
    const keys = this.#store.add(new ReviewKeys(reviews, () => decisions.canUnkeep));
    this.#store.add(new BaseDocuments(reviews));
    this.#store.add(new Marks(reviews, extensionUri));
    this.#store.add(new Lenses(reviews));
    this.#store.add(new ReviewStatus(reviews));
    this.#summaryChanged = this.#store.add(new Emitter<void>(report));
    this.#store.add(reviews.onDidChange(() => this.#tellSoon()));
    this.#quickDiff = this.#store.add(new QuickDiff(reviews));
    this.commands = new ReviewCommands({ reviews, decisions, keys, hasPeek: () => this.#quickDiff.isOn });
    const folder = storageUri?.scheme === 'file' ? vscode.Uri.joinPath(storageUri, 'review') : undefined;
    this.#storage = folder && this.#store.add(new ReviewStorage(folder, reviews, report));
  }

  // ---------------------------------------------------------------- for those who land

  watchFor(origin: PatchOrigin | undefined): ApplyWatch {
    return this.#reviews.watchAs(origin?.isUnseen ? 'agent' : 'agreed');
  }

  /** For what the person takes back by name. */
  get watchOfUndo(): ApplyWatch {
    return this.#reviews.watchAs('decision');
  }

  applied(changes: readonly AppliedChange[], origin: PatchOrigin | undefined): void {
    this.#reviews.applied(changes, origin);
  }

  // ---------------------------------------------------------------- for the panel

  /** Hears that the summary is another one, not of every keystroke. */
  get onDidChange(): Emitter<void>['event'] {
    return this.#summaryChanged.event;
  }

  get summary(): PendingReview {
    const files = this.#reviews.pending;
    return {
      changes: this.#reviews.count,
      fileCount: files.length,
      files: files.slice(0, MOST_FILES_TOLD).map((file) => ({
        path: file.path,
        name: vscode.workspace.asRelativePath(file.uri),
        kind: file.story.type,
        changes: countOf(file),
      })),
    };
  }

  /** A row of the panel was pressed. */
  async decide(path: string, what: 'keep' | 'undo' | 'open'): Promise<void> {
    const file = this.#reviews.pending.find((pending) => pending.path === path);
    if (file === undefined) return;
    if (what === 'open') await this.commands.showDiff(file.uri);
    else if (what === 'keep') this.commands.keepFile(file.uri);
    else await this.commands.undoFile(file.uri);
  }

  // ---------------------------------------------------------------- its life

  /** Takes up what waited when the window was closed. */
  async restore(): Promise<void> {
    const lost = (await this.#storage?.restore(this.#reviews, this.#parts.reader)) ?? [];
    if (lost.length === 0) return;
    const names = lost.map((path) => withoutLinks(vscode.workspace.asRelativePath(path))).join(', ');
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        'Changes of Tiller in these files are no longer marked for review, since the files are gone: {0}',
        names,
      ),
    );
  }

  showQuickDiff(isOn: boolean): void {
    this.#quickDiff.isOn = isOn;
    this.#quickDiff.refresh();
  }

  /** Writes down what waits. */
  async close(): Promise<void> {
    await this.#storage?.flush();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const summary = JSON.stringify(this.summary);
      if (summary === this.#told) return;
      this.#told = summary;
      this.#summaryChanged.fire();
    }, TELL_AFTER_MS);
  }
}
