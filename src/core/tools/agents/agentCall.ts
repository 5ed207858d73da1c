import type { TurnItemOf } from '../../../protocol/item.ts';
import type { AgentSummary } from '../../../protocol/thread.ts';
import type { Preparation, ToolContext, ToolResult } from '../handler.ts';

export type AgentItem = TurnItemOf<'sub_agent'>;
type Action = NonNullable<AgentItem['action']>;

/**
 * Prepares a call about agents, which needs no decision: each command and patch of an agent is decided when it comes.
 */
export function ready<Plan>(plan: Plan): Preparation<Plan> {
  return {
    type: 'ready',
    plan,
    requirement: {
      type: 'skip',
      bypassSandbox: false,
      reason: { source: 'policy', id: 'agents', text: 'An agent is asked about everything that it does itself.' },
    },
    approvalKeys: [],
  };
}

/** The item that shows a call. `agents`: those that it is about. */
export function agentItem(
  action: Action,
  agents: readonly AgentSummary[],
  { itemId, callId }: Pick<ToolContext, 'itemId' | 'callId'>,
): AgentItem {
  const [first] = agents;
  return {
    id: itemId,
    type: 'sub_agent',
    status: 'in_progress',
    callId,
    action,
    agentId: first?.agentId ?? '',
    role: agents.map(({ role }) => role).join(', '),
    agentState: first?.state ?? 'pending_init',
    ...(first?.description === undefined ? {} : { description: first.description }),
  };
}

/** The item after the call: with the state of the agent by then. */
export function endedItem(
  item: AgentItem,
  status: AgentItem['status'],
  agent: AgentSummary | undefined,
  lastMessage = agent?.lastMessage,
): AgentItem {
  return {
    ...item,
    status,
    ...(agent && { agentId: agent.agentId, agentState: agent.state }),
    ...(lastMessage === undefined ? {} : { lastMessage }),
  };
}

/** The result of a call for sub-agents. `output` is sent to the model as JSON. */
export function succeeded(output: unknown, item: AgentItem): ToolResult {
  return { output: JSON.stringify(output), success: true, item };
}

/** Shows the reason where the last message would be. */
export function refused(message: string, item: AgentItem): ToolResult {
  return { output: message, success: false, item: { ...item, status: 'failed', lastMessage: message } };
}
