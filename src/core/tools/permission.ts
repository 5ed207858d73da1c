import type { AuditDecision } from '../../protocol/audit.ts';
import type { ResolvedBy } from '../../protocol/event.ts';
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

export interface Answered {
  readonly decision: ApprovalDecision;
  readonly by: ResolvedBy;
}

export interface Question {
  readonly callId: string;
  readonly itemId: string;
  readonly card: ApprovalCard;
  readonly reason: DecisionReason;
  readonly keys: readonly string[];
  /** Exactly what a yes would be to. Two calls with the same one are one question; absent: with nothing else. */
  readonly binding?: string | undefined;
  readonly proposal?: readonly ProposedFile[] | undefined;
  /** Decides again, under the rules and with the files as they are by then, and about what is left of a patch. */
  readonly reconsider?: ((review?: ProposalChoices) => Promise<Reconsidered>) | undefined;
}

/** Whoever can say yes or no: remembered approvals first, then a person. */
export interface Approver {
  /** Rejects with the signal's reason when the turn ends before an answer. */
  ask(question: Question, signal: AbortSignal): Promise<Answered>;
}

/** A question asked before its call had its turn to run. */
export interface AskedAhead {
  /** Started with the question, so that the transcript shows what waits. */
  readonly item: TurnItem | undefined;
  /** The answer, if this is still the very question that was asked; else it is taken back, and must be asked anew. */
  answerTo(question: Question): Promise<Answered> | undefined;
  /** Nobody needs the answer any more. */
  withdraw(): void;
}

/** What a decision leaves in the audit log. */
export interface DecisionRecord {
  readonly outcome: AuditDecision['outcome'];
  readonly by: AuditDecision['by'];
  readonly reason: DecisionReason;
  readonly word?: string;
}

export interface PermissionDeps {
  readonly approver: Approver;
  /** Stops the turn; the answer `abort` means it. */
  interrupt(): void;
  /** Hears which rules let something happen. */
  noteUse(rules: LoadedRules): void;
}

export type Permission = SettledPermission | OutdatedPermission;

/** The answer was to a question that would be another one by now. It permits nothing. */
export interface OutdatedPermission {
  readonly type: 'outdated';
  readonly answer: ApprovalDecision;
}

export type SettledPermission = { readonly record: DecisionRecord } & (
  | {
      readonly type: 'granted';
      /** A person or a rule has said yes to running outside the sandbox. */
      readonly escalated: boolean;
      /** The yes was to this alone. */
      readonly boundTo?: string | undefined;
      /** The person's own word; `null` where nobody was asked. */
      readonly answer: ApprovalDecision | null;
    }
  /** `output` is for the model. */
  | { readonly type: 'refused'; readonly output: string }
);

export type ReadyCall = Extract<Preparation<unknown>, { type: 'ready' }>;

/** What the policy, the rules and, where they say so, a person make of a call. Nothing has run when this returns. */
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
    const answer = await (asked?.answerTo(question) ?? deps.approver.ask(question, signal));
    asked = undefined;
    // What a rule has said no to meanwhile is told as that rule's no, and not as the person's.
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
    // A yes is to what was asked; a rule that came meanwhile has its say, and one that forbids has the last.
    const again: Reconsidered | undefined = await call.reconsider?.(reviewIn(answer.decision));
    if (again?.isOutdated) return { type: 'outdated', answer: answer.decision };
    const settled = again === undefined || (again.requirement.type === 'needs_approval' && answer.by !== 'rule');
    if (answer.by === 'user') word = answer.decision;
    if (settled) {
      return {
        type: 'granted',
        escalated: call.card?.kind === 'escalation',
        boundTo: answer.by === 'user' && isToThisAlone(answer.decision) ? call.binding : undefined,
        answer: word,
        record: recordOf('allowed', requirement.reason, answer),
      };
    }
    ({ requirement, matchedRules } = again);
  }
}

/** Without an answer, what decided is what the reason names. */
export function recordOf(
  outcome: DecisionRecord['outcome'],
  reason: DecisionReason,
  answer?: Answered,
): DecisionRecord {
  const word = answer && denialIn(answer.decision)?.message;
  return { outcome, by: answer?.by ?? reason.source, reason, ...(word === undefined ? {} : { word }) };
}

export function questionOf(
  { card, item, approvalKeys, binding, proposal, reconsider }: ReadyCall,
  { reason, proposedRule }: Extract<ApprovalRequirement, { type: 'needs_approval' }>,
  callId: string,
): Question {
  if (!card) throw new Error('A tool that needs approval must say what for.');
  return {
    callId,
    itemId: item?.id ?? callId,
    card: proposedRule === undefined ? card : { ...card, proposedRule },
    reason,
    keys: approvalKeys,
    binding,
    proposal,
    reconsider,
  };
}

function isToThisAlone(decision: ApprovalDecision): boolean {
  if (typeof decision === 'string') return decision === 'approved';
  return 'approved_discarding' in decision || 'approved_reviewed' in decision;
}

/** What the model is told when the answer was no; `undefined` when it was yes. */
function refusalText({ decision, by }: Answered, reason: DecisionReason): string | undefined {
  if (decision === 'approved' || decision === 'approved_for_thread' || decision === 'approved_saving') return undefined;
  if (decision === 'abort') return 'Denied by the user, who stopped the turn. Nothing was done.';
  if (!('denied' in decision)) return undefined;
  if (by === 'non_interactive') {
    return `Denied (non_interactive): this needs approval and nobody is there to ask. ${reason.text} Nothing was done; go on without it.`;
  }
  const word = decision.denied.message?.trim();
  if (by === 'rule') return `Not allowed: ${word ?? reason.text}`;
  return word
    ? `Denied by the user: ${word}`
    : 'Denied by the user. Nothing was done. Do not try the same thing another way; ask what they want instead.';
}
