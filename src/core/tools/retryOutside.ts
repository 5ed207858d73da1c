/**
 * A second attempt without the sandbox, when the sandbox blocked the first and the user approves (codex-behaviour.md
 * §6.3).
 */
import { denialIn } from '../../protocol/policy.ts';
import { textOf } from '../../protocol/responseItem.ts';
import type { OutsidePreparation, ToolContext, ToolResult } from './handler.ts';
import { type Answered, type PermissionDeps, type ReadyCall, recordOf, type SettledPermission } from './permission.ts';

export type Outside = OutsidePreparation<unknown>;

/**
 * Resolves to the call to try outside the sandbox; `undefined` when the sandbox blocked nothing, or the policy does not
 * offer it.
 */
export async function offerOutside(
  result: ToolResult,
  { outside }: ReadyCall,
  context: ToolContext,
): Promise<Outside | undefined> {
  const { approvalPolicy } = context.settings;
  const isOffered = approvalPolicy === 'on-failure' || approvalPolicy === 'untrusted';
  return isOffered && result.blocked !== undefined ? outside?.() : undefined;
}

/** The first approval was for an attempt inside the sandbox and does not count here. */
export async function askOutside(
  { blocked, output }: ToolResult,
  { item, card, approvalKeys, binding }: Outside,
  deps: PermissionDeps,
  { callId, signal }: ToolContext,
): Promise<SettledPermission> {
  const reason = { source: 'sandbox', id: 'denied', text: `The sandbox seems to have blocked it: ${blocked}` } as const;
  const question = { callId, itemId: item.id, card, reason, keys: approvalKeys, binding };
  const answer = await deps.approver.ask(question, signal);
  const refusal = refusalOf(answer);
  if (refusal === undefined) {
    return { type: 'granted', escalated: true, answer: answer.decision, record: recordOf('allowed', reason, answer) };
  }
  if (answer.decision === 'abort') deps.interrupt();
  const message = `${textOf(output)}\nIt was not run again outside the sandbox: ${refusal}.`;
  return { type: 'refused', output: message, record: recordOf('denied', reason, answer) };
}

function refusalOf({ decision, by }: Answered): string | undefined {
  if (decision === 'abort') return 'the user stopped the turn';
  const denied = denialIn(decision);
  if (denied === undefined) return undefined;
  if (by === 'non_interactive') return 'nobody is there to ask';
  return `denied by the user${denied.message ? `: ${denied.message}` : ''}`;
}
