import type { MessageItem, ResponseItem } from '../../protocol/responseItem.ts';
import type { AgentSummary } from '../../protocol/thread.ts';
import { agentNotice, isAgentNoticeOf } from '../prompt/notices.ts';
import { isFinal, statusForModel } from '../tools/agents/agentStatus.ts';

/**
 * The sub-agents of a thread as its model knows them. Keeps a notice about each ended one until the model's next
 * request.
 */
export class AgentNotices {
  readonly #waiting = new Map<string, MessageItem>();
  readonly #known = new Map<string, AgentSummary>();

  /** Agents that the model can wait for, message or close by their ids. */
  get open(): readonly AgentSummary[] {
    return [...this.#known.values()].filter(({ state, isTask }) => state !== 'shutdown' && isTask !== true);
  }

  /** Call with each status of an agent. */
  note(agent: AgentSummary): void {
    this.#known.set(agent.agentId, agent);
  }

  /** Replaces an earlier notice of the same agent that was not sent. */
  add(agent: AgentSummary): void {
    const { agentId } = agent;
    this.#waiting.set(agentId, agentNotice(agentId, statusForModel(agent)));
  }

  /** Call when the model has the status of this agent already, or the agent works again. */
  drop(agentId: string): void {
    this.#waiting.delete(agentId);
  }

  /**
   * Adds the notices that an earlier process did not send; agents that were working then count as interrupted
   * (`endLeftovers`). `history`: includes the items that compactions have replaced, because the model has read their
   * notices.
   */
  recover(agents: readonly AgentSummary[], history: readonly ResponseItem[]): void {
    for (const known of agents) {
      this.note(known);
      if (known.isTask === true || known.state === 'shutdown') continue;
      const agent = isFinal(known) ? known : { ...known, state: 'interrupted' as const };
      const isSent = history.some((item) => isAgentNoticeOf(item, agent.agentId, statusForModel(agent)));
      if (!isSent) this.add(agent);
    }
  }

  take(): readonly MessageItem[] {
    const taken = [...this.#waiting.values()];
    this.#waiting.clear();
    return taken;
  }
}
