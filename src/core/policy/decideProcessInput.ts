import { refusedInPlanMode } from './planMode.ts';
import type { ApprovalRequirement } from './requirement.ts';

export interface ProcessInput {
  /** False for a call that only reads the output, or interrupts the process. */
  readonly types: boolean;
  /** The user wants only a plan. */
  readonly planMode?: boolean | undefined;
}

/**
 * Reading the output of a running process and typing into it are part of the command that was decided at its start, and
 * stay within its sandbox. No policy of Codex asks again (codex-behaviour.md §4.1, §6.3).
 */
export function decideProcessInput({ types, planMode }: ProcessInput): ApprovalRequirement {
  if (types && planMode === true) return refusedInPlanMode('Nothing is typed into a running process');
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
