import { type ApprovalPolicy, type DecisionReason, UNREADABLE_FILE } from '../../protocol/policy.ts';
import { type Circumstances, containmentOf } from './decisionTable.ts';
import { type PolicyVerdict, wantsOut } from './policyVerdict.ts';

/**
 * The verdict on a command that names a file that may not be read (`reads`, a clause). In the sandbox the file cannot be
 * opened, which is enough. Outside, the user decides; an explicit rule of the user has decided already.
 */
export function aboutReading(
  verdict: PolicyVerdict,
  reads: string | undefined,
  circumstances: Circumstances,
): PolicyVerdict {
  if (reads === undefined || verdict.decision === 'forbidden' || verdict.byRule) return verdict;
  const { approvalPolicy } = circumstances;
  // Under the other policies a command may not ask to leave the sandbox: one that is known to only read runs in it.
  const leaves = wantsOut(circumstances) && approvalPolicy === 'on-request';
  if (containmentOf(circumstances) === 'sandboxed' && !leaves) return verdict;
  return {
    ...verdict,
    decision: approvalPolicy === 'never' ? 'forbidden' : 'prompt',
    reason: unreadableFileReason(reads, approvalPolicy),
    outside: false,
    readsSecrets: false,
    proposable: false,
  };
}

/** `reads`: why the file may not be read, as a clause. */
export function unreadableFileReason(reads: string, approvalPolicy: ApprovalPolicy): DecisionReason {
  const text = approvalPolicy === 'never' ? `${reads}, and the approval policy never asks.` : `${reads}.`;
  return { source: 'policy', id: UNREADABLE_FILE, text };
}
