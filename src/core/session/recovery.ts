import type { EventMsg } from '../../protocol/event.ts';
import type { TurnItem, TurnItemOf } from '../../protocol/item.ts';
import { callIdOf, type ToolCallItem } from '../../protocol/responseItem.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { isFinal } from '../tools/agents/agentStatus.ts';
import type { CutOffCommand } from './threadChanges.ts';
import type { RecoveredCall } from './turn.ts';

/**
 * Reports the end of work that an earlier process left outside of turns: processes, agents, queued messages, questions.
 */
export function endLeftovers(
  { processes, agents, queuedInputs, questions }: ThreadState,
  emit: (msg: EventMsg) => void,
): void {
  for (const { processId, status } of processes) {
    // It ended with the process that ran this thread; its exit code is not known.
    if (status.type === 'running') emit({ type: 'process_exited', processId, exitCode: null });
  }
  for (const agent of agents.filter((candidate) => !isFinal(candidate))) {
    emit({ type: 'agent_status', ...agent, state: 'interrupted' });
  }
  for (const { id } of queuedInputs) emit({ type: 'input_dequeued', id, reason: 'dropped' });
  for (const { questionId, turnId } of questions) {
    if (turnId === null) emit({ type: 'question_resolved', questionId, by: 'turn_ended' });
  }
}

/**
 * Ends the requests and items of a turn whose process is gone. Returns the calls among `owed` that are to be prepared
 * again, which requests them again. A call that had started is never run again.
 */
export function recoverCalls(
  turnId: string,
  state: ThreadState,
  owed: readonly ToolCallItem[],
  emit: (msg: EventMsg) => void,
): readonly RecoveredCall[] {
  const items = new Map(openItems(state).map((item) => ['callId' in item ? item.callId : item.id, item]));
  const waiting = owed.map((call): RecoveredCall => ({ call, item: items.get(callIdOf(call) ?? '') }));
  for (const { call } of waiting) items.delete(callIdOf(call) ?? '');
  for (const { approvalId } of state.approvals) {
    emit({ type: 'approval_resolved', approvalId, decision: 'abort', by: 'turn_ended' });
  }
  for (const { questionId, turnId: asking } of state.questions) {
    if (asking === turnId) emit({ type: 'question_resolved', questionId, by: 'turn_ended' });
  }
  for (const item of items.values()) emit({ type: 'item_completed', item: { ...item, status: 'aborted' } });
  return waiting;
}

/** The commands that ran when the process of the thread ended, also those in the background. */
export function cutOffCommands(state: ThreadState): readonly CutOffCommand[] {
  const asking = askingCalls(state);
  const running = new Set(state.processes.flatMap(({ itemId, status }) => (status.type === 'running' ? [itemId] : [])));
  const lastId = state.turns.at(-1)?.id;
  return state.turns.flatMap(({ id: turnId, items, settings, startedAt }) =>
    items.flatMap((item): CutOffCommand[] => {
      if (item.type !== 'command_execution') return [];
      const isCutOff = turnId === lastId && item.status === 'in_progress' && !asking.has(item.callId);
      if (!isCutOff && !running.has(item.id)) return [];
      return [{ turnId, itemId: item.id, cwd: item.cwd, box: item.box, startedAt, settings }];
    }),
  );
}

/** Calls with a pending request that can be made again: they have not run. */
export function askingCalls({ approvals, questions }: ThreadState): ReadonlySet<string> {
  const asking = questions.flatMap((question) => ('callId' in question ? (question.callId ?? []) : []));
  return new Set([...approvals.map(({ callId }) => callId), ...asking]);
}

/** Completed compactions that were not undone, oldest first. */
export function standingCompactions({ turns }: ThreadState): readonly TurnItemOf<'compaction'>[] {
  const items = turns.flatMap((turn) => turn.items.filter((item) => item.type === 'compaction'));
  return items.filter(({ status, undone }) => status === 'completed' && undone !== true);
}

/** The items that the last turn of an earlier process left open. */
function openItems(state: ThreadState): readonly TurnItem[] {
  return (state.turns.at(-1)?.items ?? []).filter((item) => item.status === 'in_progress');
}
