import type { ApprovalPolicy } from '../../protocol/policy.ts';
import { unreadableFileReason } from './aboutReading.ts';
import { refusedInPlanMode } from './planMode.ts';
import type { ApprovalRequirement } from './requirement.ts';

export interface ProcessInput {
  /** False for a call that only reads the output, or interrupts the process. */
  readonly types: boolean;
  /**
   * The reason why a file that the typed text names may not be read, as a clause. Only for a process outside the
   * sandbox.
   */
  readonly reads?: string | undefined;
  readonly approvalPolicy: ApprovalPolicy;
  /** The user wants only a plan. */
  readonly planMode?: boolean | undefined;
}

/**
 * Decides about input for a running process. Reading its output and typing into it are part of the command that was
 * decided at its start, and stay within its sandbox. No policy of Codex asks again (codex-behaviour.md §4.1, §6.3).
 * Only for a file that may not be read the user is asked, because a shell that was started before takes commands.
 */
export function decideProcessInput({ types, reads, approvalPolicy, planMode }: ProcessInput): ApprovalRequirement {
  if (types && planMode === true) return refusedInPlanMode('Nothing is typed into a running process');
  if (types && reads !== undefined) {
    const reason = unreadableFileReason(reads, approvalPolicy);
    return approvalPolicy === 'never' ? { type: 'forbidden', reason } : { type: 'needs_approval', reason, parts: [] };
  }
  return {
    type: 'skip',
    bypassSandbox: false,
    reason: {
      source: 'policy',
      id: 'running-process',
      text: 'The command was decided when it was started.',
    },
  };
}
