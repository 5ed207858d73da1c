/** Both sides of proposed changes as documents that exist nowhere else. */
import * as vscode from 'vscode';
import type { FileChange } from '../../core/ports.ts';

export const PROPOSAL_SCHEME = 'tiller-proposal';

export type ProposalSide = 'before' | 'after';

/** One file of a proposal, ready for a diff editor. */
export interface ProposedFile {
  /** Where the text goes: the destination of a move. */
  readonly path: string;
  readonly change: FileChange;
  readonly before: vscode.Uri;
  readonly after: vscode.Uri;
}

/**
 * The texts of all open proposals. Read-only on purpose: a proposal that can be edited, hunk by hunk, is a
 * FileSystemProvider under a scheme of its own (review-ui.md §1) that takes the place of the right side here.
 */
export class ProposalDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /** Documents that are open show the new text at once. */
  put(approvalId: string, changes: readonly FileChange[]): readonly ProposedFile[] {
    return changes.map((change) => {
      const path = change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
      const before = proposalUri(approvalId, 'before', change.path);
      const after = proposalUri(approvalId, 'after', path);
      this.#set(before, change.before ?? '');
      this.#set(after, textAfter(change));
      return { path, change, before, after };
    });
  }

  forget(approvalId: string): void {
    for (const address of this.#texts.keys()) {
      if (approvalOf(vscode.Uri.parse(address)) === approvalId) this.#texts.delete(address);
    }
  }

  dispose(): void {
    this.#changed.dispose();
    this.#texts.clear();
  }

  #set(uri: vscode.Uri, text: string): void {
    const address = uri.toString();
    if (this.#texts.get(address) === text) return;
    this.#texts.set(address, text);
    this.#changed.fire(uri);
  }
}

/** The path stays the real one: tab, icon and tooltip come from it. */
function proposalUri(approvalId: string, side: ProposalSide, path: string): vscode.Uri {
  const query = new URLSearchParams({ approval: approvalId, side }).toString();
  return vscode.Uri.file(path).with({ scheme: PROPOSAL_SCHEME, query });
}

/** The approval a title button or a tab speaks of; `undefined` for anything that is not ours. */
export function approvalOf(uri: vscode.Uri | undefined): string | undefined {
  if (uri?.scheme !== PROPOSAL_SCHEME) return undefined;
  return new URLSearchParams(uri.query).get('approval') ?? undefined;
}

function textAfter(change: FileChange): string {
  switch (change.kind) {
    case 'add':
      return change.text;
    case 'delete':
      return '';
    case 'update':
      return change.after;
  }
}
