/**
 * Tabs of proposals in VS Code's own diff editors: one file side by side, several in the multi-diff overview. They are
 * only views of an approval: closing a tab never decides, and a decision made elsewhere closes the tabs (docs/design.md
 * decisions 6 and 11).
 */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { PlacedHunk } from '../../core/patch/choicesText.ts';
import type { ProposedFile } from '../../core/ports.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import type { ProposalChoices } from '../../protocol/policy.ts';
import { contextKey } from '../ui/contextKey.ts';
import { allTabs, closeTabs } from '../workspace/documents.ts';
import { HunkLenses } from './hunkLenses.ts';
import type { KeptReviews } from './keptChoices.ts';
import { approvalOf } from './proposalAddress.ts';
import { type OpenProposal, Proposals } from './proposals.ts';

export interface ShowOptions {
  /**
   * True when the user asked for it. Otherwise it opens beside the active editor without taking the focus, since a diff
   * in the same group would receive the user's typing (review-ui.md §1); the overview always takes the focus, so it
   * does not open.
   */
  readonly focus: boolean;
  /** The column in which it opens, instead of the active group or the one beside it. */
  readonly column?: vscode.ViewColumn;
}

export class ProposalTabs implements vscode.Disposable {
  readonly #store = new DisposableStore();
  /** The active tab is a proposal. */
  readonly #setActive = contextKey<boolean>('tiller.proposalActive');
  /** The active tab is the overview of a proposal of several files. */
  readonly #setIsOverview = contextKey<boolean>('tiller.multiReviewActive');
  /** The active tab is a proposal of several files: one of them, or the overview. */
  readonly #setIsOfSeveral = contextKey<boolean>('tiller.proposalOfSeveral');
  /** The model reads why a part of the active proposal is rejected. */
  readonly #setTakesReasons = contextKey<boolean>('tiller.proposalTakesReasons');
  /** The active proposal is unchanged: guards a key that would otherwise delete a word. */
  readonly #setIsUntouched = contextKey<boolean>('tiller.proposalUntouched');
  readonly proposals: Proposals;
  /** The labels by which overviews are recognized: VS Code gives no other information about such a tab. */
  readonly #titles = new Map<string, string>();
  #active: string | undefined;

  /** `kept`: where choices are stored over a reload of the window. */
  constructor(kept?: KeptReviews) {
    this.proposals = this.#store.add(new Proposals(kept));
    this.#store.add(new HunkLenses(this.proposals));
    this.#store.add(this.proposals.onDidChange(() => this.#lookAtActiveTab()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#lookAtActiveTab()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabGroups(() => this.#lookAtActiveTab()));
    void this.#closeStale();
  }

  /** The approval whose proposal is in the active tab. */
  get active(): string | undefined {
    return this.#active;
  }

  /** Returns the approval for title buttons, which pass the URI of the right side. */
  approvalOf(uri: vscode.Uri | undefined): string | undefined {
    return approvalOf(uri) ?? this.#active;
  }

  /**
   * Sets or replaces a proposal; open diff editors follow. Opens no editor. `reviewed`: the choices from an earlier
   * request for the same proposal. `takesReasons`: a model reads the reasons for rejections.
   */
  propose(
    approvalId: string,
    files: readonly ProposedFile[],
    reviewed?: ProposalChoices,
    { takesReasons = true }: { readonly takesReasons?: boolean } = {},
  ): void {
    if (!takesReasons) this.proposals.takeNoReasons(approvalId);
    if (!this.#titles.has(approvalId)) this.#titles.set(approvalId, this.#newOverviewTitle());
    this.proposals.put(approvalId, files, reviewed);
  }

  /** See `Proposals.reviewOf`. */
  reviewOf(approvalId: string): ProposalChoices | undefined {
    return this.proposals.reviewOf(approvalId);
  }

  /** `path` picks one file of several. Returns whether something was opened. */
  async show(approvalId: string, { focus, column }: ShowOptions, path?: string): Promise<boolean> {
    const files = this.proposals.filesOf(approvalId);
    const open = files.find((each) => isNamed(each, path)) ?? files[0];
    if (open === undefined) return false;
    if (path !== undefined || files.length === 1) {
      const viewColumn = column ?? (focus ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside);
      const options: vscode.TextDocumentShowOptions = { preserveFocus: !focus, preview: false, viewColumn };
      await vscode.commands.executeCommand('vscode.diff', open.before, open.after, titleOf(open), options);
      return true;
    }
    if (!focus) return false;
    const resources = files.map(({ file: { change }, before, after }) => [
      after,
      change.kind === 'add' && change.before === null ? undefined : before,
      change.kind === 'delete' ? undefined : after,
    ]);
    await vscode.commands.executeCommand('vscode.changes', this.#titles.get(approvalId), resources);
    this.#lookAtActiveTab();
    return true;
  }

  /** Rejects or restores a hunk; without `wanted`, toggles it. `hunk`: `null` is the whole file. */
  async toggleHunk(
    uri = vscode.window.activeTextEditor?.document.uri,
    hunk?: number | null,
    wanted?: 'in' | 'out',
  ): Promise<void> {
    const found = this.#hunkIn(uri, hunk);
    if (found === undefined) return;
    const { approvalId, name, which, isOut } = found;
    await this.proposals.choose(approvalId, name, which, wanted ?? (isOut ? 'in' : 'out'));
  }

  /** Asks for the reason to reject a hunk, for the model, and rejects it. Has no effect when the user cancels. */
  async rejectWithReason(uri = vscode.window.activeTextEditor?.document.uri, hunk?: number | null): Promise<void> {
    const found = this.#hunkIn(uri, hunk);
    if (found === undefined) return;
    const { approvalId, name, which, isOut, reason } = found;
    if (!this.proposals.takesReasons(approvalId)) return this.proposals.choose(approvalId, name, which, 'out');
    const given = await vscode.window.showInputBox({
      title: vscode.l10n.t('Reject with a Reason'),
      prompt: vscode.l10n.t(
        'Why do you reject this? The model gets the reason with the change. Leave it empty to give no reason.',
      ),
      value: reason ?? '',
    });
    if (given === undefined) return;
    if (!isOut) await this.proposals.choose(approvalId, name, which, 'out');
    this.proposals.explain(approvalId, name, which, given);
  }

  /** `hunk`: absent for the one at the cursor. Says so to the user when there is none. */
  #hunkIn(uri: vscode.Uri | undefined, hunk: number | null | undefined) {
    const approvalId = approvalOf(uri);
    const open = uri && this.proposals.find(uri);
    if (uri === undefined || approvalId === undefined || open === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Put the cursor into a hunk of a proposed change.'));
      return undefined;
    }
    const places = this.proposals.placesIn(uri);
    const which =
      hunk === undefined ? hunkAt(places, vscode.window.activeTextEditor?.selection.active.line ?? 0) : hunk;
    const { name } = open.file;
    const file = this.proposals.stateOf(approvalId).files.find(({ path }) => path === name);
    const isOut = which === null ? file?.isOut : file?.hunks[which] === 'out';
    const reason = file?.reasons.find((each) => each.hunk === which)?.text;
    return { approvalId, name, which, isOut: isOut === true, reason };
  }

  /**
   * The request has ended: closes the tabs and forgets the texts. `isAnswered` is false when only the turn has ended,
   * and the same proposal may be asked again.
   */
  async close(approvalId: string, isAnswered = true): Promise<void> {
    const canClose = await this.proposals.saveAll(approvalId);
    const tabs = canClose ? allTabs().filter((tab) => this.#proposalIn(tab) === approvalId) : [];
    this.#titles.delete(approvalId);
    await closeTabs(tabs);
    this.proposals.forget(approvalId, isAnswered);
    this.#lookAtActiveTab();
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Tabs from before a reload: their proposals were answered, or are asked again. */
  async #closeStale(): Promise<void> {
    const stale = allTabs().filter((tab) => {
      const approvalId = this.#proposalIn(tab);
      return approvalId !== undefined && !this.#titles.has(approvalId) && !tab.isDirty;
    });
    await closeTabs(stale);
  }

  #lookAtActiveTab(): void {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const active = tab && this.#proposalIn(tab);
    const isOverview = active !== undefined && !(tab?.input instanceof vscode.TabInputTextDiff);
    const isUntouched = active !== undefined && this.proposals.reviewOf(active) === undefined;
    const isOfSeveral = active !== undefined && this.proposals.filesOf(active).length > 1;
    this.#active = active;
    this.#setActive(active !== undefined);
    this.#setIsOverview(isOverview);
    this.#setIsOfSeveral(isOfSeveral);
    this.#setIsUntouched(isUntouched);
    this.#setTakesReasons(active !== undefined && this.proposals.takesReasons(active));
  }

  /**
   * The input of an overview has no type in the stable API, so it is recognized by its label (review-ui.md §1). VS Code
   * appends the number of files to our title.
   */
  #proposalIn({ input, label }: vscode.Tab): string | undefined {
    if (input instanceof vscode.TabInputTextDiff) return approvalOf(input.modified) ?? approvalOf(input.original);
    if (input instanceof vscode.TabInputText) return approvalOf(input.uri);
    return [...this.#titles].find(([, title]) => label.startsWith(`${title} (`))?.[0];
  }

  /** Unique among the open proposals. */
  #newOverviewTitle(): string {
    const taken = [...this.#titles.values()];
    const first = vscode.l10n.t('Tiller: Proposed Changes');
    let title = first;
    for (let number = 2; taken.includes(title); number++) title = `${first} ${number}`;
    return title;
  }
}

/** The hunk at a line, else the next one below, else the last; `null` (the whole file) where there are no hunks. */
function hunkAt(places: readonly PlacedHunk[], line: number): number | null {
  const at = places.findIndex(({ start, end }) => line < Math.max(end, start + 1));
  return at === -1 ? (places.length === 0 ? null : places.length - 1) : at;
}

function isNamed({ file: { name, change } }: OpenProposal, path: string | undefined): boolean {
  const movedTo = change.kind === 'update' ? change.movedTo : null;
  return path !== undefined && [name, change.path, movedTo].includes(path);
}

function titleOf({ file: { change } }: OpenProposal): string {
  const name = basename(change.path);
  switch (change.kind) {
    case 'add':
      return vscode.l10n.t('{0} (proposed: new file)', name);
    case 'delete':
      return vscode.l10n.t('{0} (proposed: deleted)', name);
    case 'update':
      if (change.movedTo === null) return vscode.l10n.t('{0} (proposed)', name);
      return vscode.l10n.t('{0} → {1} (proposed)', name, basename(change.movedTo));
  }
}
