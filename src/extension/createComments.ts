import path from 'node:path';
import type { DisposableStore } from '../core/util/disposable.ts';
import { LineComments, type LineCommentsDeps } from '../vscode/comments/lineComments.ts';
import { fileOf, approvalOf as proposalOf } from '../vscode/proposals/proposalAddress.ts';
import type { Agent } from './createAgent.ts';
import type { Host } from './createHost.ts';

export interface CommentsDeps extends Pick<LineCommentsDeps, 'refusals' | 'sendMessage'> {
  /** The folder of plan documents, whose lines can be commented on, too. Absolute. */
  readonly planFolder: string;
}

/** The user's comments on lines of files, proposals and plans. */
export function createComments(
  { report, windowState }: Host,
  { threads }: Agent,
  { planFolder, ...deps }: CommentsDeps,
  store: DisposableStore,
): LineComments {
  return store.add(
    new LineComments({
      ...deps,
      memento: windowState,
      threads,
      isCommentable: (uri) => uri.fsPath.startsWith(planFolder + path.sep),
      proposalOf,
      fileOf,
      threadAsking: (approvalId) =>
        threads.overview.waiting.find(({ approvals }) =>
          approvals.some((approval) => approval.approvalId === approvalId),
        )?.threadId,
      deny: (approvalId, message, threadId) =>
        threads.submitTo(threadId, { type: 'approval', approvalIds: [approvalId], decision: { denied: { message } } }),
      report,
    }),
  );
}
