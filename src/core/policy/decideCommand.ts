/**
 * Decides what must happen before a command runs (codex-behaviour.md §6.3, design decisions 9 and 10).
 *
 * Pure: the same request gives the same answer, with the rule or heuristic that made it. For a script the strictest
 * verdict on its commands counts. `bypassSandbox` only if a rule says so for every command.
 */
import type {
  ApprovalPolicy,
  SandboxMechanism,
  Rule,
  SandboxPermissions,
  SandboxPolicy,
} from '../../protocol/policy.ts';
import { aboutReading } from './aboutReading.ts';
import { classifyTree, takeApart } from './commandTree.ts';
import type { Circumstances } from './decisionTable.ts';
import { type PolicyContext, type PolicyVerdict, decideVerdict, wantsOut } from './policyVerdict.ts';
import type { Platform } from './knownSafe.ts';
import { mayBeReviewed } from './mayBeReviewed.ts';
import type { Argv } from './parseScript.ts';
import { refusedInPlanMode } from './planMode.ts';
import { proposePrefix } from './proposeRule.ts';
import type { ApprovalRequirement, CommandVerdict } from './requirement.ts';
import type { LoadedRules } from './rules.ts';
import { joinShellWords } from './shellWords.ts';

export interface CommandRequest {
  readonly argv: Argv;
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxPolicy: SandboxPolicy;
  /** The sandbox mechanism that works on this machine. */
  readonly box: SandboxMechanism;
  /** The reason why no mechanism is available although the policy requires a sandbox. */
  readonly noSandboxCause?: string | undefined;
  readonly sandboxPermissions: SandboxPermissions;
  /** The command prefix that the model asks to have allowed from now on. */
  readonly prefixRule?: Argv | undefined;
  readonly rules: LoadedRules;
  readonly platform: Platform;
  /**
   * The configuration of the repository names programs that git would start even in commands that only read; false by
   * default.
   */
  readonly gitStartsPrograms?: boolean | undefined;
  /** A file that may not be read and that the command names: a clause with its path. */
  readonly reads?: string | undefined;
  /** In plan mode: a command that is not known to only read is refused. */
  readonly planMode?: boolean | undefined;
  /** False when no user can answer (`exec`); true by default. */
  readonly canAsk?: boolean | undefined;
}

/** A decision with all its causes, for `tiller execpolicy check` and for trying a command in the rules page. */
export interface CommandDecision {
  readonly requirement: ApprovalRequirement;
  /** Every rule that matched, in the order of the rules. */
  readonly matchedRules: LoadedRules;
  /** The commands that were checked; `null` for a script that could not be parsed. */
  readonly commands: readonly Argv[] | null;
}

/** Returns what `explainCommand` requires. */
export function decideCommand(request: CommandRequest): ApprovalRequirement {
  return explainCommand(request).requirement;
}

/** Returns the requirement with the verdict on each part and the rules that matched. */
export function explainCommand(request: CommandRequest): CommandDecision {
  const circumstances: Circumstances = { ...request, canAsk: request.canAsk ?? true };
  const context: PolicyContext = { rules: request.rules, circumstances, platform: request.platform };
  const tree = takeApart(request.argv, request);
  const decided = decideVerdict(tree, context);
  const whole = aboutReading(decided, request.reads, circumstances);
  const parts = tree.type === 'script' ? tree.commands.map((command) => decideVerdict(command, context)) : [whole];
  const commandClass = classifyTree(tree);
  const isReviewable = mayBeReviewed({
    tree,
    parts: [whole, ...parts],
    matches: whole.matches,
    circumstances,
    surroundings: request,
  });
  const requirement = requirementOf(whole, parts, {
    ...proposal(parts, request.prefixRule, wantsOut(circumstances)),
    ...(commandClass === 'dangerous' ? { destructive: true } : {}),
    ...(isReviewable ? { reviewable: true } : {}),
  });
  const isForbiddenByRule = requirement.type === 'forbidden' && requirement.reason.source === 'rule';
  const isRefused = request.planMode === true && commandClass !== 'known-safe' && !isForbiddenByRule;
  return {
    requirement: isRefused ? refusedInPlanMode('Commands that are not known to only read do not run') : requirement,
    matchedRules: request.rules.filter((rule) => whole.matches.includes(rule)),
    commands: tree.type === 'opaque' ? null : parts.map(({ argv }) => argv),
  };
}

function requirementOf(
  whole: PolicyVerdict,
  parts: readonly PolicyVerdict[],
  more: { readonly proposedRule?: Rule; readonly destructive?: boolean; readonly reviewable?: true },
): ApprovalRequirement {
  const { decision, reason } = whole;
  switch (decision) {
    case 'allow':
      return {
        type: 'skip',
        reason,
        bypassSandbox: whole.outside,
        ...(whole.readsSecrets ? { readsSecrets: true } : {}),
      };
    case 'prompt':
      return { type: 'needs_approval', reason, parts: parts.map(verdictOf), ...more };
    case 'forbidden':
      return { type: 'forbidden', reason };
  }
}

/**
 * When the approval is for leaving the sandbox, the proposed rule must allow leaving it too, or it would not answer the
 * same request.
 */
function proposal(
  parts: readonly PolicyVerdict[],
  prefixRule: Argv | undefined,
  outside: boolean,
): { readonly proposedRule?: Rule } {
  const pattern = proposePrefix(parts, prefixRule);
  if (pattern === undefined) return {};
  return { proposedRule: { pattern: [...pattern], decision: 'allow', ...(outside ? { bypassSandbox: true } : {}) } };
}

function verdictOf({ argv, decision, reason }: PolicyVerdict): CommandVerdict {
  return { command: joinShellWords(argv), verdict: decision, reason };
}
