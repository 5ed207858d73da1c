import type { AuditAct, AuditDecision, AuditEnd } from '../../protocol/audit.ts';
import type { TurnItem } from '../../protocol/item.ts';
import { assertNever } from '../util/assertNever.ts';
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
  switch (item?.type) {
    case 'command_execution':
      return { type: 'command', command: item.command, argv: item.argv, cwd: item.cwd };
    case 'file_change': {
      const files = item.changes.map(({ path, kind, movedTo }) => ({ path, kind, ...(movedTo ? { movedTo } : {}) }));
      return { type: 'patch', files, cwd };
    }
    case 'process_interaction':
      return { type: 'input', processId: item.processId, command: item.command, chars: item.chars };
    case 'mcp_tool_call':
      return { type: 'tool', tool: `${item.server}/${item.tool}`, cwd };
    case 'dynamic_tool_call':
      return { type: 'tool', tool: item.tool, cwd };
    case undefined:
    case 'user_message':
    case 'agent_message':
    case 'reasoning':
    case 'plan':
    case 'web_search':
    case 'image_view':
    case 'sub_agent':
    case 'compaction':
      return undefined;
    default:
      return assertNever(item);
  }
}

export function endOf(item: TurnItem): Pick<AuditEnd, 'status' | 'exit' | 'durationMs'> {
  const durationMs = 'durationMs' in item ? (item.durationMs ?? 0) : 0;
  return { status: item.status, exit: item.type === 'command_execution' ? item.exitCode : null, durationMs };
}
