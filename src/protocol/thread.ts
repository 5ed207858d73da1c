/** A thread as a value: its state, which `threadReducer` folds from events, and what is computed from it alone. */
import type {
  ApprovalRequest,
  EventMsgOf,
  QuestionRequest,
  ResolvedBy,
  ReviewerVerdict,
  TurnAbortReason,
  TurnSettings,
} from './event.ts';
import type { PlanStep, TurnItem, TurnItemOf, UserInput } from './item.ts';
import type { ErrorAction, ErrorKind, Rule, SandboxMechanism } from './policy.ts';
import { greetingFrom, titleFrom } from './text/threadTitle.ts';
import type { TurnUsage } from './turnUsage.ts';

export type TurnStatus =
  | { readonly type: 'running' }
  | { readonly type: 'completed'; readonly at: string; readonly lastMessage: string | null }
  | { readonly type: 'aborted'; readonly at: string; readonly reason: TurnAbortReason };

export interface TurnError {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly action?: ErrorAction | undefined;
}

/** A pending retry, shown with a countdown. */
export interface RetryState {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly attempt: number;
  readonly of: number;
  readonly retryInMs: number;
  readonly at: string;
}

export interface Warning {
  readonly message: string;
  /** Identifies quarantined files that can still be restored. */
  readonly quarantineId?: string | undefined;
  /** Images that are no longer sent to the model. */
  readonly imagesLeftOut?: readonly { readonly sha256: string; readonly reason: string }[] | undefined;
}

/** A denial of an item. */
export interface Denial {
  readonly itemId: string;
  readonly by: ResolvedBy;
  /** The message of the denial; may be empty. */
  readonly word: string;
}

/**
 * Number of turns of a long thread that the host sends and the panel draws at first; "Load Earlier" adds as many again.
 * A turn with ten items takes the panel 2 to 3 ms of processor time.
 */
export const TURN_WINDOW = 25;

/** An item that a model has approved for the user. */
export interface ReviewedItem extends ReviewerVerdict {
  readonly itemId: string;
}

export interface TurnState {
  readonly id: string;
  readonly startedAt: string;
  readonly settings: TurnSettings;
  readonly status: TurnStatus;
  readonly items: readonly TurnItem[];
  readonly warnings: readonly Warning[];
  readonly error: TurnError | null;
  readonly retry: RetryState | null;
  readonly denials: readonly Denial[];
  /** Absent where no model has approved anything. */
  readonly reviewed?: readonly ReviewedItem[];
  /** The number of approvals and questions that the user was asked, without those that a model has approved. */
  readonly asked: number;
  /** The diff of the turn in git format; empty without changes. */
  readonly diff: string;
  /** Set by `files_reverted`: the turn's file changes are undone. */
  readonly reverted: boolean;
  /** The tokens and cost of the turn; `null` until the first response was counted. */
  readonly usage: TurnUsage | null;
}

export interface ProcessState {
  readonly processId: string;
  readonly itemId: string;
  readonly command: string;
  readonly cwd: string;
  readonly box: SandboxMechanism;
  readonly tty?: boolean | undefined;
  readonly startedAt: string;
  /** The last characters, at most `LIVE_OUTPUT_LIMIT` (`threadReducer.ts`). */
  readonly output: string;
  readonly status: { readonly type: 'running' } | { readonly type: 'exited'; readonly exitCode: number | null };
}

/** A sub-agent that the thread has started. */
export type AgentSummary = Readonly<Omit<EventMsgOf<'agent_status'>, 'type'>>;

export interface McpServerState {
  readonly server: string;
  readonly status: EventMsgOf<'mcp_status'>['status'];
  readonly error?: string | undefined;
  readonly toolCount?: number | undefined;
  /** The tools that are not offered, with the reason. */
  readonly leftOut?: string | undefined;
}

/** A question without an answer, and the turn that asks it; `null` if a server asks outside of turns. */
export type PendingQuestion = QuestionRequest & { readonly turnId: string | null };

/** A message that was sent while a turn ran and that no turn has taken yet. */
export interface QueuedMessage {
  readonly id: string;
  readonly input: readonly UserInput[];
  /** True while the user edits it: no turn takes it. */
  readonly held: boolean;
}

export interface ThreadState {
  readonly threadId: string;
  /** The name that the user gave, otherwise a title from the first message with content, otherwise the first greeting. */
  readonly title: string | null;
  /** True if the title is a greeting: the title of the first message with content replaces it. */
  readonly titleIsGreeting?: boolean;
  readonly started: EventMsgOf<'thread_started'> | null;
  /** The settings from the next turn on. */
  readonly settings: TurnSettings | null;
  readonly turns: readonly TurnState[];
  readonly activeTurnId: string | null;
  readonly approvals: readonly ApprovalRequest[];
  /** Keys of calls that were approved for the thread: restored after a reload, not copied by forks (design §2). */
  readonly approvedKeys: readonly string[];
  /** Rules for this thread only, kept as long as its approvals. */
  readonly approvedRules: readonly Rule[];
  readonly questions: readonly PendingQuestion[];
  readonly queuedInputs: readonly QueuedMessage[];
  readonly dynamicCalls: readonly EventMsgOf<'dynamic_tool_requested'>[];
  readonly processes: readonly ProcessState[];
  readonly plan: { readonly explanation?: string | undefined; readonly steps: readonly PlanStep[] } | null;
  readonly tokens: Omit<EventMsgOf<'token_count'>, 'type'> | null;
  readonly mcpServers: readonly McpServerState[];
  readonly agents: readonly AgentSummary[];
  /** The warnings that belong to no turn. */
  readonly warnings: readonly Warning[];
  readonly error: TurnError | null;
  readonly closed: boolean;
  /** The `seq` of the last folded event. Valid within one process: reset to 0 when another one resumes the thread. */
  readonly lastSeq: number;
}

/** The state of a thread before its first event. */
export function initialThreadState(threadId: string): ThreadState {
  return {
    threadId,
    title: null,
    started: null,
    settings: null,
    turns: [],
    activeTurnId: null,
    approvals: [],
    approvedKeys: [],
    approvedRules: [],
    questions: [],
    queuedInputs: [],
    dynamicCalls: [],
    processes: [],
    plan: null,
    tokens: null,
    mcpServers: [],
    agents: [],
    warnings: [],
    error: null,
    closed: false,
    lastSeq: 0,
  };
}

/** Returns the running processes of a thread whose calls have ended, oldest first. */
export function runningInBackground(state: ThreadState): readonly ProcessState[] {
  const items = state.turns.at(-1)?.items ?? [];
  const waitedFor = new Set(items.filter(({ status }) => status === 'in_progress').map(({ id }) => id));
  return state.processes.filter(({ status, itemId }) => status.type === 'running' && !waitedFor.has(itemId));
}

/** Returns true for a turn in which the user only compacted the thread: it has no message and cannot be continued. */
export function isCompactionAlone({ items }: TurnState): boolean {
  return items.length > 0 && items.every(({ type }) => type === 'compaction');
}

/** Returns the review of a turn in which the user only had changes reviewed; `undefined` for other turns. */
export function reviewAlone({ items }: TurnState): TurnItemOf<'code_review'> | undefined {
  const [first] = items;
  return items.length === 1 && first?.type === 'code_review' ? first : undefined;
}

/** Returns the working directory of the next turn; empty without a thread, and for one that has not started. */
export function cwdOf(thread: Pick<ThreadState, 'settings' | 'started'> | null): string {
  return thread?.settings?.cwd ?? thread?.started?.cwd ?? '';
}

/** Returns the text of a message, without its images and mentions. */
export function textOfInput(content: readonly UserInput[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Returns the title of a thread whose messages only greet; `null` for a message without words. */
export function greetingOf(content: readonly UserInput[]): string | null {
  return greetingFrom(textOfInput(content));
}

/** Returns the title of a thread that begins with this message; `null` if the message has no words, or only greets. */
export function titleOf(content: readonly UserInput[]): string | null {
  return titleFrom(textOfInput(content));
}
