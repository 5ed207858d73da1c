/**
 * The pending changes as a source control, present while there are any: VS Code's inline peek shows the deleted lines
 * with Keep and Undo (review-ui.md §2). The peek needs a row in the Source Control view, so that lists the files;
 * `tiller.reviewQuickDiff` turns both off.
 */
import * as vscode from 'vscode';
import type { Disposable } from '../../core/util/disposable.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import { baseUri } from './baseDocuments.ts';
import { countOf, isPending, type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';

interface FolderControl extends Disposable {
  readonly group: vscode.SourceControlResourceGroup;
  /** The content of its rows, to skip updates without a change. */
  shown: string;
}

/** Throttles the updates of the rows. */
const REFRESH_MS = 100;

export class QuickDiff implements Disposable {
  readonly #store = new DisposableStore();
  readonly #reviews: Reviews;
  isOn = true;
  /** By the URI of the folder. Files outside of any folder are not shown. */
  readonly #controls = new Map<string, FolderControl>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#store.add(reviews.onDidChange(() => this.#refreshSoon()));
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()));
  }

  refresh(): void {
    const folders = this.isOn ? (vscode.workspace.workspaceFolders ?? []) : [];
    const files = this.#reviews.pending;
    const wanted = new Map(
      folders.flatMap((folder) => {
        const inside = files.filter(({ uri }) => vscode.workspace.getWorkspaceFolder(uri)?.index === folder.index);
        return inside.length === 0 ? [] : [[folder.uri.toString(), { folder, inside }] as const];
      }),
    );
    for (const [address, control] of this.#controls) {
      if (wanted.has(address)) continue;
      control.dispose();
      this.#controls.delete(address);
    }
    for (const [address, { folder, inside }] of wanted) {
      const control = this.#controls.get(address) ?? this.#create(folder);
      this.#controls.set(address, control);
      const shown = JSON.stringify(inside.map((file) => [file.uri.toString(), tooltipOf(file)]));
      if (control.shown !== shown) control.group.resourceStates = inside.map(rowOf);
      control.shown = shown;
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
    for (const control of this.#controls.values()) control.dispose();
  }

  #refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.refresh();
    }, REFRESH_MS);
  }

  #create(folder: vscode.WorkspaceFolder): FolderControl {
    const control = vscode.scm.createSourceControl('tiller', vscode.l10n.t('Tiller'), folder.uri);
    control.inputBox.visible = false;
    control.count = 0;
    control.quickDiffProvider = {
      provideOriginalResource: (uri) => {
        const file = this.#reviews.at(uri);
        const hasBase = file !== undefined && !file.isCells && file.story.type !== 'deleted' && isPending(file);
        return hasBase ? baseUri(file.uri) : undefined;
      },
    };
    const group = control.createResourceGroup('pending', vscode.l10n.t('Changes to review'));
    return { group, shown: '', dispose: () => control.dispose() };
  }
}

function rowOf(file: PendingFile): vscode.SourceControlResourceState {
  const { uri, story } = file;
  return {
    resourceUri: uri,
    command: { title: vscode.l10n.t('Show'), command: 'tiller.review.showDiff', arguments: [uri] },
    decorations: { strikeThrough: story.type === 'deleted', tooltip: tooltipOf(file) },
    contextValue: story.type,
  };
}

function tooltipOf(file: PendingFile): string {
  switch (file.story.type) {
    case 'added':
      return vscode.l10n.t('New file');
    case 'deleted':
      return vscode.l10n.t('Deleted');
    case 'moved':
      return vscode.l10n.t('Moved from {0}', vscode.workspace.asRelativePath(file.story.from));
    case 'edited':
      return countOf(file) === 1 ? vscode.l10n.t('1 change') : vscode.l10n.t('{0} changes', countOf(file));
  }
}
