/**
 * What a tool is (seed 004). A handler parses, then prepares without touching anything, and only then, when the
 * orchestrator has settled whether it may, runs.
 */
import type { ApprovalRequest, EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { TurnItem } from '../../protocol/item.ts';
import type { CallOutput, LocalShellCallItem } from '../../protocol/responseItem.ts';
import type { ApprovalDecision, SandboxMechanism, ProposalChoices, ReviewSetting } from '../../protocol/policy.ts';
import type { EnvironmentSettings, Settings } from '../../protocol/settings.ts';
import type { ToolSpec } from '../../protocol/toolSpec.ts';
import type { Processes } from '../exec/processes.ts';
import type { CommandDecision } from '../policy/decideCommand.ts';
import type { ApprovalRequirement } from '../policy/requirement.ts';
import type { LoadedRules } from '../policy/rules.ts';
import type { Clock, FileChange, Host, Ids, ProposedFile, Workspace } from '../ports.ts';
import type { SecretRedactor } from '../util/secretRedactor.ts';

/** How a call arrived: which kind of item, with its arguments as the model wrote them. */
export type ToolPayload =
  | { readonly type: 'function'; readonly arguments: string }
  | { readonly type: 'custom'; readonly input: string }
  | { readonly type: 'local_shell'; readonly action: LocalShellCallItem['action'] };

/** A call with its id made sure. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly payload: ToolPayload;
}

/** What the model gets. A failure is an answer too: the model will look elsewhere. */
export interface ToolOutput {
  readonly output: CallOutput;
  readonly success: boolean;
}

/** The thread a call belongs to, as far as boxes care. */
export interface ToolThread {
  readonly id: string;
  /** TILLER_HOME. */
  readonly home: string;
  /** What must not be read in a box, as the setting says it. */
  readonly unreadable: readonly string[];
}

/** Records what commands and patches change in the workspace, so that it can be shown and undone. */
export interface ChangeWatch {
  /**
   * Call before a command that may write starts. Resolves when the workspace was recorded, or it took too long. Call what
   * it returns when the command has ended, with all it started. Rejects only with the signal's reason.
   */
  commandStarts(command: {
    readonly itemId: string;
    readonly cwd: string;
    readonly box: SandboxMechanism;
  }): Promise<() => void>;
  /** Runs `apply`, which writes these paths, and settles as it does. `isApplied`: whether it changed anything. */
  patchApplies<Result>(
    patch: { readonly itemId: string; readonly paths: readonly string[] },
    apply: () => Promise<Result>,
    isApplied: (result: Result) => boolean,
  ): Promise<Result>;
}

/** What a handler may use. Never the session: a parameter list is a promise about what it will not touch. */
export interface ToolContext {
  readonly callId: string;
  /** The id of the item that shows this call. */
  readonly itemId: string;
  readonly turnId: string;
  readonly settings: TurnSettings;
  readonly thread: ToolThread;
  readonly workspace: Workspace;
  /** Of the thread: what is started here may outlive the turn. */
  readonly processes: Processes;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly host: Host;
  /** Keys that no command may get. */
  readonly keys: SecretRedactor;
  /** Tells everybody, in the name of this turn. */
  readonly emit: (msg: EventMsg) => void;
  /** Forces what was written down to the disk: before a landing (design decision 14). */
  readonly flush: () => Promise<void>;
  readonly changes: ChangeWatch;
  /** Says what was landed, for the diff of the turn. */
  readonly applied: (changes: readonly FileChange[]) => void;
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
}

export type Parsed<Args> =
  | { readonly type: 'parsed'; readonly args: Args }
  | { readonly type: 'invalid'; readonly message: string };

/** What the card of a question shows beside the reason. */
export type ApprovalCard = Omit<ApprovalRequest, 'approvalId' | 'itemId' | 'callId' | 'reason' | 'choices'>;

export type Preparation<Plan> =
  /** It cannot be done; nothing was started. */
  { readonly type: 'failure'; readonly output: string } | ReadyPreparation<Plan>;

export interface ReadyPreparation<Plan> {
  readonly type: 'ready';
  readonly plan: Plan;
  readonly requirement: ApprovalRequirement;
  /** Shown from now on, `in_progress`; absent for tools that show themselves otherwise. */
  readonly item?: TurnItem;
  /** What to show when a person must be asked. */
  readonly card?: ApprovalCard;
  /** What a patch would do to which file, for whoever shows it in an editor. */
  readonly proposal?: readonly ProposedFile[];
  /** What an approval for the thread is remembered under; it is given only if all of them are. */
  readonly approvalKeys: readonly string[];
  /** Exactly what a yes would be to, and nothing else (issue 7 point 4). */
  readonly binding?: string;
  /** The same outside the box, for when the box stops it; asked about by itself. */
  readonly outside?: {
    readonly plan: Plan;
    readonly item: TurnItem;
    readonly card: ApprovalCard;
    readonly approvalKeys: readonly string[];
    readonly binding: string;
  };
  /** Rules that spoke in the decision. */
  readonly matchedRules?: LoadedRules;
  /**
   * Decides again: under the rules and with the files as they are by then, and about what a person has left of a patch.
   * Absent where none of them has a say.
   */
  readonly reconsider?: (review?: ProposalChoices) => Promise<Reconsidered>;
}

export interface Reconsidered extends Pick<CommandDecision, 'requirement' | 'matchedRules'> {
  /** Set when a yes would be to something else than was asked: the call is prepared and asked about anew. */
  readonly isOutdated?: boolean;
}

/** The same preparation, its plan in other clothes. */
export function mapPlan<Plan, Mapped>(
  prepared: ReadyPreparation<Plan>,
  map: (plan: Plan) => Mapped,
): ReadyPreparation<Mapped> {
  const { plan, outside, ...rest } = prepared;
  return {
    ...rest,
    plan: map(plan),
    ...(outside === undefined ? {} : { outside: { ...outside, plan: map(outside.plan) } }),
  };
}

/** The circumstances of one try. */
export interface Attempt {
  readonly box: SandboxMechanism;
  /** True when a person or a rule has said yes to running outside the sandbox. */
  readonly escalated: boolean;
  /** The one thing a person has said yes to: anything else must be asked about. Absent where more was allowed. */
  readonly boundTo?: string | undefined;
  /** What the person answered; `null` when nobody was asked. */
  readonly answer: ApprovalDecision | null;
}

export interface ToolResult {
  readonly output: CallOutput;
  readonly success: boolean;
  /** Set when nothing was done because it is no longer what was approved: prepared anew, it is asked about again. */
  readonly changedSince?: true;
  /** The item as it ends. */
  readonly item?: TurnItem;
  /** What the box seems to have blocked, in the program's own words. */
  readonly blocked?: string | undefined;
}

/** What of a model family decides which tools it is offered, and in which form. */
export interface ToolFamily {
  readonly applyPatch: 'freeform' | 'function';
  readonly extraInstructions: boolean;
  readonly shell: 'exec_command' | 'local_shell';
}

/** What the built-in tools are made with. */
export interface ToolOptions {
  /** Those in force in a working directory, as they stand now. */
  readonly rules: (cwd: string) => Promise<LoadedRules>;
  readonly review: ReviewSetting;
  /** What commands get of ours. */
  readonly environment: EnvironmentSettings;
  readonly saveBeforeCommands: Settings['saveBeforeCommands'];
}

export interface ToolHandler<Args = unknown, Plan = unknown> {
  /** The name it is offered under, then the other names it answers to. */
  readonly names: readonly [string, ...string[]];
  /** What the model is told; `undefined` for a tool that is only answered, not offered. */
  readonly spec: ToolSpec | undefined;
  /** True when it may run beside other calls; the others run alone, in call order. */
  readonly supportsParallel: boolean;
  /**
   * For a tool whose input is shown while the model writes it: the item to show it in, and a reader that turns pieces of
   * the raw arguments into text for the eye.
   */
  readonly preview?: {
    readonly start: (itemId: string, callId: string) => TurnItem;
    readonly reader: (kind: 'arguments' | 'input') => (piece: string) => string;
  };
  parse(payload: ToolPayload): Parsed<Args>;
  /** Looks and decides; touches nothing. */
  prepare(args: Args, context: ToolContext): Promise<Preparation<Plan>>;
  /** Does it. Rejects only with the signal's reason; every other failure is a result. */
  run(plan: Plan, attempt: Attempt, context: ToolContext): Promise<ToolResult>;
}
