import type { Op } from '../../protocol/op.ts';
import type { ApprovalDecision, ProposalChoices } from '../../protocol/policy.ts';

/**
 * A yes to a patch is to what stands in its review, whoever says it and wherever: no view can forget what was rejected in
 * another. An op becomes several where that makes one yes several.
 */
export function withReviews(op: Op, reviewOf: (approvalId: string) => ProposalChoices | undefined): readonly Op[] {
  if (op.type !== 'approval' || !isYesToAll(op.decision)) return [op];
  const plain: string[] = [];
  const reviewed: Op[] = [];
  for (const approvalId of op.approvalIds) {
    const files = reviewOf(approvalId);
    if (files === undefined) plain.push(approvalId);
    else reviewed.push({ ...op, approvalIds: [approvalId], decision: decisionOf(files, op.decision) });
  }
  return plain.length === 0 ? reviewed : [{ ...op, approvalIds: plain }, ...reviewed];
}

function isYesToAll(decision: ApprovalDecision): boolean {
  if (typeof decision === 'object') return 'approved_discarding' in decision;
  return decision === 'approved' || decision === 'approved_for_thread';
}

/** Unsaved edits go only in files that are taken. */
function decisionOf(files: ProposalChoices, yes: ApprovalDecision): ApprovalDecision {
  const agreed = typeof yes === 'object' && 'approved_discarding' in yes ? yes.approved_discarding.paths : [];
  const left = new Set(files.filter((part) => 'leftOut' in part && part.leftOut === 'file').map(({ path }) => path));
  const discarding = agreed.filter((path) => !left.has(path));
  return { approved_reviewed: { files, ...(discarding.length > 0 ? { discarding } : {}) } };
}
