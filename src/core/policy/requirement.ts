import type { ApprovalRequest } from '../../protocol/event.ts';
import type { DecisionReason, Rule } from '../../protocol/policy.ts';

/** One command of a script and the policy's verdict on it alone. */
export type CommandVerdict = NonNullable<ApprovalRequest['parts']>[number];

/**
 * The condition under which a call runs or a file is written (`ExecApprovalRequirement` of Codex). Each requirement
 * names the rule or heuristic that made it (design decision 10).
 */
export type ApprovalRequirement =
  | {
      readonly type: 'skip';
      readonly reason: DecisionReason;
      /** Only when every command of a script is allowed by an explicit rule (codex-behaviour.md §6.3). */
      readonly bypassSandbox: boolean;
      /** In the sandbox; only when a rule says so for every command of a script. */
      readonly readsSecrets?: true;
    }
  | {
      readonly type: 'needs_approval';
      readonly reason: DecisionReason;
      readonly parts: readonly CommandVerdict[];
      /** The rule that "always allow …" would add; absent when a rule asked, or when there is no reasonable one. */
      readonly proposedRule?: Rule | undefined;
      /** A command in it can destroy work, whichever rule or policy asks. */
      readonly destructive?: boolean | undefined;
      /** A model may answer for the user (`mayBeReviewed`). */
      readonly reviewable?: true;
    }
  | { readonly type: 'forbidden'; readonly reason: DecisionReason };
