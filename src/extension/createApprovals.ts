import * as vscode from 'vscode';
import type { DisposableStore } from '../core/util/disposable.ts';
import type { Op } from '../protocol/op.ts';
import { ApprovalCommands } from '../vscode/approvals/approvalCommands.ts';
import { ApprovalPrompts } from '../vscode/approvals/approvalPrompts.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import { pickHunks } from '../vscode/proposals/pickHunks.ts';
import type { BringHome } from '../vscode/sideCopies/bringHome.ts';
import type { Agent } from './createAgent.ts';
import type { Editors } from './createEditors.ts';

export interface ApprovalsDeps {
  readonly view: Pick<ChatView, 'visible'>;
  /** Returns the op with the pending comments of the user that go with it. */
  readonly withComments: (op: Op, threadId: string) => Op;
  readonly showThread: (threadId: string) => void;
  /** Shows all pending requests as one list. */
  readonly showList: () => void;
  /** The reviews of side copies, which are answered like approvals. */
  readonly bringHome: () => BringHome;
}

/** Approvals outside the panel: notifications, commands and keys. */
export function createApprovals(
  { proposalTabs }: Editors,
  { threads }: Agent,
  { view, withComments, showThread, showList, bringHome }: ApprovalsDeps,
  store: DisposableStore,
): ApprovalCommands {
  const prompts = store.add(
    new ApprovalPrompts({
      threads,
      submitTo: (threadId, op) => threads.submitTo(threadId, withComments(op, threadId)),
      isPanelVisible: () => view.visible && vscode.window.state.focused,
      showThread,
      showList,
    }),
  );
  return new ApprovalCommands({
    prompts,
    answeredBy: (uri) => proposalTabs.approvalOf(uri),
    others: {
      has: (id) => bringHome().has(id),
      approve: (id) => bringHome().approve(id),
      leave: (id) => bringHome().leave(id),
    },
    pickHunks: (approvalId) => pickHunks(approvalId, proposalTabs.proposals),
  });
}
