/**
 * Review of applied patches, hunk by hunk: the pending hunks, their views and the actions (docs/design.md decision 6).
 */
import * as vscode from 'vscode';
import type { ReviewHunk } from '../../core/changeReview/textReview.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { Emitter } from '../../core/util/emitter.ts';
import type { RecordedChange } from '../../protocol/baseline.ts';
import type { PendingReview } from '../../protocol/wire.ts';
import type { AppliedChange, ApplyChange, ApplyWatch, PatchOrigin } from '../apply/model.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import type { Reader } from '../apply/inverseOf.ts';
import type { EditorApplyResult } from '../apply/applyPatch.ts';
import { BaseDocuments } from './baseDocuments.ts';
import { changesToMark } from './commandChanges.ts';
import { Decisions } from './decide.ts';
import { Lenses } from './lenses.ts';
import { Marks } from './marks.ts';
import { countOf } from './pendingFile.ts';
import { QuickDiff } from './quickDiff.ts';
import { ReviewCommands } from './reviewCommands.ts';
import { ReviewKeys } from './reviewKeys.ts';
import { Reviews } from './reviews.ts';
import { ReviewStatus } from './reviewStatus.ts';
import { ReviewStorage, type WindowProcesses } from './reviewStorage.ts';

export interface ChangeReviewDeps {
  readonly extensionUri: vscode.Uri;
  /** VS Code's storage for this workspace folder; a window without a folder has none. */
  readonly storageUri: vscode.Uri | undefined;
  /** The processes of the windows that share this storage. */
  readonly processes: WindowProcesses;
  readonly reader: Reader;
  readonly apply: (changes: readonly ApplyChange[], watch: ApplyWatch) => Promise<EditorApplyResult>;
  readonly report: (error: unknown) => void;
}

/** Debounces the summary: a patch of many files gives one event, and the delay is not noticeable. */
const FIRE_AFTER_MS = 50;

const MOST_FILES_SHOWN = 200;

export class ChangeReview implements Disposable {
  readonly #store = new DisposableStore();
  readonly #reviews: Reviews;
  readonly commands: ReviewCommands;
  readonly #quickDiff: QuickDiff;
  readonly #storage: ReviewStorage | undefined;
  readonly #deps: ChangeReviewDeps;
  readonly #summaryChanged: Emitter<void>;
  /** The summary of the last event. */
  #lastSummary = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: ChangeReviewDeps) {
    this.#deps = deps;
    const { extensionUri, storageUri, processes, reader, apply, report } = deps;
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
    this.#store.add(reviews.onDidChange(() => this.#fireSoon()));
    this.#quickDiff = this.#store.add(new QuickDiff(reviews));
    this.commands = new ReviewCommands({ reviews, decisions, keys, hasPeek: () => this.#quickDiff.isOn });
    const folder = storageUri?.scheme === 'file' ? vscode.Uri.joinPath(storageUri, 'review') : undefined;
    this.#storage = folder && this.#store.add(new ReviewStorage(folder, reviews, processes, report));
  }

  // ---------------------------------------------------------------- for applying patches

  watchFor(origin: PatchOrigin | undefined): ApplyWatch {
    return this.#reviews.watchFor(origin);
  }

  /** The watch for patches that the user undoes. */
  get watchOfUndo(): ApplyWatch {
    return this.#reviews.watchAs('decision');
  }

  applied(changes: readonly AppliedChange[], origin: PatchOrigin | undefined): void {
    this.#reviews.applied(changes, origin);
  }

  /** Marks the changes of a command. `read` gives kept contents. */
  async commandChanged(
    changes: readonly RecordedChange[],
    read: (hash: string) => Promise<Uint8Array | undefined>,
  ): Promise<void> {
    this.#reviews.written(await changesToMark(changes, read));
  }

  // ---------------------------------------------------------------- for the panel

  /** Fires when the summary changes, not at each keystroke. */
  get onDidChange(): Emitter<void>['event'] {
    return this.#summaryChanged.event;
  }

  get summary(): PendingReview {
    const files = this.#reviews.pending;
    return {
      changes: this.#reviews.count,
      fileCount: files.length,
      files: files.slice(0, MOST_FILES_SHOWN).map((file) => ({
        path: file.path,
        name: vscode.workspace.asRelativePath(file.uri),
        kind: file.story.type,
        changes: countOf(file),
      })),
    };
  }

  /** Fires with each change of hunks, also at each keystroke in a file under review. */
  get onHunks(): Emitter<unknown>['event'] {
    return this.#reviews.onDidChange;
  }

  /** The hunks of a file that are neither kept nor undone. */
  hunksIn(uri: vscode.Uri): readonly ReviewHunk[] {
    return this.#reviews.at(uri)?.text.hunks ?? [];
  }

  /** Has no effect when the hunk is decided. */
  async decideHunk(uri: vscode.Uri, id: number, what: 'keep' | 'undo'): Promise<void> {
    if (!this.hunksIn(uri).some((hunk) => hunk.id === id)) return;
    if (what === 'keep') await this.commands.keepHunk(uri.toString(), id);
    else await this.commands.undoHunk(uri.toString(), id);
  }

  /** The action of a row in the panel. */
  async decide(path: string, what: 'keep' | 'undo' | 'open'): Promise<void> {
    const file = this.#reviews.pending.find((pending) => pending.path === path);
    if (file === undefined) return;
    if (what === 'open') await this.commands.showDiff(file.uri);
    else if (what === 'keep') this.commands.keepFile(file.uri);
    else await this.commands.undoFile(file.uri);
  }

  // ---------------------------------------------------------------- lifetime

  /** Restores the pending changes of the closed window, and those of other windows of the folder. */
  async restore(): Promise<void> {
    const lost = (await this.#storage?.restore(this.#reviews, this.#deps.reader)) ?? [];
    if (lost.length === 0) return;
    const names = lost.map((path) => withoutLinks(vscode.workspace.asRelativePath(path))).join(', ');
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        'Changes by Tiller in these files are no longer marked for review, because the files are gone: {0}',
        names,
      ),
    );
  }

  showQuickDiff(isOn: boolean): void {
    this.#quickDiff.isOn = isOn;
    this.#quickDiff.refresh();
  }

  /** Writes pending hunks to the disk. */
  async close(): Promise<void> {
    await this.#storage?.flush();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  #fireSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const summary = JSON.stringify(this.summary);
      if (summary === this.#lastSummary) return;
      this.#lastSummary = summary;
      this.#summaryChanged.fire();
    }, FIRE_AFTER_MS);
  }
}
