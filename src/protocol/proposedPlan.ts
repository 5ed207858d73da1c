import { splitPlan } from './text/proposedPlan.ts';
import type { ThreadState } from './thread.ts';

export interface ProposedPlan {
  /** The message that contains the plan. */
  readonly itemId: string;
  /** The plan as Markdown, as the model wrote it. */
  readonly text: string;
}

/**
 * Returns the plan that the user can edit and run: the last one that the model proposed, until a turn outside of plan
 * mode begins.
 */
export function proposedPlanOf({ turns }: Pick<ThreadState, 'turns'>): ProposedPlan | null {
  for (const { settings, items } of turns.toReversed()) {
    if (settings.planMode !== true) return null;
    for (const item of items.toReversed()) {
      if (item.type !== 'agent_message' || item.status !== 'completed') continue;
      const { plan, isWhole } = splitPlan(item.text);
      if (plan !== null && plan !== '' && isWhole) return { itemId: item.id, text: plan };
    }
  }
  return null;
}
