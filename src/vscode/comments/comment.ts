import * as vscode from 'vscode';
import type { StoredComment } from './storedComments.ts';

/** Comments of the user on the same lines, with the thread of VS Code that shows them. */
export interface Comment extends Pick<StoredComment, 'id' | 'texts' | 'state' | 'threadId'> {
  readonly thread: vscode.CommentThread;
}

/** The number of their texts. */
export function countOf(comments: readonly Comment[]): number {
  return comments.reduce((count, { texts }) => count + texts.length, 0);
}

/** Brings the thread of VS Code up to date. `count`: of all pending comments. */
export function show({ thread, texts, state }: Comment, count: number): void {
  thread.comments = texts.map((text) => ({
    author: { name: vscode.l10n.t('You') },
    body: new vscode.MarkdownString().appendText(text),
    mode: vscode.CommentMode.Preview,
    contextValue: state,
  }));
  thread.contextValue = state;
  thread.canReply = state === 'pending';
  thread.label = labelOf(state, count);
  thread.state = state === 'answered' ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
  if (state !== 'pending') thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
}

function labelOf(state: Comment['state'], count: number): string {
  switch (state) {
    case 'pending':
      return count === 1 ? vscode.l10n.t('1 comment to send') : vscode.l10n.t('{0} comments to send', count);
    case 'sent':
      return vscode.l10n.t('Sent');
    case 'answered':
      return vscode.l10n.t('Answered by a patch');
  }
}
