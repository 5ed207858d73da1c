import { previewRule } from '../../core/policy/previewRule.ts';
import { SUGGESTED_FROM, suggestionFor } from '../../core/policy/suggestRules.ts';
import type { AuditJournal, Host } from '../../core/ports.ts';
import type { Rule } from '../../protocol/policy.ts';
import type { RulePreview, RuleSuggestion } from '../../protocol/rules.ts';
import type { ThreadState } from '../../protocol/thread.ts';

/**
 * Returns the decisions that a rule would make about the command of an approval; `undefined` when the approval is no
 * longer pending.
 */
export function previewFor(
  state: ThreadState | null,
  approvalId: string,
  rule: Rule,
  platform: Host['platform'],
): RulePreview | undefined {
  const argv = argvOf(state, approvalId);
  return argv && previewRule(argv, rule, platform);
}

/** The rule that would answer a pending command and would have answered earlier approvals in the audit log. */
export async function suggestionForApproval(
  state: ThreadState | null,
  approvalId: string,
  audit: Pick<AuditJournal, 'latest'>,
  platform: Host['platform'],
): Promise<RuleSuggestion | undefined> {
  const argv = argvOf(state, approvalId);
  return argv && suggestionFor(argv, await audit.latest(SUGGESTED_FROM), { platform, rules: [] });
}

function argvOf(state: ThreadState | null, approvalId: string): readonly string[] | undefined {
  const itemId = state?.approvals.find((approval) => approval.approvalId === approvalId)?.itemId;
  const items = state?.turns.flatMap((turn) => turn.items) ?? [];
  const item = items.find(({ id }) => id === itemId);
  return item?.type === 'command_execution' ? item.argv : undefined;
}
