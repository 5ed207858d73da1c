/** The port of the tools for sub-agents to the threads of the process. */
import type { UserInput } from '../../../protocol/item.ts';
import type { ReasoningEffort } from '../../../protocol/op.ts';
import type { AgentSummary } from '../../../protocol/thread.ts';
import type { ToolContext } from '../handler.ts';

/** A kind of sub-agent that can be started by its name. */
export interface AgentRole {
  readonly name: string;
  /** When to use it; for the model. */
  readonly description: string;
  /** Instead of the instructions of the thread that starts it; `null`: the same. */
  readonly instructions: string | null;
  /** Names of tools; `null`: all tools of its parent. A role never adds one. */
  readonly tools: readonly string[] | null;
  /** Names of tools that are removed from `tools`; `*` removes all. */
  readonly without?: readonly string[];
  /** Its commands and patches change no file. */
  readonly readOnly: boolean;
  /** `null`: the model of its parent. */
  readonly model: string | null;
  /** The colour in the panel. */
  readonly color?: string | undefined;
}

export interface AgentRequest {
  /** The name of a role; `undefined`: the same agent once more. */
  readonly role: string | undefined;
  readonly input: readonly UserInput[];
  /** In a few words, for the user. */
  readonly description?: string | undefined;
  /** Its history begins with that of its parent. */
  readonly forksContext: boolean;
  readonly model?: string | undefined;
  readonly effort?: ReasoningEffort | undefined;
  /** It changes no file, regardless of its role. */
  readonly readOnly?: boolean | undefined;
}

export interface Refusal {
  readonly type: 'refused';
  /** One sentence for the model. */
  readonly message: string;
}

/** The state of an agent as a call returns it. */
export type ReportedAgent = AgentSummary & {
  /** Files that differ in its side copy, from the working directory of its parent; absent where they are not known. */
  readonly changedInCopy?: readonly string[];
};

/** Agents that it may have started, by their ids. */
export type AgentStates = ReadonlyMap<string, ReportedAgent | undefined>;

/** The sub-agents of one thread. A thread reaches only those that it has started itself. */
export interface Agents {
  /** Reads the roles again. Never rejects. */
  refresh(): Promise<void>;
  /** Roles that can be started now; the same array while nothing has changed. */
  roles(): readonly AgentRole[];
  /** `undefined` for an id that this thread has not started. */
  find(agentId: string): AgentSummary | undefined;
  /** Starts one and returns at once. Rejects only with the signal's reason, and then none was started. */
  spawn(
    request: AgentRequest,
    context: Pick<ToolContext, 'turnId' | 'settings' | 'signal'>,
  ): Promise<{ readonly type: 'spawned'; readonly agent: AgentSummary } | Refusal>;
  /**
   * Starts a turn under the permissions that the parent has now, or joins the one that runs; `interrupt` stops that one
   * first, and so do other permissions than those under which it runs.
   */
  send(
    agentId: string,
    input: readonly UserInput[],
    interrupt: boolean,
    context: Pick<ToolContext, 'turnId' | 'settings'>,
  ): { readonly type: 'sent'; readonly submissionId: string } | Refusal;
  /**
   * Resolves when one of them is final (see `isFinal`), with all that are, or with none when the time is over. An unknown
   * one is final. Rejects only with the signal's reason.
   */
  wait(agentIds: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<AgentStates>;
  /** Opens one again that was closed, or whose process has ended. Rejects only with the signal's reason. */
  resume(
    agentId: string,
    context: Pick<ToolContext, 'settings' | 'signal'>,
  ): Promise<{ readonly type: 'resumed'; readonly agent: AgentSummary } | Refusal>;
  /** Returns the state before. */
  close(agentId: string): Promise<{ readonly type: 'closed'; readonly before: AgentSummary } | Refusal>;
  /**
   * Starts one, waits for its end and closes it. `onStarted` is called once. Rejects only with the signal's reason, after the
   * agent was stopped. `followUp`: a text that it returns for the last message is sent as a second message, whose answer counts.
   */
  runTask(
    request: AgentRequest & { readonly followUp?: (lastMessage: string) => string | undefined },
    context: Pick<ToolContext, 'turnId' | 'settings' | 'signal'>,
    onStarted: (agent: AgentSummary) => void,
  ): Promise<{ readonly type: 'ended'; readonly agent: ReportedAgent } | Refusal>;
}
