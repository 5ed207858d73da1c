import type { EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { History } from '../history/history.ts';
import type { ModelClient } from '../model/client.ts';
import type { ModelFamily } from '../model/families.ts';
import type { Prices } from '../model/prices.ts';
import type { Processes } from '../exec/processes.ts';
import type { Ports } from '../ports.ts';
import type { DescribedChanges } from '../tools/describeChanges.ts';
import type { Auditor } from '../tools/auditor.ts';
import type { QuestionAnswer, QuestionBody } from '../tools/inquiry.ts';
import type { Approver, PermissionDeps } from '../tools/permission.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { CapCounters } from './capCounters.ts';
import type { CompactionTrigger } from './compactionTrigger.ts';
import type { ThreadSettings } from './sessionOptions.ts';
import type { TurnChanges } from './threadChanges.ts';
import type { RetryPause } from './retryPause.ts';
import type { ThreadImages } from './threadImages.ts';
import type { TokenMeter } from './tokenMeter.ts';
import type { TurnHooks } from './turnHooks.ts';
import type { TurnSkills } from './turnSkills.ts';

/** The items that replace a history, with the compaction's item and summary. */
export interface CompactedItems {
  readonly itemId: string;
  readonly summary: string;
  readonly items: readonly ResponseItem[];
}

/** Everything that one turn uses. Made when the turn starts and never changed. */
export interface TurnRun {
  readonly turnId: string;
  readonly threadId: string;
  readonly settings: TurnSettings;
  readonly family: ModelFamily;
  /** `null` when the settings name none. */
  readonly prices: Prices | null;
  /** Attempts of one request. */
  readonly maxAttempts: number;
  /** Sentences about the settings of the model that this thread has not shown yet. */
  readonly notes: readonly string[];
  readonly instructions: string;
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined;
  readonly thread: ThreadSettings;
  readonly client: ModelClient;
  /** The tag of the items of this provider; `undefined` for the one that the thread began with. */
  readonly origin: string | undefined;
  /**
   * Returns why the turn cannot start: a source of tools that the user demands is not there. Waits for these MCP servers,
   * too, if they are starting.
   */
  readonly toolsReady: (servers?: readonly string[]) => Promise<string | undefined>;
  /** The tools of the next round. */
  readonly tools: () => ToolRegistry;
  /** Instructions for these tools that the model has not been sent yet. */
  readonly toolInstructions: () => readonly ResponseItem[];
  readonly approver: Approver;
  /** Asks the user alone: about calls of an earlier process, which a model may have left to the user. */
  readonly user: Approver;
  /** Asks the user a question, of the call where there is one. See `Inquire`. */
  readonly inquire: (body: QuestionBody, signal: AbortSignal, callId?: string) => Promise<QuestionAnswer>;
  readonly noteUse: PermissionDeps['noteUse'];
  readonly audit: Auditor;
  readonly history: History;
  readonly tokens: TokenMeter;
  readonly caps: CapCounters;
  readonly compaction: {
    readonly trigger: CompactionTrigger;
    /** The prompt for the summary; empty: the built-in one. */
    readonly prompt: string;
    /** The present context for the beginning of a thread, before the messages of the user. */
    readonly initialContext: () => Promise<readonly ResponseItem[]>;
    /** The work that outlasts a compaction, for the model. */
    readonly openWork: () => ResponseItem | undefined;
    /** Writes the new history down; it takes effect with the completed item. */
    readonly replace: (compacted: CompactedItems) => void;
  };
  readonly hooks: TurnHooks;
  readonly skills: TurnSkills;
  readonly images: ThreadImages;
  readonly retryPause: RetryPause;
  readonly processes: Processes;
  /** Records the changes of the commands and patches of this turn, and reports those of each command. */
  readonly changes: (onChanges: (changes: DescribedChanges) => void) => TurnChanges;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  readonly emit: (msg: EventMsg) => void;
  /** See `ThreadHost.pace`. */
  readonly pace: () => Promise<void> | undefined;
  /** Opens the rollout for writing; stops the turn when that fails. */
  readonly ready: () => Promise<void>;
  /** See `History.removeOpenReasoning`. */
  readonly endReasoning: () => void;
  /** Records the item, then appends it to the history. Stops the turn when it cannot be recorded. */
  readonly remember: (item: ResponseItem) => void;
  /** Syncs the rollout to the disk. */
  readonly flush: () => Promise<void>;
  /** See `rememberNotices`. */
  readonly rememberNotices: () => Promise<void>;
  /** Returns true if the turn continues with queued inputs after the final answer. */
  readonly goesOn: () => boolean;
  /** The oldest queued input, which joins the turn with this call; `undefined` when there is none. */
  readonly takeQueued: () => readonly UserInput[] | undefined;
  /** Interrupts this turn and the sub-agents of the thread, as `LiveThreads.submit` does with the op `interrupt`. */
  readonly interrupt: () => void;
}
