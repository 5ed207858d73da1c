import { previewRule } from '../../core/policy/previewRule.ts';
import type { Host } from '../../core/ports.ts';
import type { Rule } from '../../protocol/policy.ts';
import type { RulePreview } from '../../protocol/rules.ts';
import type { ThreadState } from '../../protocol/thread.ts';

/** What a rule would decide about the command of an approval; `undefined` when the approval is no longer pending. */
export function previewFor(
  state: ThreadState | null,
  approvalId: string,
  rule: Rule,
  platform: Host['platform'],
): RulePreview | undefined {
  const itemId = state?.approvals.find((approval) => approval.approvalId === approvalId)?.itemId;
  const items = state?.turns.flatMap((turn) => turn.items) ?? [];
  const item = items.find(({ id }) => id === itemId);
  return item?.type === 'command_execution' ? previewRule(item.argv, rule, platform) : undefined;
}
