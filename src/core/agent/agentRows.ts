import type { TurnItem } from '../../protocol/item.ts';
import { firstLine, inOneLine } from '../../protocol/text/truncate.ts';
import type { AgentSummary, ThreadState } from '../../protocol/thread.ts';
import type { AgentRow } from '../../protocol/wire.ts';

const NONE: readonly AgentRow[] = [];

/** Lookup of the threads that this process knows. */
export interface KnownThreads {
  /** The state of one that is live. */
  readonly live: (threadId: string) => ThreadState | undefined;
  /** See `CopyCounts.of`. */
  readonly changedInCopy: (threadId: string) => number | null | undefined;
}

/** All sub-agents below a thread, each before its own sub-agents. */
export function agentRows(
  { agents }: Pick<ThreadState, 'agents'>,
  known: KnownThreads,
  depth = 0,
): readonly AgentRow[] {
  if (agents.length === 0) return NONE;
  return agents.flatMap((agent) => {
    const state = known.live(agent.agentId);
    return [rowOf(agent, state, known.changedInCopy, depth), ...(state ? agentRows(state, known, depth + 1) : NONE)];
  });
}

function rowOf(
  agent: AgentSummary,
  state: ThreadState | undefined,
  changedInCopy: KnownThreads['changedInCopy'],
  depth: number,
): AgentRow {
  const tokens = state?.tokens?.total.total ?? agent.tokens;
  const { lastMessage = '', inSideCopy, ...rest } = agent;
  const changed = inSideCopy === true ? changedInCopy(agent.agentId) : undefined;
  return {
    ...rest,
    ...(changed === undefined ? {} : { inSideCopy: true, ...(changed === null ? {} : { changedInCopy: changed }) }),
    ...(tokens === undefined ? {} : { tokens }),
    depth,
    isLive: state !== undefined,
    line: (state && state.activeTurnId !== null && workLine(state)) || firstLine(lastMessage),
    approvals: state?.approvals ?? [],
    questions: state?.questions ?? [],
  };
}

/** A line about the last item that has one: a message, or the subject of a call. Empty where there is none. */
function workLine({ turns }: ThreadState): string {
  for (const item of (turns.at(-1)?.items ?? []).toReversed()) {
    const line = lineOf(item);
    if (line !== '') return line;
  }
  return '';
}

function lineOf(item: TurnItem): string {
  switch (item.type) {
    case 'agent_message':
      return firstLine(item.text);
    case 'command_execution':
      return inOneLine(item.command);
    case 'file_change':
      return inOneLine(item.changes.map(({ path }) => path).join(', '));
    case 'file_lookup':
    case 'image_view':
      return inOneLine(item.path);
    case 'code_navigation':
      return inOneLine([item.op, item.symbol, item.path].filter(Boolean).join(' '));
    case 'mcp_tool_call':
      return inOneLine(`${item.server}/${item.tool}`);
    case 'dynamic_tool_call':
      return inOneLine(item.tool);
    case 'web_fetch':
      return inOneLine(item.url);
    case 'web_search':
      return inOneLine(item.query ?? '');
    case 'process_interaction':
      return inOneLine(item.command);
    case 'user_message':
    case 'reasoning':
    case 'plan':
    case 'hook_run':
    case 'user_question':
    case 'sub_agent':
    case 'code_review':
    case 'compaction':
      return '';
  }
}
