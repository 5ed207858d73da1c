import type { EventMsg } from '../../protocol/event.ts';

/** A sub-agent, and how the user knows it. */
export interface NamedAgent {
  readonly agentId: string;
  readonly name: string;
}

export type WhileFree<Result> =
  | { readonly type: 'done'; readonly result: Result }
  /** One of the agents works. `message`: a sentence for the user. */
  | { readonly type: 'refused'; readonly message: string };

/** The threads of sub-agents, live or stored, for an undo that covers their changes. */
export interface AgentThreads {
  /** Resolves when the changes of an agent's commands are recorded, including a command that a crash cut off. */
  settle(agentId: string): Promise<void>;
  /** Runs `work` unless a turn of one of them runs or another process works in one. Rejects as `work` does. */
  whileFree<Result>(agents: readonly NamedAgent[], work: () => Promise<Result>): Promise<WhileFree<Result>>;
  /**
   * Emits events outside of turns in the thread of an agent, whether it is live or only stored. Call it within `work`.
   */
  emit(agentId: string, msgs: readonly EventMsg[]): Promise<void>;
}
