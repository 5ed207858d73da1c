import type { RuleDecision } from '../../protocol/policy.ts';
import type { CommandExplanation } from '../../protocol/rules.ts';
import type { CommandDecision } from './decideCommand.ts';
import type { ApprovalRequirement } from './requirement.ts';

const DECISION_OF: Readonly<Record<ApprovalRequirement['type'], RuleDecision>> = {
  skip: 'allow',
  needs_approval: 'prompt',
  forbidden: 'forbidden',
};

/** A decision in the format of docs/cli.md, for commands that explain a decision without running anything. */
export function explanationOf({ requirement, matchedRules, commands }: CommandDecision): CommandExplanation {
  return {
    decision: DECISION_OF[requirement.type],
    bypassSandbox: requirement.type === 'skip' && requirement.bypassSandbox,
    ...(requirement.type === 'skip' && requirement.readsSecrets ? { readsSecrets: true } : {}),
    reason: requirement.reason,
    matchedRules: matchedRules.map(({ file, index, rule }) => ({
      file,
      index,
      pattern: rule.pattern,
      decision: rule.decision,
      justification: rule.justification ?? null,
    })),
    commands,
  };
}
