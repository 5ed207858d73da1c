import type { AuditAct, AuditDecision, AuditEnd } from '../../protocol/audit.ts';
import type { TurnItem } from '../../protocol/item.ts';
import { traitsOf } from '../../protocol/itemTraits.ts';
import type { DecisionRecord } from './permission.ts';

type OfTheCall = 'itemId' | 'callId';

/** Writes down, in the name of a turn, what was decided and what came of it. */
export interface Auditor {
  /** @throws Error when it cannot be written; then nothing may run. */
  decided(decision: Pick<AuditDecision, OfTheCall | 'act' | 'box' | 'escalated'> & DecisionRecord): void;
  ended(end: Pick<AuditEnd, OfTheCall | 'status' | 'exit' | 'durationMs'>): void;
}

/** What a call does to the world, as its item says; `undefined` for one that only talks. */
export function actOf(item: TurnItem | undefined, cwd: string): AuditAct | undefined {
  return item && traitsOf(item).act(item, cwd);
}

export function endOf(item: TurnItem): Pick<AuditEnd, 'status' | 'exit' | 'durationMs'> {
  const durationMs = 'durationMs' in item ? (item.durationMs ?? 0) : 0;
  return { status: item.status, exit: item.type === 'command_execution' ? item.exitCode : null, durationMs };
}
