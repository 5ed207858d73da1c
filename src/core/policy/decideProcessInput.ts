import type { ApprovalRequirement } from './requirement.ts';

/**
 * Reading the output of a running process and typing into it are part of the command that was decided at its start, and
 * stay within its sandbox. No policy of Codex asks again (codex-behaviour.md §4.1, §6.3).
 */
export function decideProcessInput(): ApprovalRequirement {
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
