/** The work that outlasts a compaction: its outputs, with the ids that calls need, are removed from the history. */
import type { MessageItem } from '../../protocol/responseItem.ts';
import type { AgentSummary } from '../../protocol/thread.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { userText } from './notices.ts';

/** A background process whose end the model has not read. */
export interface OpenProcess {
  readonly sessionId: number;
  readonly command: string;
  readonly isRunning: boolean;
}

/** Lists the processes and agents that the model can still use; `undefined` where there is none. */
export function openWorkMessage(
  processes: readonly OpenProcess[],
  agents: readonly AgentSummary[],
): MessageItem | undefined {
  const lines = [
    ...processes.map(({ sessionId, command, isRunning }) => {
      const state = isRunning ? 'running' : 'ended, its last output not read';
      return `process with session ID ${sessionId} (${state}): ${inOneLine(command, 200)}`;
    }),
    ...agents.map(({ agentId, role, state, description }) => {
      const task = description === undefined ? '' : `: ${inOneLine(description, 200)}`;
      return `agent ${agentId} (${role}, ${state})${task}`;
    }),
  ];
  if (lines.length === 0) return undefined;
  const list = lines.map((line) => `- ${line}`).join('\n');
  return userText(`<open_work>\nStarted before the summary and still there:\n${list}\n</open_work>`);
}
