import type { ApprovalRequirement } from './requirement.ts';

/**
 * Refuses a call that may change something in plan mode, also where a rule, an earlier approval or full access would
 * allow it. `what`: the subject of the sentence that the model and the user read.
 */
export function refusedInPlanMode(what: string): ApprovalRequirement {
  const text = `${what} in plan mode, which only reads. Put it into the plan.`;
  return { type: 'forbidden', reason: { source: 'policy', id: 'plan-mode', text } };
}
