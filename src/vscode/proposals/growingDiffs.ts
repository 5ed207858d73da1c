/**
 * Diffs of files of a patch that the model is still writing: read-only documents that grow. Nothing is applied, and no tab
 * is dirty. When the patch is complete, a visible one gives its place to the proposal or to the file.
 */
import path from 'node:path';
import * as vscode from 'vscode';
import type { ThreadUpdate } from '../../core/agent/liveThreads.ts';
import { growingText } from '../../core/patch/growingText.ts';
import { createPatchStream, type PatchStream } from '../../core/patch/streaming.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import type { Emitter } from '../../core/util/emitter.ts';
import type { ItemStatus } from '../../protocol/item.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { ReadOnlyTexts } from '../ui/readOnlyTexts.ts';
import { allTabs, closeTabs, shownIn, tabsOf } from '../workspace/documents.ts';
import { uriOf } from '../workspace/places.ts';
import type { ProposalTabs } from './proposalTabs.ts';

export const GROWING_SCHEME = 'tiller-growing';

/** In milliseconds: VS Code computes the whole diff anew for each text. */
const GROW_EVERY = 150;

export interface GrowingDiffsDeps {
  readonly onEvent: Emitter<ThreadUpdate>['event'];
  /** The text of a file, with unsaved edits; `undefined` where there is none that can be read. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly showProposal: ProposalTabs['show'];
  readonly report: (error: unknown) => void;
}

interface GrowingFile {
  /** As it is written in the patch. */
  readonly name: string;
  readonly path: string;
  readonly before: string;
  readonly after: vscode.Uri;
}

interface GrowingPatch {
  readonly stream: PatchStream;
  readonly files: GrowingFile[];
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class GrowingDiffs implements vscode.Disposable {
  readonly #store = new DisposableStore();
  readonly #texts = this.#store.add(new ReadOnlyTexts(GROWING_SCHEME));
  readonly #patches = new Map<string, GrowingPatch>();
  readonly #deps: GrowingDiffsDeps;

  constructor(deps: GrowingDiffsDeps) {
    this.#deps = deps;
    this.#store.add(deps.onEvent((update) => this.#take(update)));
    // Tabs from before a reload of the window have no text any more.
    void closeTabs(allTabs().filter(isGrowing)).catch(deps.report);
  }

  /**
   * Opens the diff of a file of a patch that is being written; without `name`, of the one that is written now. False
   * where the item is no such patch: it is complete, or has no file yet.
   */
  async show(itemId: string, name: string | undefined, state: ThreadState | null, cwd: string): Promise<boolean> {
    const text = textBeingWritten(state, itemId);
    if (text === undefined) return false;
    const patch = this.#patches.get(itemId) ?? this.#follow(itemId, text);
    const { operations } = patch.stream.preview;
    const operation = name === undefined ? operations.at(-1) : operations.find((each) => each.path === name);
    if (operation === undefined) return false;
    const place = path.resolve(cwd, operation.path);
    const before = (await this.#deps.read(place)) ?? '';
    const label = path.basename(operation.path);
    const left = await this.#texts.open(`${itemId}:before:${place}`, label, before);
    const right = await this.#texts.open(`${itemId}:after:${place}`, label, growingText(before, operation));
    // The patch may have been completed in between: then its proposal is there to be opened.
    if (!this.#patches.has(itemId)) return false;
    if (!patch.files.some(({ after }) => after.toString() === right.uri.toString())) {
      patch.files.push({ name: operation.path, path: place, before, after: right.uri });
    }
    const title = vscode.l10n.t('{0} (being written)', label);
    await vscode.commands.executeCommand('vscode.diff', left.uri, right.uri, title, { preview: false });
    if (!this.#patches.has(itemId)) {
      // The patch was completed before the tab was there.
      await closeTabs(tabsOf(right.uri));
      return false;
    }
    this.#grow(patch);
    return true;
  }

  dispose(): void {
    for (const { timer } of this.#patches.values()) clearTimeout(timer);
    this.#patches.clear();
    this.#store.dispose();
  }

  #follow(itemId: string, text: string): GrowingPatch {
    const stream = createPatchStream();
    stream.push(text);
    const patch: GrowingPatch = { stream, files: [], timer: undefined };
    this.#patches.set(itemId, patch);
    return patch;
  }

  #take({ event: { msg } }: ThreadUpdate): void {
    if (msg.type === 'item_delta' && msg.kind === 'patch') {
      const patch = this.#patches.get(msg.itemId);
      if (patch === undefined) return;
      patch.stream.push(msg.text);
      patch.timer ??= setTimeout(() => this.#grow(patch), GROW_EVERY);
    } else if (msg.type === 'approval_requested') {
      void this.#end(msg.itemId, (file, column) =>
        this.#deps.showProposal(msg.approvalId, { focus: false, column }, file.path),
      );
    } else if (msg.type === 'item_completed') {
      void this.#end(msg.item.id, (file, column) => showApplied(file, column, msg.item.status));
    }
  }

  #grow(patch: GrowingPatch): void {
    clearTimeout(patch.timer);
    patch.timer = undefined;
    const { operations } = patch.stream.preview;
    const open = new Set(allTabs().flatMap((tab) => shownIn(tab)?.toString() ?? []));
    for (const { name, before, after } of patch.files) {
      const operation = operations.find((each) => each.path === name);
      if (operation !== undefined && open.has(after.toString())) this.#texts.set(after, growingText(before, operation));
    }
  }

  /**
   * Closes the diffs of a patch that is not written any more; `replace` shows the document in place of a visible one.
   * Never rejects: a diff without a replacement is closed, too.
   */
  async #end(
    itemId: string,
    replace: (file: GrowingFile, column: vscode.ViewColumn) => Promise<unknown>,
  ): Promise<void> {
    const patch = this.#patches.get(itemId);
    if (patch === undefined) return;
    clearTimeout(patch.timer);
    this.#patches.delete(itemId);
    for (const file of patch.files) {
      for (const tab of tabsOf(file.after)) {
        if (tab.isActive) await replace(file, tab.group.viewColumn).catch(this.#deps.report);
      }
      await closeTabs(tabsOf(file.after));
    }
  }
}

/** The text of a patch so far; `undefined` where the item is not one that is being written. */
function textBeingWritten(state: ThreadState | null, itemId: string): string | undefined {
  const item = state?.turns.at(-1)?.items.find(({ id }) => id === itemId);
  if (item?.type !== 'file_change' || item.status !== 'in_progress') return undefined;
  const isAsked = state?.approvals.some((approval) => approval.itemId === itemId) === true;
  return isAsked ? undefined : item.patch;
}

/** A patch that was applied without a question: its file, with the marks of the review. */
async function showApplied({ path: file }: GrowingFile, viewColumn: vscode.ViewColumn, status: ItemStatus) {
  if (status !== 'completed') return;
  const uri = uriOf(file);
  const isThere = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (isThere) await vscode.window.showTextDocument(uri, { viewColumn, preserveFocus: true, preview: true });
}

function isGrowing(tab: vscode.Tab): boolean {
  return shownIn(tab)?.scheme === GROWING_SCHEME;
}
