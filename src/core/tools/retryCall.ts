/**
 * A further attempt of a call that its sandbox has stopped, if the user approves: with the hosts that it was refused
 * (docs/decisions/0081), or else outside the sandbox (codex-behaviour.md §6.3).
 */
import { denialIn } from '../../protocol/policy.ts';
import { textOf } from '../../protocol/responseItem.ts';
import type { Attempt, OutsidePreparation, ToolContext, ToolResult } from './handler.ts';
import {
  type Answered,
  NO_USER,
  type PermissionDeps,
  type ReadyCall,
  recordOf,
  type SettledPermission,
} from './permission.ts';

/** The call to try again, and how. */
export interface Again extends OutsidePreparation<unknown> {
  readonly attempt: Pick<Attempt, 'box' | 'escalated'>;
  /** Empty for an attempt outside the sandbox. */
  readonly hosts: readonly string[];
}

/**
 * Resolves to the call to try again; `undefined` when the sandbox stopped nothing, or the policy does not offer it.
 * `before`: hosts that the user has allowed to this call already.
 */
export async function offerAgain(
  result: ToolResult,
  { outside, withHosts }: ReadyCall,
  context: ToolContext,
  before: readonly string[],
): Promise<Again | undefined> {
  const { approvalPolicy, box } = context.settings;
  const [first, ...others] = (result.wantedHosts ?? []).filter((host) => !before.includes(host));
  if (first !== undefined && approvalPolicy !== 'never') {
    const hosts = [first, ...others, ...before] as const;
    const made = await withHosts?.(hosts);
    if (made !== undefined) return { ...made, attempt: { box, escalated: false }, hosts };
  }
  const isOffered = approvalPolicy === 'on-failure' || approvalPolicy === 'untrusted';
  if (!isOffered || result.blocked === undefined || outside === undefined) return undefined;
  return { ...(await outside()), attempt: { box: 'none', escalated: true }, hosts: [] };
}

/** Earlier approvals were for other attempts and do not count here. */
export async function askAgain(
  { blocked, output }: ToolResult,
  { item, card, approvalKeys, binding, attempt, hosts }: Again,
  deps: PermissionDeps,
  { callId, signal }: ToolContext,
): Promise<SettledPermission> {
  const text =
    hosts.length > 0
      ? `The sandbox did not let it reach ${hosts.join(', ')}.`
      : `The sandbox seems to have blocked it: ${blocked}`;
  const reason = { source: 'sandbox', id: hosts.length > 0 ? 'hosts' : 'denied', text } as const;
  const question = { callId, itemId: item.id, card, reason, keys: approvalKeys, binding };
  const answer = await deps.approver.ask(question, signal);
  const refusal = refusalOf(answer);
  if (refusal === undefined) {
    const { escalated } = attempt;
    return { type: 'granted', escalated, answer: answer.decision, record: recordOf('allowed', reason, answer) };
  }
  if (answer.decision === 'abort') deps.interrupt();
  const how = hosts.length > 0 ? `with access to ${hosts.join(', ')}` : 'outside the sandbox';
  const message = `${textOf(output)}\nIt was not run again ${how}: ${refusal}.`;
  return { type: 'refused', output: message, record: recordOf('denied', reason, answer) };
}

function refusalOf({ decision, by }: Answered): string | undefined {
  if (decision === 'abort') return 'the user stopped the turn';
  const denied = denialIn(decision);
  if (denied === undefined) return undefined;
  if (by === 'non_interactive') return NO_USER;
  return `denied by the user${denied.message ? `: ${denied.message}` : ''}`;
}
