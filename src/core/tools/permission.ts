import type { AuditDecision } from '../../protocol/audit.ts';
import type { ResolvedBy, ReviewerVerdict } from '../../protocol/event.ts';
import type { TurnItem } from '../../protocol/item.ts';
import {
  type ApprovalDecision,
  denialIn,
  type DecisionReason,
  type ProposalChoices,
  reviewIn,
} from '../../protocol/policy.ts';
import type { ApprovalRequirement } from '../policy/requirement.ts';
import type { LoadedRules } from '../policy/rules.ts';
import type { ProposedFile } from '../ports.ts';
import { assertNever } from '../util/assertNever.ts';
import type { ApprovalCard, Preparation, Reconsidered, ToolContext } from './handler.ts';

/** For the model, after a denial because no user can answer. */
export const NO_USER = 'no user can answer in this run, so go on without it and say in your answer what you left out';

export interface Answered {
  readonly decision: ApprovalDecision;
  readonly by: ResolvedBy;
  /** The model that has decided, with its sentence. */
  readonly reviewer?: ReviewerVerdict;
}

export interface Question {
  readonly callId: string;
  readonly itemId: string;
  readonly card: ApprovalCard;
  /** The card has lines of a file with secrets. */
  readonly showsSecrets?: boolean | undefined;
  readonly reason: DecisionReason;
  /** A model may answer for the user (docs/decisions/0079). */
  readonly reviewable?: true;
  readonly keys: readonly string[];
  /**
   * Identifies exactly what would be approved. Two calls with the same binding share one approval; without a binding,
   * none is shared.
   */
  readonly binding?: string | undefined;
  readonly proposal?: readonly ProposedFile[] | undefined;
  /**
   * Decides again, under the rules and with the files as they are by then, and about the part of a patch that is left.
   */
  readonly reconsider?: ((review?: ProposalChoices) => Promise<Reconsidered>) | undefined;
  /** Called when the signal of the request aborts, with the choices on a patch so far. */
  readonly onWithdrawn?: (choices: ProposalChoices | undefined) => void;
}

/** Answers approval requests: from remembered approvals first, then by asking the user. */
export interface Approver {
  /** Rejects with the signal's reason when the turn ends before an answer. */
  ask(question: Question, signal: AbortSignal): Promise<Answered>;
}

/** An approval that was requested before its call had its turn to run. */
export interface AskedAhead {
  /** Started together with the request, so that the transcript shows the pending call. */
  readonly item: TurnItem | undefined;
  /**
   * Returns the answer if `question` equals the one that was asked. Otherwise withdraws the request and returns
   * `undefined`.
   */
  answerTo(question: Question): Promise<Answered> | undefined;
  /** Withdraws the request because its answer is no longer needed. */
  withdraw(): void;
}

/** A decision as the audit log records it. */
export interface DecisionRecord {
  readonly outcome: AuditDecision['outcome'];
  readonly by: AuditDecision['by'];
  readonly reason: DecisionReason;
  readonly word?: string;
  readonly reviewer?: ReviewerVerdict;
}

export interface PermissionDeps {
  readonly approver: Approver;
  /** Stops the turn, as the answer `abort` requests. */
  interrupt(): void;
  /** Counts the use of the rules that allowed a call. */
  noteUse(rules: LoadedRules): void;
}

export type Permission = SettledPermission | OutdatedPermission;

/** The request would be different by now: an answer to it permits nothing. */
export interface OutdatedPermission {
  readonly type: 'outdated';
  /** The choices on a patch so far. */
  readonly review: ProposalChoices | undefined;
}

export type SettledPermission = { readonly record: DecisionRecord } & (
  | {
      readonly type: 'granted';
      /** The user or a rule has allowed running outside the sandbox. */
      readonly escalated: boolean;
      /** The approval covers this binding only. */
      readonly boundTo?: string | undefined;
      /** The user's answer; `null` where the user was not asked. */
      readonly answer: ApprovalDecision | null;
    }
  /** `output` is for the model. */
  | { readonly type: 'refused'; readonly output: string }
);

export type ReadyCall = Extract<Preparation<unknown>, { type: 'ready' }>;

/**
 * Decides a call by policy, rules and, where they require it, by asking the user. Nothing has run when this returns.
 */
export async function seekPermission(
  call: ReadyCall,
  deps: PermissionDeps,
  { callId, signal }: Pick<ToolContext, 'callId' | 'signal'>,
  asked?: AskedAhead,
): Promise<Permission> {
  let { requirement, matchedRules = [] } = call;
  let word: ApprovalDecision | null = null;
  while (true) {
    switch (requirement.type) {
      case 'forbidden':
        return {
          type: 'refused',
          output: `Not allowed: ${requirement.reason.text}`,
          record: recordOf('forbidden', requirement.reason),
        };
      case 'skip':
        deps.noteUse(matchedRules);
        return {
          type: 'granted',
          escalated: requirement.bypassSandbox,
          answer: word,
          record: recordOf('allowed', requirement.reason),
        };
      case 'needs_approval':
        break;
      default:
        return assertNever(requirement);
    }
    const question = questionOf(call, requirement, callId);
    const answer = await (asked?.answerTo(question) ?? askUntilOutdated(call, question, deps, signal));
    asked = undefined;
    if ('type' in answer) return answer;
    // If a rule that was added meanwhile forbids the call, that rule is the reason, not the user.
    if (answer.by === 'rule' && answer.decision !== 'approved') {
      const again: Reconsidered | undefined = await call.reconsider?.();
      if (again?.requirement.type === 'forbidden') {
        ({ requirement, matchedRules } = again);
        continue;
      }
    }
    const refusal = refusalText(answer, requirement.reason);
    if (refusal !== undefined) {
      if (answer.decision === 'abort') deps.interrupt();
      return { type: 'refused', output: refusal, record: recordOf('denied', requirement.reason, answer) };
    }
    // The approval covers the request. Rules that were added after the request are applied too; one that forbids wins.
    const again: Reconsidered | undefined = await call.reconsider?.(reviewIn(answer.decision));
    if (again?.isOutdated) return { type: 'outdated', review: reviewIn(answer.decision) };
    const settled = again === undefined || (again.requirement.type === 'needs_approval' && covers(answer, again));
    if (answer.by === 'user') word = answer.decision;
    if (settled) {
      return {
        type: 'granted',
        escalated: call.card?.kind === 'escalation',
        boundTo: isToThisAlone(answer) ? call.binding : undefined,
        answer: word,
        record: recordOf('allowed', requirement.reason, answer),
      };
    }
    ({ requirement, matchedRules } = again);
  }
}

/** Withdraws the request when the call is outdated first. */
async function askUntilOutdated(
  { watch }: Pick<ReadyCall, 'watch'>,
  question: Question,
  { approver }: Pick<PermissionDeps, 'approver'>,
  signal: AbortSignal,
): Promise<Answered | OutdatedPermission> {
  if (watch === undefined) return approver.ask(question, signal);
  const outdated = new AbortController();
  let review: ProposalChoices | undefined;
  const watching = watch(() => outdated.abort(new Error('The approval request is outdated.')));
  try {
    const withdrawn = (choices: ProposalChoices | undefined) => void (review = choices);
    return await approver.ask({ ...question, onWithdrawn: withdrawn }, AbortSignal.any([signal, outdated.signal]));
  } catch (error) {
    if (signal.aborted || !outdated.signal.aborted) throw error;
    return { type: 'outdated', review };
  } finally {
    watching.dispose();
  }
}

/** Returns the record of a decision. Without an answer, the source of the reason has decided. */
export function recordOf(
  outcome: DecisionRecord['outcome'],
  reason: DecisionReason,
  answer?: Answered,
): DecisionRecord {
  const word = answer && denialIn(answer.decision)?.message;
  return {
    outcome,
    by: answer?.by ?? reason.source,
    reason,
    ...(word === undefined ? {} : { word }),
    ...(answer?.reviewer && { reviewer: answer.reviewer }),
  };
}

/** The question to the user about a call. @throws Error for a handler that asks without a card: a fault of its code */
export function questionOf(
  { card, showsSecrets, item, approvalKeys, binding, proposal, reconsider }: ReadyCall,
  { reason, proposedRule, destructive, reviewable }: Extract<ApprovalRequirement, { type: 'needs_approval' }>,
  callId: string,
): Question {
  if (!card) throw new Error('A tool that needs approval must say what for.');
  // Input for a terminal is not asked about later, and unsaved edits are the user's.
  const isWhole = card.kind === 'command' && card.tty !== true && card.unsaved === undefined && binding !== undefined;
  return {
    callId,
    itemId: item?.id ?? callId,
    card: {
      ...card,
      ...(proposedRule === undefined ? {} : { proposedRule }),
      ...(destructive === true ? { destructive } : {}),
    },
    showsSecrets,
    reason,
    ...(reviewable === true && isWhole ? { reviewable } : {}),
    keys: approvalKeys,
    binding,
    proposal,
    reconsider,
  };
}

/** False for an answer of the rules, which have changed since, and for one of a model where only the user may answer by now. */
function covers({ by }: Answered, { requirement }: Reconsidered): boolean {
  if (by === 'reviewer') return requirement.type === 'needs_approval' && requirement.reviewable === true;
  return by !== 'rule';
}

function isToThisAlone({ decision, by }: Answered): boolean {
  if (by !== 'user' && by !== 'reviewer') return false;
  if (typeof decision === 'string') return decision === 'approved';
  return 'approved_discarding' in decision || 'approved_reviewed' in decision;
}

/** The output for the model after a denial; `undefined` after an approval. */
function refusalText({ decision, by }: Answered, reason: DecisionReason): string | undefined {
  if (decision === 'approved' || decision === 'approved_for_thread' || decision === 'approved_saving') return undefined;
  if (decision === 'abort') return 'Denied by the user, who stopped the turn. Nothing was done.';
  if (!('denied' in decision)) return undefined;
  if (by === 'non_interactive') {
    return `Denied (non_interactive): ${NO_USER}. ${reason.text} Nothing was done.`;
  }
  const word = decision.denied.message?.trim();
  if (by === 'rule') return `Not allowed: ${word ?? reason.text}`;
  return word
    ? `Denied by the user: ${word}`
    : 'Denied by the user. Nothing was done. Do not try the same thing another way; ask what they want instead.';
}
