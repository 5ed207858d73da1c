import type { ApprovalRequest, TurnSettings } from '../../protocol/event.ts';
import type { NoSideCopy } from '../../protocol/item.ts';
import type { OpOf } from '../../protocol/op.ts';
import type { ApprovalReviewerSetting, ReviewSetting, SandboxPolicy } from '../../protocol/policy.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { ChangeLedger } from '../baseline/changeLedger.ts';
import type { Verbosity } from '../model/families.ts';
import type { SelectedHooks } from '../hooks/selectHooks.ts';
import type { ModelClientFactory } from '../model/modelClientFactory.ts';
import type { Ports } from '../ports.ts';
import type { SessionMeta } from '../rollout/line.ts';
import type { ReplayedThread } from '../rollout/replay.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { ListedSkill } from '../prompt/skillList.ts';
import type { Skill } from '../skills/skillFile.ts';
import type { AgentRole, Agents } from '../tools/agents/agents.ts';
import type { OfferedAgentTools } from '../tools/agents/agentTools.ts';
import type { ToolHandler, ToolSettings } from '../tools/handler.ts';
import type { RulesStore } from '../rules/rulesStore.ts';
import type { ToolProvider } from '../tools/toolProvider.ts';
import type { AgentThreads } from './agentThreads.ts';
import type { TurnSpending } from './capCounters.ts';
import type { CapSettings } from './caps.ts';
import type { DaySpending } from './daySpending.ts';
import type { EventSequence } from './events.ts';
import type { Ownership } from './ownership.ts';
import type { PendingRequests, ShownProposals } from './pendingRequests.ts';
import type { UserWords } from './userWords.ts';
import type { RunningCommand } from './workspaceCoordinator.ts';

/** The sandbox mechanism of commands, and why there is none where the policy asks for one. */
export type ChosenSandbox = Pick<TurnSettings, 'box' | 'noSandboxCause'>;

/**
 * The user's settings for a thread: data, made in one place (`threadSettingsOf` in core/agent) when the thread is
 * started or resumed. Sub-agents get the same.
 */
export interface ThreadSettings {
  /** Settings of the first turn; `override_turn_context` changes those of later turns. */
  readonly turn: TurnSettings;
  readonly limits: {
    readonly maxToolRounds: number;
    /** Attempts of one request to the model. */
    readonly maxAttempts: number;
    /** Tokens from which the thread is compacted; `null`: 90 % of the effective window, 0: only when the server refuses. */
    readonly compactionTokens: number | null;
    /** Caps on the usage of a turn, a day and a month. When one is reached, the user is asked before the next request. */
    readonly caps: CapSettings;
    /** Bytes; 0 leaves the instructions of the project out. */
    readonly projectDocMaxBytes: number;
    /** Bytes of file contents that are kept for undo; 0: changes are not recorded. */
    readonly undoMaxBytes: number;
  };
  readonly prompt: {
    /** `null`: those of Tiller. */
    readonly baseInstructions: string | null;
    /** The user's own, behind the base instructions. */
    readonly userInstructions: string;
    /** The request for a summary when the thread is compacted; empty: Tiller's own. */
    readonly compaction: string;
    /** Names besides AGENTS.md. */
    readonly projectDocFallbackFilenames: readonly string[];
    /** Estimated tokens of the list of skills; 0: none. */
    readonly skillTokens: number;
    /** `null`: the default of the model family. */
    readonly verbosity: Verbosity | null;
    /** `null`: only of servers that send no summary. */
    readonly showRawReasoning: boolean | null;
  };
  readonly tools: ToolSettings & {
    /** The severities of new problems that are reported to the model after a patch. */
    readonly problemsAfterPatch: Settings['problemsAfterPatch'];
    /** Paths and globs that sandboxed commands must not read, as written in the setting. */
    readonly unreadable: readonly string[];
    /** True if the thread is saved as a memory and may read the memories of other threads. */
    readonly memory: boolean;
    /** Names of the only tools offered to a sub-agent or an edit at the cursor; absent: all tools. */
    readonly allowed?: readonly string[] | undefined;
    /** Names of tools that are not offered to a sub-agent; `*` denies all. */
    readonly denied?: readonly string[] | undefined;
  };
  readonly agents: AgentSettings;
  readonly approvals: ApprovalSettings;
}

/** The settings for approval requests that a model may answer (docs/decisions/0079). */
export interface ApprovalSettings {
  readonly reviewer: ApprovalReviewerSetting;
  /** A model of the provider of the thread; `null`: the model of the thread. */
  readonly reviewerModel: string | null;
}

/** The settings for sub-agents. */
export interface AgentSettings {
  /** The tools that are offered for them. */
  readonly tools: OfferedAgentTools;
  /** The maximum number of sub-agents of one root thread that are open at the same time. */
  readonly maxThreads: number;
  /** 1: a sub-agent starts no others. */
  readonly maxDepth: number;
  /** Caps of one agent, `null` for none: tokens of all its requests; tool rounds and minutes of one turn. */
  readonly maxTokens: number | null;
  readonly maxRounds: number | null;
  readonly maxMinutes: number | null;
  /** `parallel`: an agent that would write beside another one works in a side copy. */
  readonly sideCopies: 'never' | 'parallel';
}

/** A side copy that was made for an agent. */
export interface AgentCopy {
  /** The place of the agent's working directory in the copy. */
  readonly cwd: string;
  readonly folders: readonly { readonly home: string; readonly copy: string }[];
  /** Call when the agent has a thread. */
  assign(threadId: string): Promise<void>;
  /** Call instead when it could not be started. */
  discard(): Promise<void>;
}

/** A message of the user, as an op. */
export type MessageOp = OpOf<'user_turn' | 'steer'>;

/** The services that a front door provides for a thread: callbacks and objects with a lifetime. Sub-agents get their own. */
export interface ThreadHost {
  readonly models: ModelClientFactory;
  /** The models of another provider; if absent, threads cannot change their provider. Each call makes a client. */
  readonly modelsOf?: (provider: string) => ModelClientFactory | undefined;
  /** False: no user can answer, and each request is denied. */
  readonly interactive: boolean;
  /** A resumed thread keeps the turn settings that it had, if it has the same provider. */
  readonly keepsSettings: boolean;
  /** The sandbox of this machine under a policy. */
  readonly sandboxFor: (policy: SandboxPolicy) => ChosenSandbox;
  /** False while the user does not look at this program: then the end of a turn is a notification. If absent, it is none. */
  readonly isAttended?: () => boolean;
  /**
   * Called for each turn and each list of tools. False: no tool touches the workspace, and the prompt names none of its
   * files.
   */
  readonly isTrusted: () => boolean;
  /**
   * The setting `sandbox.unreadable` by now, in place of the one that the thread was started with; the same array while it
   * is unchanged. Called for each turn.
   */
  readonly unreadable?: () => readonly string[];
  /** Waits for listeners that cannot take more events now; `undefined` when all can. A response is read no faster. */
  readonly pace?: () => Promise<void> | undefined;
  readonly proposals?: ShownProposals;
  /** When patches are reviewed, if the user can change it while the thread runs; if absent, as the thread's settings say. */
  readonly review?: () => ReviewSetting;
  /** Likewise for the reviewer of approvals. */
  readonly approvals?: () => ApprovalSettings;
  /** Sources of tools that come after the built-in tools and before those of the client. */
  readonly toolProviders?: readonly ToolProvider[];
  /** The hooks of the user, read at the start of each turn. Never rejects. */
  readonly hooks?: () => Promise<SelectedHooks>;
  /**
   * Roles of sub-agents besides the built-in ones, read at the start of each turn. The same array while nothing has changed.
   * Never rejects.
   */
  readonly agentRoles?: () => Promise<readonly AgentRole[]>;
  /**
   * Makes a side copy of the open folders for an agent of a thread with this working directory, or says why there is none;
   * `undefined` where the thread works in a side copy itself, which its agents share. Rejects only with the signal's reason.
   */
  readonly makeSideCopy?: (cwd: string, signal: AbortSignal) => Promise<AgentCopy | NoSideCopy | undefined>;
  /**
   * The skills and prompts of files that are used now. Never rejects. Without it a message that begins with `/` is a
   * message, and a recorded message keeps its recorded skills.
   */
  readonly skills?: () => Promise<readonly Skill[]>;
  /** For a replay: the skills that were listed to the model. */
  readonly listedSkills?: () => Promise<readonly ListedSkill[]>;
  /** For a replay: takes the place of each tool. The model must be offered the same. */
  readonly replaceTool?: (tool: ToolHandler) => ToolHandler;
  /** Resolves to true if the thread is handed over to the process that requests it. If absent, every request is refused. */
  readonly allowsTakeOver?: (threadId: string) => Promise<boolean>;
  /**
   * Set for a session that starts one turn for a message: gets each message that this turn has not read, for the
   * session that opens the thread next.
   */
  readonly tooLate?: (op: MessageOp) => void;
}

/** The services that a sub-agent gets from the session of its parent. */
export interface ParentLink {
  readonly threadId: string;
  /** The thread that the user talks to. */
  readonly rootId: string;
  /** 0 for a root thread. */
  readonly depth: number;
  /** The history of the parent's model so far. */
  readonly history: () => readonly ResponseItem[];
  /** The pending requests of the root thread. */
  readonly requests: PendingRequests;
  /** The texts of the user in the root thread. */
  readonly words: UserWords;
  /** The usage of the current turn of the root thread. */
  readonly turnSpending: TurnSpending;
}

export interface SessionOptions {
  readonly ports: Ports;
  readonly sequence: EventSequence;
  readonly meta: SessionMeta;
  /** The rollout, relative to TILLER_HOME. */
  readonly rolloutPath: string;
  readonly ownership: Ownership;
  /** The thread as its rollout has it, when it is resumed. */
  readonly replayed: ReplayedThread | null;
  readonly settings: ThreadSettings;
  readonly host: ThreadHost;
  readonly rules: RulesStore;
  /** Counts the usage of the day and the month; shared by all sessions of the process. */
  readonly daySpending: DaySpending;
  /** Set for a sub-agent. */
  readonly parent?: ParentLink | undefined;
  /** The initial history of a new sub-agent, before its first message. */
  readonly inherited?: readonly ResponseItem[] | undefined;
  /** Its sub-agents, for work that Tiller itself gives them. */
  readonly agents?: Agents;
  /** The threads of its sub-agents; without them an undo covers its own changes only. */
  readonly agentThreads?: AgentThreads;
  /** Interrupts its sub-agents, when an answer to a request interrupts its turn. */
  readonly interruptAgents?: () => void;
  readonly agentTools?: ToolProvider;
  /** Commands that other threads of this process run now. */
  readonly commandsOfOthers?: () => readonly RunningCommand[];
  /** Records the changes of commands and patches, for all threads of this process; without it they are not recorded. */
  readonly ledger?: ChangeLedger;
}

/** The settings of the thread, with later changes of the user that apply from the next turn on. */
export function settingsNow({ settings, host }: Pick<SessionOptions, 'settings' | 'host'>): ThreadSettings {
  const unreadable = host.unreadable?.();
  return unreadable === undefined ? settings : { ...settings, tools: { ...settings.tools, unreadable } };
}

/** The name of a sub-agent in its requests; `undefined` for a root thread. */
export function askingAgent({ id, agent, parent_id: parentId }: SessionMeta): ApprovalRequest['agent'] {
  return parentId === undefined ? undefined : { id, role: agent?.role ?? 'default' };
}

/** The number of ancestors of this thread. A thread whose parent is not live counts as depth 1. */
export function depthOf({ parent, meta }: Pick<SessionOptions, 'parent' | 'meta'>): number {
  if (parent !== undefined) return parent.depth + 1;
  return meta.parent_id === undefined ? 0 : 1;
}
