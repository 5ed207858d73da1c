import type { ApprovalRequirement } from './requirement.ts';

/**
 * Looking at a process that runs, or typing into it, is part of the command that was decided when it was started, and
 * stays within the box it was given. No policy of the seeds asks again (codex-behaviour.md §4.1, §6.3).
 */
export function decideProcessInput(): ApprovalRequirement {
  return {
    type: 'skip',
    bypassSandbox: false,
    reason: {
      source: 'policy',
      id: 'running-process',
      text: 'It goes to a command that was decided when it was started.',
    },
  };
}
