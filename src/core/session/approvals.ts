import type { ApprovalChoice, ApprovalRequest, EventMsg } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import type { ApprovalDecision, ProposalChoices, Rule, RuleScope } from '../../protocol/policy.ts';
import type { Ids, ProposedFile } from '../ports.ts';
import { checkRule } from '../rules/checkRule.ts';
import { takeReview } from '../tools/proposalChoices.ts';
import type { Answered, Approver, Question } from '../tools/permission.ts';
import { abortable } from '../util/abort.ts';
import type { Disposable } from '../util/disposable.ts';
import { Memory } from './memory.ts';
import { messageOf } from '../util/fileErrors.ts';

const NOBODY: Answered = { decision: { denied: { message: 'non_interactive' } }, by: 'non_interactive' };

/** Says an event in the name of the turn that asks; `submissionId` is the answer's when there is one. */
export type EmitForTurn = (msg: EventMsg, submissionId?: string) => void;

/** `reviewed`: what of the person's choices still fits when it is asked again. */
export type OnProposal = (
  approvalId: string,
  proposal: readonly ProposedFile[],
  reviewed: ProposalChoices | undefined,
) => void;

interface Waiting {
  readonly question: Question;
  readonly answer: Promise<Answered>;
  readonly settle: (answer: Answered, submissionId?: string) => void;
}

export interface ApprovalsOptions {
  readonly ids: Ids;
  readonly interactive: boolean;
  readonly memory?: Memory;
  /** Hears what a patch would do before anybody is asked about it. */
  readonly onProposal?: OnProposal | undefined;
  /** Keeps a rule beyond the thread. @throws Error with a sentence for the person. */
  readonly keepRule?: (rule: Rule, scope: Exclude<RuleScope, 'thread'>) => Promise<void>;
  /** Commands that others run right now where this thread works. */
  readonly elsewhere?: () => NonNullable<ApprovalRequest['elsewhere']>;
  /** Watches, while a question waits, whether rules change; whoever does it calls `reconsider` then. */
  readonly watchRules?: () => Disposable;
  /** Hears under which keys something was allowed without a question. */
  readonly onRemembered?: (keys: readonly string[]) => void;
}

/**
 * Questions that wait and yeses that are remembered, of one thread. Approvals live here, not in a view: whoever answers
 * first answers for all (design decision 11).
 */
export class Approvals {
  readonly #waiting = new Map<string, Waiting>();
  readonly #options: ApprovalsOptions;
  readonly memory: Memory;
  #interactive: boolean;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.memory = options.memory ?? new Memory();
    this.#interactive = options.interactive;
  }

  /** The approver of one turn. Its questions end with the turn's signal. */
  forTurn(emit: EmitForTurn): Approver {
    return { ask: (question, signal) => this.#ask(question, signal, emit) };
  }

  /**
   * Returns what the person must be told: of ids nobody waits for (unknown, stale or already answered), and of a rule that
   * cannot be kept or a review that is not of this patch, whose questions then go on waiting.
   */
  async answer(
    { approvalIds, decision }: Pick<OpOf<'approval'>, 'approvalIds' | 'decision'>,
    submissionId: string,
  ): Promise<readonly string[]> {
    const strangers = approvalIds.filter((approvalId) => !this.#waiting.has(approvalId));
    const warnings: string[] = strangers.map((approvalId) => `Nobody waits for an answer to ${approvalId}.`);
    if (strangers.length === approvalIds.length) return warnings;
    if (typeof decision === 'object' && 'approved_rule' in decision) {
      const { rule, scope } = decision.approved_rule;
      const problem = await this.#keep(rule, scope);
      if (problem !== undefined) return [...warnings, `${problem} The question still waits.`];
    }
    for (const approvalId of approvalIds) {
      const waiting = this.#waiting.get(approvalId);
      if (waiting === undefined) continue;
      const taken = takeReview(decision, waiting.question.proposal);
      if ('problem' in taken) warnings.push(`${taken.problem} The question still waits.`);
      else waiting.settle({ decision: taken.decision, by: 'user' }, submissionId);
    }
    if (isRule(decision)) await this.reconsider();
    return warnings;
  }

  /** The rules have changed: what is settled by them now is not asked any more. Never rejects. */
  async reconsider(): Promise<void> {
    for (const [approvalId, { question }] of [...this.#waiting]) {
      // Rules that cannot be read now settle nothing: the question waits on.
      const again = await question.reconsider?.().catch(() => undefined);
      if (again === undefined || again.requirement.type === 'needs_approval') continue;
      const { requirement } = again;
      const decision: ApprovalDecision =
        requirement.type === 'skip' ? 'approved' : { denied: { message: requirement.reason.text } };
      this.#waiting.get(approvalId)?.settle({ decision, by: 'rule' });
    }
  }

  /** Whoever could answer is gone: what waits and what will be asked gets a no. */
  nobodyIsThere(): void {
    this.#interactive = false;
    for (const { settle } of [...this.#waiting.values()]) settle(NOBODY);
  }

  /** Returns why it cannot be kept. */
  async #keep(rule: Rule, scope: RuleScope): Promise<string | undefined> {
    try {
      checkRule(rule);
      if (scope === 'thread') this.memory.addRule(rule);
      else await this.#options.keepRule?.(rule, scope);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #ask(question: Question, signal: AbortSignal, emit: EmitForTurn): Promise<Answered> {
    const { callId, itemId, card, reason, keys, proposal, binding } = question;
    if (this.memory.hasAll(keys)) {
      this.#options.onRemembered?.(keys);
      return { decision: 'approved', by: 'memory' };
    }
    for (const [approvalId, known] of this.#waiting) {
      if (binding === undefined || known.question.binding !== binding) continue;
      emit({ type: 'approval_joined', approvalId, itemId, callId });
      const answer = await abortable(known.answer, signal).catch(() => undefined);
      signal.throwIfAborted();
      // The first call took its question back: the second one has it still.
      return answer ?? this.#ask(question, signal, emit);
    }
    const elsewhere = this.#options.elsewhere?.() ?? [];
    const request: ApprovalRequest = {
      approvalId: this.#options.ids.next('approval'),
      itemId,
      callId,
      ...card,
      reason,
      ...(elsewhere.length > 0 ? { elsewhere: [...elsewhere] } : {}),
      choices: choicesFor(question),
    };
    if (proposal) this.#options.onProposal?.(request.approvalId, proposal, card.reviewed);
    emit({ type: 'approval_requested', ...request });
    if (!this.#interactive) {
      emit({ type: 'approval_resolved', approvalId: request.approvalId, ...NOBODY });
      return NOBODY;
    }
    return this.#wait(request.approvalId, question, signal, emit);
  }

  #wait(approvalId: string, question: Question, signal: AbortSignal, emit: EmitForTurn): Promise<Answered> {
    let resolve: (answer: Answered) => void = () => {};
    let reject: (reason: unknown) => void = () => {};
    const answered = new Promise<Answered>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    const watch = this.#options.watchRules?.();
    const close = () => {
      watch?.dispose();
      this.#waiting.delete(approvalId);
      signal.removeEventListener('abort', cancel);
    };
    const cancel = () => {
      close();
      emit({ type: 'approval_resolved', approvalId, decision: 'abort', by: 'turn_ended' });
      reject(signal.reason);
    };
    const settle = (answer: Answered, submissionId?: string) => {
      close();
      const forThread = answer.decision === 'approved_for_thread';
      if (forThread) this.memory.addKeys(question.keys);
      const remembered = forThread ? { keys: [...question.keys] } : {};
      emit({ type: 'approval_resolved', approvalId, ...answer, ...remembered }, submissionId);
      resolve(answer);
    };
    this.#waiting.set(approvalId, { question, answer: answered, settle });
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    return answered;
  }
}

function isRule(decision: ApprovalDecision): boolean {
  return typeof decision === 'object' && 'approved_rule' in decision;
}

/** Only what can be kept is offered: without a key there is nothing to remember. */
function choicesFor({ keys, card }: Question): ApprovalChoice[] {
  const forThread: ApprovalChoice[] = keys.length > 0 ? ['approved_for_thread'] : [];
  const asRule: ApprovalChoice[] = card.proposedRule === undefined ? [] : ['approved_rule'];
  const discarding: ApprovalChoice[] = card.changes?.some((change) => change.discardsUnsaved)
    ? ['approved_discarding']
    : [];
  const saving: ApprovalChoice[] = card.unsaved === undefined ? [] : ['approved_saving'];
  // A yes that does not name the files would land nothing.
  const plain: ApprovalChoice[] = discarding.length > 0 ? [] : ['approved'];
  return [...plain, ...forThread, ...asRule, ...discarding, ...saving, 'denied', 'abort'];
}
