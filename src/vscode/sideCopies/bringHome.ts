/** "Bring Home": the changes of a side copy in Tiller's own review, against the present texts of the editors. */
import * as vscode from 'vscode';
import { decidedChanges } from '../../core/patch/placedChange.ts';
import { reviewedChanges } from '../../core/patch/proposalChoices.ts';
import { type ProposedFile, WorkspaceError } from '../../core/ports.ts';
import { beginChoices } from '../../core/sideCopies/carryChoices.ts';
import type { CopyChange, SideCopy, SideCopyStore } from '../../core/sideCopies/sideCopy.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import type { ProposalChoices } from '../../protocol/policy.ts';
import type { ReviewState } from '../../protocol/review.ts';
import type { EditorWorkspace } from '../apply/editorWorkspace.ts';
import type { ApplyChange, ApplyDeps } from '../apply/model.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { shownPath } from '../ui/workspacePaths.ts';
import { asSeen, wholeChange } from './homeChanges.ts';
import { outcomeOf } from './homeDecisions.ts';
import type { HomeDeps } from './homeFiles.ts';
import { leftBehind, tellConflicts, tellInUse, tellMissing } from './homeMessages.ts';
import { type ModeSet, resetModes, setModes } from './homeModes.ts';
import { isChoosable, proposalsOf, type Review, readReview } from './homeReview.ts';
import { pickWholeFiles } from './pickWholeFiles.ts';

const ORIGIN = 'side-copy-';

/** The diff editors of proposals. */
export interface ReviewTabs {
  propose(
    approvalId: string,
    files: readonly ProposedFile[],
    reviewed: ProposalChoices | undefined,
    options: { readonly takesReasons: false },
  ): void;
  show(approvalId: string, options: { readonly focus: boolean }): Promise<boolean>;
  close(approvalId: string): Promise<void>;
  reviewOf(approvalId: string): ProposalChoices | undefined;
  stateOf(approvalId: string): ReviewState;
}

export interface SettledCopy {
  readonly copy: SideCopy;
  readonly what: 'brought_home' | 'undone';
  /** Files of the workspace that were changed by that. Absolute. */
  readonly paths: readonly string[];
}

export interface BringHomeDeps extends HomeDeps, Pick<ApplyDeps, 'journal'> {
  readonly store: SideCopyStore;
  readonly workspace: Pick<EditorWorkspace, 'places'>;
  readonly tabs: ReviewTabs;
  /** As a patch that can be undone. */
  readonly apply: (
    changes: readonly ApplyChange[],
    origin: { turnId: string; itemId: string },
  ) => ReturnType<EditorWorkspace['apply']>;
  /** Call with the result of "Undo Patch"; `restored`: absolute paths of the files. */
  readonly onUndone: (
    listener: (undone: { readonly id: string; readonly restored: readonly string[] }) => void,
  ) => Disposable;
  /** Called when something has come home, or was undone. */
  readonly onSettled: (settled: SettledCopy) => void;
  readonly report: (error: unknown) => void;
}

interface Settled {
  readonly copy: SideCopy;
  /** Whose base has moved. */
  readonly files: readonly CopyChange[];
  /** Files of the workspace that were changed. */
  readonly paths: readonly string[];
  /** Files of the patch that "Undo Patch" knows. */
  readonly patched: readonly string[];
  /** Permission bits that were changed, which no patch has. */
  readonly modes: readonly ModeSet[];
}

export class BringHome {
  readonly #deps: BringHomeDeps;
  readonly #reviews = new Map<string, Review>();
  /** By the id of the patch that "Undo Patch" knows. */
  readonly #settled = new Map<string, Settled>();
  #count = 0;
  readonly #listener: Disposable;

  constructor(deps: BringHomeDeps) {
    this.#deps = deps;
    this.#listener = deps.onUndone(({ id, restored }) => void this.#undone(id, restored).catch(deps.report));
  }

  dispose(): void {
    this.#listener.dispose();
  }

  /** Returns true if this is the review of a side copy. */
  has(approvalId: string): boolean {
    return this.#reviews.has(approvalId);
  }

  /** Shows the changes of the copy. No file is written before the user approves. */
  async open(copy: SideCopy): Promise<void> {
    if (await tellMissing(copy)) return;
    const review = await readReview(copy, this.#deps);
    if (review === undefined) return;
    const id = idOf(copy);
    const before = this.#reviews.get(id);
    const proposals = proposalsOf(review);
    const earlier = before && { plans: before.plans, choices: this.#deps.tabs.reviewOf(id) };
    const choices = beginChoices(review.plans, earlier);
    if (proposals.length === 0 && !review.plans.some(isChoosable)) return this.#nothingLeft(review);
    this.#reviews.set(id, review);
    if (proposals.length === 0) return this.approve(id);
    this.#deps.tabs.propose(id, proposals, choices, { takesReasons: false });
    await this.#deps.tabs.show(id, { focus: true });
    tellConflicts(review.plans, choices);
  }

  /** Applies the changes that the user has left in the review, all or none. */
  async approve(approvalId: string): Promise<void> {
    const review = this.#reviews.get(approvalId);
    if (review === undefined) return;
    let again: string | undefined;
    const isAlone = await this.#deps.store.alone(review.copy.id, async () => {
      again = await this.#approve(approvalId, review);
    });
    if (!isAlone) tellInUse();
    // Outside the lock, which an approval without a review takes again.
    if (again !== undefined) await this.#again(review, again);
  }

  /** Call when the copy is removed. */
  async forget(copy: SideCopy): Promise<void> {
    if (this.has(idOf(copy))) await this.leave(idOf(copy));
  }

  /** Closes the review; the changes stay in the copy. */
  async leave(approvalId: string): Promise<void> {
    this.#reviews.delete(approvalId);
    await this.#deps.tabs.close(approvalId);
  }

  /** Resolves to a sentence for the user where no file was changed and the review must be shown again. */
  async #approve(approvalId: string, review: Review): Promise<string | undefined> {
    const { tabs, workspace } = this.#deps;
    const picked = await pickWholeFiles(review.plans);
    if (picked === undefined || !this.has(approvalId)) return undefined;
    // The choices in the tabs are those of another review.
    if (this.#reviews.get(approvalId) !== review)
      return vscode.l10n.t('The side copy was compared again while the list was open. Nothing was changed.');
    const states = new Map(tabs.stateOf(approvalId).files.map((state) => [state.path, state]));
    const texts = reviewedChanges(proposalsOf(review), tabs.reviewOf(approvalId) ?? []);
    const wholeChanges = await Promise.all(
      [...picked.files].map((plan) => wholeChange(plan, review, this.#deps.store)),
    );
    const missing = wholeChanges.find((change) => typeof change === 'string');
    if (missing !== undefined) {
      void vscode.window.showWarningMessage(withoutLinks(missing));
      return undefined;
    }
    const all = [
      ...texts.map((change) => asSeen(change, review)),
      ...wholeChanges.filter((change) => typeof change !== 'string'),
    ];
    if (all.length + picked.modes.size === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No changes are selected to bring home.'));
      return undefined;
    }
    const places = await workspace.places(all.map(({ path }) => path));
    const found = [...places].flatMap(([path, place]) =>
      place instanceof WorkspaceError ? [] : [[path, place] as const],
    );
    if (found.length < places.size) return vscode.l10n.t('A folder of the workspace is gone, or is a link now.');
    const itemId = `${ORIGIN}${review.copy.id}-${++this.#count}`;
    const origin = { turnId: itemId, itemId };
    const result = all.length === 0 ? undefined : await this.#deps.apply(decidedChanges(all, new Map(found)), origin);
    if (result?.type === 'stale') {
      return vscode.l10n.t(
        'These files changed at the same moment: {0}. Nothing was changed.',
        result.paths.map(shownPath).join(', '),
      );
    }
    if (result?.type === 'failed') {
      void vscode.window.showErrorMessage(withoutLinks(result.message));
      return undefined;
    }
    const modes = await setModes(picked.modes, this.#deps);
    const { settled, brought, left } = await outcomeOf(review, { states, picked, modes });
    const { copy } = review;
    if (this.#isThere(copy)) await this.#deps.store.settle(copy.id, settled);
    const paths = brought.map(({ file }) => file.path);
    this.#settled.set(itemId, {
      copy,
      files: settled.map(({ change }) => change),
      paths,
      patched: all.map((file) => file.path),
      modes,
    });
    await this.leave(approvalId);
    this.#deps.onSettled({ copy, what: 'brought_home', paths });
    this.#tellDone(copy, [brought.length, left.length], { itemId, isPatch: result !== undefined });
    return undefined;
  }

  /**
   * Returns false if another window has removed the copy while its review was open here: the reviewed changes come home
   * all the same.
   */
  #isThere({ id }: SideCopy): boolean {
    this.#deps.store.reload();
    return this.#deps.store.all.some((copy) => copy.id === id);
  }

  /** Makes the review again with the present content of the workspace. */
  async #again(review: Review, sentence: string): Promise<void> {
    void vscode.window.showWarningMessage(withoutLinks(sentence));
    await this.open(review.copy);
  }

  /** All that the copy changed is in the workspace already, for example after a crash had cut off the end of `#approve`. */
  async #nothingLeft(review: Review): Promise<void> {
    const known = review.plans.filter(({ type }) => type === 'known');
    const impossible = review.plans.filter(({ type }) => type === 'impossible');
    const files = known.flatMap(({ file }) => review.files.get(file.path) ?? []);
    const settled = files.map(({ change }) => ({ change, base: { type: 'result' as const } }));
    if (!(await this.#deps.store.alone(review.copy.id, () => this.#deps.store.settle(review.copy.id, settled)))) {
      return tellInUse();
    }
    this.#deps.onSettled({ copy: review.copy, what: 'brought_home', paths: known.map(({ file }) => file.path) });
    const sentence = vscode.l10n.t('The side copy has no changes to bring home.');
    void vscode.window.showInformationMessage([sentence, ...leftBehind(impossible)].join(' '));
  }

  /** `isPatch`: more than permission bits came home, which "Undo Patch" knows. */
  #tellDone(
    copy: SideCopy,
    [brought, left]: readonly [brought: number, left: number],
    { itemId, isPatch }: { readonly itemId: string; readonly isPatch: boolean },
  ): void {
    const done =
      brought === 1 ? vscode.l10n.t('Brought home 1 file.') : vscode.l10n.t('Brought home {0} files.', brought);
    const rest =
      left === 1
        ? vscode.l10n.t('Changes of 1 file are left in the side copy.')
        : vscode.l10n.t('Changes of {0} files are left in the side copy.', left);
    const undo = isPatch ? vscode.l10n.t('Undo Patch') : vscode.l10n.t('Undo');
    const remove = vscode.l10n.t('Remove Side Copy');
    const [sentence, buttons] = left === 0 ? [done, [undo, remove]] : [`${done} ${rest}`, [undo]];
    void vscode.window.showInformationMessage(sentence, ...buttons).then((chosen) => {
      if (chosen === undo) {
        return isPatch ? vscode.commands.executeCommand('tiller.undoPatch', itemId) : this.#undone(itemId);
      }
      return chosen === remove ? vscode.commands.executeCommand('tiller.removeSideCopy', copy.id) : undefined;
    }, this.#deps.report);
  }

  /**
   * Makes the copy offer changes again that came home and were undone there. Files that no patch has, such as those
   * with other permission bits alone, are undone with the last file of their patch.
   */
  async #undone(id: string, restored: readonly string[] = []): Promise<void> {
    const settled = this.#settled.get(id);
    if (settled === undefined) return;
    const { copy, files, paths, modes } = settled;
    const patched = settled.patched.filter((file) => !restored.includes(file));
    const isBack = (file: string) => patched.length === 0 || restored.includes(file);
    const isAlone = await this.#deps.store.alone(copy.id, async () => {
      await resetModes(
        modes.filter(({ path }) => isBack(path)),
        this.#deps,
      );
      if (!this.#isThere(copy)) return;
      await this.#deps.store.unsettle(
        copy.id,
        files.filter(({ home }) => isBack(home)),
      );
    });
    if (!isAlone) return tellInUse();
    if (patched.length === 0) this.#settled.delete(id);
    else {
      this.#settled.set(id, {
        copy,
        patched,
        files: files.filter(({ home }) => !isBack(home)),
        paths: paths.filter((file) => !isBack(file)),
        modes: modes.filter(({ path }) => !isBack(path)),
      });
    }
    this.#deps.onSettled({ copy, what: 'undone', paths: paths.filter(isBack) });
  }
}

function idOf({ id }: SideCopy): string {
  return `${ORIGIN}${id}`;
}
