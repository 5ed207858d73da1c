/**
 * The interface of a tool. A handler parses the call, prepares it without side effects, and runs it only
 * after the orchestrator has permission.
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
import type {
  Clock,
  FileChange,
  Host,
  Ids,
  Images,
  Problems,
  ProposedFile,
  Regexps,
  TextSearch,
  Web,
  Workspace,
} from '../ports.ts';
import type { Disposable } from '../util/disposable.ts';
import type { SecretRedactor } from '../util/secretRedactor.ts';
import type { Inquire } from './inquiry.ts';

/** The kind of item that a call arrived in, with the arguments as the model wrote them. */
export type ToolPayload =
  | { readonly type: 'function'; readonly arguments: string }
  | { readonly type: 'custom'; readonly input: string }
  | { readonly type: 'local_shell'; readonly action: LocalShellCallItem['action'] };

/** A call with a valid id. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly payload: ToolPayload;
}

/** The output for the model. A failure is an output too: the model can react to it. */
export interface ToolOutput {
  readonly output: CallOutput;
  readonly success: boolean;
}

/** Facts about the thread of a call that its sandbox depends on. */
export interface ToolThread {
  readonly id: string;
  /** TILLER_HOME. */
  readonly home: string;
  /** Paths that sandboxed commands must not read, as the setting lists them. */
  readonly unreadable: readonly string[];
}

/** Records changes of commands and patches in the workspace, so that they can be shown and undone. */
export interface ChangeWatch {
  /**
   * Call before a command that may write starts. Resolves when the workspace was recorded, or it took too long. Call
   * the returned function when the command has ended, with all its processes. Rejects only with the signal's reason.
   */
  commandStarts(command: {
    readonly itemId: string;
    readonly cwd: string;
    readonly box: SandboxMechanism;
  }): Promise<() => void>;
  /**
   * Runs `apply`, which writes these paths, and settles as it does. `isApplied`: whether it changed anything. @throws
   * the signal's reason when the turn is stopped before `apply` has begun
   */
  patchApplies<Result>(
    patch: { readonly itemId: string; readonly paths: readonly string[] },
    apply: () => Promise<Result>,
    isApplied: (result: Result) => boolean,
  ): Promise<Result>;
}

/** The detection of problems after a patch, and the severities that are reported to the model. */
export interface ProblemsAfterPatch {
  readonly port: Problems;
  readonly level: Exclude<Settings['problemsAfterPatch'], 'off'>;
}

/** The services of a handler. It never contains the session, so that the type shows what a handler cannot touch. */
export interface ToolContext {
  readonly callId: string;
  /** The id of the item that shows this call. */
  readonly itemId: string;
  readonly turnId: string;
  readonly settings: TurnSettings;
  readonly thread: ToolThread;
  readonly workspace: Workspace;
  /** `workspace.moves.count` when the model made the call. */
  readonly movesBefore?: number | undefined;
  /** The processes of the thread: one that a handler starts may outlive the turn. */
  readonly processes: Processes;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly host: Host;
  readonly regexps: Regexps;
  /** Absent if no search program is available. */
  readonly textSearch?: TextSearch | undefined;
  readonly images: Images;
  readonly web: Web;
  /** Keys that no command may get. */
  readonly keys: SecretRedactor;
  /** Emits an event of this turn to all listeners. */
  readonly emit: (msg: EventMsg) => void;
  /** Flushes the rollout to the disk: call it before a patch is applied (design decision 14). */
  readonly flush: () => Promise<void>;
  /** Asks the user a question of this call. */
  readonly inquire: Inquire;
  readonly changes: ChangeWatch;
  /** Absent without an editor, and if the user has turned it off. */
  readonly problems?: ProblemsAfterPatch | undefined;
  /** Reports changes that were applied, for the diff of the turn. */
  readonly applied: (changes: readonly FileChange[]) => void;
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
}

export type Parsed<Args> =
  | {
      readonly type: 'parsed';
      readonly args: Args;
      /** Names of arguments that the tool does not have: the call runs without them, and the model reads which. */
      readonly ignored?: readonly string[];
    }
  | { readonly type: 'invalid'; readonly message: string };

/** The content of an approval card, apart from the reason. */
export type ApprovalCard = Omit<ApprovalRequest, 'approvalId' | 'itemId' | 'callId' | 'reason' | 'choices'>;

export type Preparation<Plan> =
  /** The call cannot be made; it had no effect. */
  { readonly type: 'failure'; readonly output: string } | ReadyPreparation<Plan>;

/** A call as it would run once more: outside the sandbox, or with more hosts. */
export interface OutsidePreparation<Plan> {
  readonly plan: Plan;
  readonly item: TurnItem;
  readonly card: ApprovalCard;
  readonly approvalKeys: readonly string[];
  readonly binding: string;
}

export interface ReadyPreparation<Plan> {
  readonly type: 'ready';
  readonly plan: Plan;
  readonly requirement: ApprovalRequirement;
  /** Shown from now on as `in_progress`; absent for tools that have another way to show their work. */
  readonly item?: TurnItem;
  /** The content of the approval card, used if the user must approve. */
  readonly card?: ApprovalCard;
  /** The card has lines of a file with secrets: they are for the user alone. */
  readonly showsSecrets?: boolean;
  /** The effect of a patch on each file, for diff editors. */
  readonly proposal?: readonly ProposedFile[];
  /**
   * Keys under which an approval for the thread is remembered; a remembered approval counts only if all keys are
   * approved.
   */
  readonly approvalKeys: readonly string[];
  /** Identifies exactly what would be approved, and nothing else. */
  readonly binding?: string;
  /**
   * The same call outside the sandbox, for the case that the sandbox blocks it; needs an approval of its own. Each call
   * makes a new item.
   */
  readonly outside?: () => Promise<OutsidePreparation<Plan>>;
  /**
   * The same call in the sandbox with these hosts, for the case that it was refused them; needs an approval of its own.
   * Each call makes a new item. Resolves to `undefined` where a rule forbids one.
   */
  readonly withHosts?: (hosts: readonly [string, ...string[]]) => Promise<OutsidePreparation<Plan> | undefined>;
  /** Rules that the decision used. */
  readonly matchedRules?: LoadedRules;
  /**
   * Decides again, under the rules and with the files as they are by then, and about the part of a patch that the user
   * has left. Absent where none of these can change the decision.
   */
  readonly reconsider?: (review?: ProposalChoices) => Promise<Reconsidered>;
  /**
   * Calls the listener when the request becomes outdated before its answer: the call is prepared and asked about again.
   */
  readonly watch?: (onOutdated: () => void) => Disposable;
  /** For a patch: the nearest existing folders above the files that it writes. */
  readonly folders?: readonly string[];
}

export interface Reconsidered extends Pick<CommandDecision, 'requirement' | 'matchedRules'> {
  /** True if the approval would cover something other than what was shown: the call is prepared and approved again. */
  readonly isOutdated?: boolean;
}

/** Maps the plan of a prepared call and keeps the rest. */
export function mapPlan<Plan, Mapped>(
  prepared: ReadyPreparation<Plan>,
  map: (plan: Plan) => Mapped,
): ReadyPreparation<Mapped> {
  const { plan, outside, withHosts, ...rest } = prepared;
  return {
    ...rest,
    plan: map(plan),
    ...(outside === undefined
      ? {}
      : {
          outside: async () => {
            const made = await outside();
            return { ...made, plan: map(made.plan) };
          },
        }),
    ...(withHosts && {
      withHosts: async (hosts) => {
        const made = await withHosts(hosts);
        return made && { ...made, plan: map(made.plan) };
      },
    }),
  };
}

/** The conditions of one attempt to run a call. */
export interface Attempt {
  readonly box: SandboxMechanism;
  /** True if the user or a rule has allowed the call to run outside the sandbox. */
  readonly escalated: boolean;
  /** The binding that the user has approved: anything else needs another approval. Absent where more was allowed. */
  readonly boundTo?: string | undefined;
  /** The user's answer; `null` when the user was not asked. */
  readonly answer: ApprovalDecision | null;
}

export interface ToolResult {
  readonly output: CallOutput;
  readonly success: boolean;
  /** Set when the call had no effect because it differs from the approved one: it is prepared and requested again. */
  readonly changedSince?: true;
  /** The item in its final state. */
  readonly item?: TurnItem;
  /** The access that the sandbox seems to have blocked, as printed by the program. */
  readonly blocked?: string | undefined;
  /** Hosts that the sandbox refused it, and that it may need, because it has failed. */
  readonly wantedHosts?: readonly string[];
}

/** The properties of a model family that decide which tools it is offered, and in which form. */
export interface ToolFamily {
  readonly applyPatch: 'freeform' | 'function';
  readonly extraInstructions: boolean;
  readonly fileTools: boolean;
  readonly userQuestions: boolean;
  readonly images: boolean;
  readonly shell: 'exec_command' | 'local_shell';
  /** True if commands of the turn may use the network; absent means false. */
  readonly mayConnect?: boolean;
}

/** The settings of a thread for the built-in tools. */
export interface ToolSettings {
  readonly review: ReviewSetting;
  /** Patches leave texts that an editor shows unsaved. */
  readonly leavesUnsaved?: boolean | undefined;
  /** The environment variables that commands get. */
  readonly environment: EnvironmentSettings;
  /** Handling of files that a patch left unsaved, before a command runs. */
  readonly saveBeforeCommands: Settings['saveBeforeCommands'];
  /** The setting `sandbox.allowedHosts`. */
  readonly allowedHosts: readonly string[];
  /** True if `fetch_url` is offered. */
  readonly webFetch: boolean;
  /** `off`: `web_search` is not offered. Otherwise with cached or live results. */
  readonly webSearch: Settings['web.search'];
}

/** Options of the built-in tools. */
export interface ToolOptions extends Omit<ToolSettings, 'review'> {
  /** When a patch is reviewed, at the time of the call: the user may change it while a turn runs. */
  readonly review: () => ReviewSetting;
  /** The rules that apply in a working directory at the time of the call. */
  readonly rules: (cwd: string) => Promise<LoadedRules>;
}

export interface ToolHandler<Args = unknown, Plan = unknown> {
  /** The name under which the tool is offered, then its aliases. */
  readonly names: readonly [string, ...string[]];
  /** The name of the extension that brings the tool, for the user. */
  readonly source?: string;
  /** The specification sent to the model; `undefined` for a tool that answers calls without being offered. */
  readonly spec: ToolSpec | undefined;
  /** The kinds of calls that it takes; `function` alone where absent. It must take the kind of its `spec`. */
  readonly payloads?: readonly ToolPayload['type'][];
  /**
   * False when this call changes nothing that another call could see: then it runs beside others. A mutating one runs
   * alone, in call order (`is_mutating` and `supports_parallel` of Codex; docs/decisions/0027). A pure function of the
   * arguments and the plan.
   */
  isMutating(args: Args, plan: Plan): boolean;
  /**
   * For a tool whose input is shown while the model writes it: the item that shows it, and a reader that turns pieces
   * of the raw arguments into text for display.
   */
  readonly preview?: {
    readonly start: (itemId: string, callId: string) => TurnItem;
    readonly reader: (kind: 'arguments' | 'input') => (piece: string) => string;
  };
  parse(payload: ToolPayload): Parsed<Args>;
  /** Reads and decides; has no side effects. */
  prepare(args: Args, context: ToolContext): Promise<Preparation<Plan>>;
  /** Runs the plan. Rejects only with the signal's reason; every other failure is a result. */
  run(plan: Plan, attempt: Attempt, context: ToolContext): Promise<ToolResult>;
}
