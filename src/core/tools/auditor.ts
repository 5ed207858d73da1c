import type { AuditAct, AuditDecision, AuditEnd } from '../../protocol/audit.ts';
import type { TurnItem } from '../../protocol/item.ts';
import { traitsOf } from '../../protocol/itemTraits.ts';
import type { DecisionRecord } from './permission.ts';

type OfTheCall = 'itemId' | 'callId';

/** Records the decisions on the calls of a turn, and their results, in the audit log. */
export interface Auditor {
  /** @throws Error when the record cannot be written; then the call must not run. */
  decided(decision: Pick<AuditDecision, OfTheCall | 'act' | 'box' | 'escalated'> & DecisionRecord): void;
  ended(end: Pick<AuditEnd, OfTheCall | 'status' | 'exit' | 'durationMs'>): void;
}

/** The act of a call, read from its item; `undefined` for an item without side effects. */
export function actOf(item: TurnItem | undefined, cwd: string): AuditAct | undefined {
  return item && traitsOf(item).act(item, cwd);
}

/** The facts about the end of a call that the audit log keeps. `durationMs` is 0 where the item has none. */
export function endOf(item: TurnItem): Pick<AuditEnd, 'status' | 'exit' | 'durationMs'> {
  const durationMs = 'durationMs' in item ? (item.durationMs ?? 0) : 0;
  return { status: item.status, exit: item.type === 'command_execution' ? item.exitCode : null, durationMs };
}
