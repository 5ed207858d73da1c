import * as vscode from 'vscode';
import type { Disposable } from '../../core/util/disposable.ts';
import type { Emitter } from '../../core/util/emitter.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import type { ThreadUpdate } from '../../core/agent/liveThreads.ts';
import type { ProposalTabs } from './proposalTabs.ts';

/** Shows the proposal of one approval, or the pending one of the thread. */
export async function openProposal(
  approvalId: string | undefined,
  state: ThreadState | null,
  tabs: ProposalTabs,
): Promise<void> {
  const pending = state?.approvals.find(({ kind }) => kind === 'patch')?.approvalId;
  const id = approvalId ?? pending;
  if (id !== undefined) await tabs.show(id, { focus: true });
}

/**
 * `id` is an approval, the item of a patch, or a turn. A pending patch opens as a proposal, an applied one as a document
 * that holds its diff. `file` picks one file of a proposal.
 */
export async function openChange(
  id: string,
  file: string | undefined,
  state: ThreadState | null,
  tabs: ProposalTabs,
): Promise<void> {
  const pending = state?.approvals.find(({ approvalId, itemId }) => approvalId === id || itemId === id);
  if (pending) {
    await tabs.show(pending.approvalId, { focus: true }, file);
    return;
  }
  const diff = state ? appliedDiff(state, id) : undefined;
  if (diff === undefined) return;
  const document = await vscode.workspace.openTextDocument({ content: diff, language: 'diff' });
  await vscode.window.showTextDocument(document, { preview: true });
}

/** The diff of an item, or of all items of a turn. */
function appliedDiff(state: ThreadState, id: string): string | undefined {
  const turn = state.turns.find((known) => known.id === id);
  if (turn) return turn.diff;
  const item = state.turns.flatMap(({ items }) => items).find((known) => known.id === id);
  return item?.type === 'file_change' ? item.diff : undefined;
}

/** Closes the tabs of a proposal once its approval is resolved, also when another thread is shown. */
export function closeResolvedProposals(onEvent: Emitter<ThreadUpdate>['event'], tabs: ProposalTabs): Disposable {
  return onEvent(({ event: { msg } }) => {
    if (msg.type === 'approval_resolved') void tabs.close(msg.approvalId, msg.by !== 'turn_ended');
  });
}
