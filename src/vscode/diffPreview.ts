/**
 * Proposals in VS Code's own diff editors: one file side by side, several in the multi-diff overview. A view of an
 * approval and nothing more: closing a tab never decides, and a decision made anywhere closes the tabs (design
 * decisions 6 and 11).
 */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { FileChange } from '../core/ports.ts';
import { DisposableStore } from '../core/util/disposable.ts';
import { allTabs } from './workspace/documents.ts';
import { approvalOf, PROPOSAL_SCHEME, ProposalDocuments, type ProposedFile } from './preview/proposalDocuments.ts';

/** Set while the active tab is a proposal: for the title buttons and keys. */
const ACTIVE_KEY = 'tiller.proposalActive';
/** Set while the active tab is the overview of a proposal of several files. */
const MULTI_KEY = 'tiller.multiReviewActive';

export interface ShowOptions {
  /**
   * True when the person asked for it. Otherwise it opens beside what they look at, without the focus, since a diff in
   * their own group swallows what they type (review-ui.md §1); and an overview, which always takes it, does not open.
   */
  readonly focus: boolean;
}

interface Proposal {
  readonly files: readonly ProposedFile[];
  /** The label its overview goes by: VS Code does not tell us more about such a tab. */
  readonly overviewTitle: string;
}

export class DiffPreview implements vscode.Disposable {
  readonly #store = new DisposableStore();
  readonly #documents = this.#store.add(new ProposalDocuments());
  readonly #proposals = new Map<string, Proposal>();
  #active: string | undefined;
  #isOverview = false;

  constructor() {
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(PROPOSAL_SCHEME, this.#documents));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#lookAtActiveTab()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabGroups(() => this.#lookAtActiveTab()));
  }

  /** The approval whose proposal the person is looking at. */
  get active(): string | undefined {
    return this.#active;
  }

  /** For title buttons, which hand over the address of the right side. */
  approvalOf(uri: vscode.Uri | undefined): string | undefined {
    return approvalOf(uri) ?? this.#active;
  }

  /** Sets or replaces what is proposed; open diff editors follow. Opens nothing. */
  propose(approvalId: string, changes: readonly FileChange[]): void {
    const files = this.#documents.put(approvalId, changes);
    const known = this.#proposals.get(approvalId);
    this.#proposals.set(approvalId, { files, overviewTitle: known?.overviewTitle ?? this.#newOverviewTitle() });
  }

  /** `path` picks one file of several. Returns whether something was opened. */
  async show(approvalId: string, { focus }: ShowOptions, path?: string): Promise<boolean> {
    const proposal = this.#proposals.get(approvalId);
    const file = proposal?.files.find((each) => each.path === path || each.change.path === path) ?? proposal?.files[0];
    if (proposal === undefined || file === undefined) return false;
    if (path !== undefined || proposal.files.length === 1) {
      const viewColumn = focus ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside;
      const options: vscode.TextDocumentShowOptions = { preserveFocus: !focus, preview: false, viewColumn };
      await vscode.commands.executeCommand('vscode.diff', file.before, file.after, titleOf(file), options);
      return true;
    }
    if (!focus) return false;
    const resources = proposal.files.map(({ change, before, after }) => [
      after,
      change.kind === 'add' && change.before === null ? undefined : before,
      change.kind === 'delete' ? undefined : after,
    ]);
    await vscode.commands.executeCommand('vscode.changes', proposal.overviewTitle, resources);
    this.#lookAtActiveTab();
    return true;
  }

  /** The approval is resolved: its tabs go, and its texts. */
  async close(approvalId: string): Promise<void> {
    const tabs = allTabs().filter((tab) => this.#proposalIn(tab) === approvalId);
    this.#proposals.delete(approvalId);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true).then(undefined, () => false);
    this.#documents.forget(approvalId);
    this.#lookAtActiveTab();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #lookAtActiveTab(): void {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const active = tab && this.#proposalIn(tab);
    const isOverview = active !== undefined && !(tab?.input instanceof vscode.TabInputTextDiff);
    if (active === this.#active && isOverview === this.#isOverview) return;
    this.#active = active;
    this.#isOverview = isOverview;
    void vscode.commands.executeCommand('setContext', ACTIVE_KEY, active !== undefined);
    void vscode.commands.executeCommand('setContext', MULTI_KEY, isOverview);
  }

  /**
   * The input of an overview has no type in the stable API, so its label has to do (review-ui.md §1). VS Code adds the
   * number of files to our title.
   */
  #proposalIn({ input, label }: vscode.Tab): string | undefined {
    if (input instanceof vscode.TabInputTextDiff) return approvalOf(input.modified) ?? approvalOf(input.original);
    if (input instanceof vscode.TabInputText) return approvalOf(input.uri);
    return [...this.#proposals].find(([, { overviewTitle }]) => label.startsWith(`${overviewTitle} (`))?.[0];
  }

  /** No two proposals share one. */
  #newOverviewTitle(): string {
    const taken = [...this.#proposals.values()].map(({ overviewTitle }) => overviewTitle);
    const first = vscode.l10n.t('Tiller: proposed changes');
    let title = first;
    for (let number = 2; taken.includes(title); number++) title = `${first} ${number}`;
    return title;
  }
}

function titleOf({ path, change }: ProposedFile): string {
  const name = basename(path);
  switch (change.kind) {
    case 'add':
      return vscode.l10n.t('{0} (proposed: new file)', name);
    case 'delete':
      return vscode.l10n.t('{0} (proposed: deleted)', name);
    case 'update':
      if (change.movedTo === null) return vscode.l10n.t('{0} (proposed)', name);
      return vscode.l10n.t('{0} → {1} (proposed)', basename(change.path), name);
  }
}
