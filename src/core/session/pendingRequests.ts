import type { ApprovalChoice, ApprovalRequest, EventMsg, QuestionRequest } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import {
  type ApprovalDecision,
  denialIn,
  type ProposalChoices,
  type Rule,
  type RuleScope,
} from '../../protocol/policy.ts';
import type { Ids, ProposedFile } from '../ports.ts';
import { checkRule } from '../rules/checkRule.ts';
import type { QuestionAnswer, QuestionBody } from '../tools/inquiry.ts';
import { takeReview, withChoices } from '../tools/proposalChoices.ts';
import type { Answered, Question } from '../tools/permission.ts';
import { abortable } from '../util/abort.ts';
import { assertNever } from '../util/assertNever.ts';
import type { Disposable } from '../util/disposable.ts';
import { messageOf } from '../util/fileErrors.ts';
import type { ApprovalReviewer } from './approvalReviewer.ts';
import { ApprovalMemory } from './approvalMemory.ts';
import { OpenRequests } from './openRequests.ts';

const NON_INTERACTIVE: Answered = { decision: { denied: { message: 'non_interactive' } }, by: 'non_interactive' };

/** Emits for the turn that makes the request; `submissionId` is the one of the answer when there is one. */
export type EmitForTurn = (msg: EventMsg, submissionId?: string) => void;

/** The origin of a request: a turn, or a server that asks while no turn runs. */
export interface Asker {
  readonly emit: EmitForTurn;
  /** Its abort cancels the request. */
  readonly signal: AbortSignal;
  /** The sub-agent that asks. */
  readonly agent?: ApprovalRequest['agent'];
  /** A model that may answer for the user. */
  readonly reviewer?: ApprovalReviewer | undefined;
}

/** The views of pending patches, such as diff editors. */
export interface ShownProposals {
  /**
   * Called before the approval is requested. `reviewed`: earlier choices that still fit, when it is requested again.
   */
  propose(approvalId: string, files: readonly ProposedFile[], reviewed: ProposalChoices | undefined): void;
  /** The choices of the user so far; undefined when an approval means the patch as it was proposed. */
  reviewOf(approvalId: string): ProposalChoices | undefined;
}

export type AnswerOp = OpOf<'approval' | 'user_input_answer' | 'elicitation_answer'>;

type DeniedCall = Pick<ApprovalRequest, 'command' | 'cwd'>;

interface RequestInReview {
  readonly approvalId: string;
  readonly model: string;
  readonly question: Question;
}

export interface PendingRequestsOptions {
  readonly ids: Ids;
  /** False: no user can answer, and each request is answered at once, with a denial or a cancellation. */
  readonly interactive: boolean;
  readonly memory?: ApprovalMemory;
  /** Commands that the user denied in an earlier process. */
  readonly deniedByUser?: readonly DeniedCall[];
  readonly proposals?: ShownProposals | undefined;
  /** Keeps a rule beyond the thread. @throws Error with a sentence for the user. */
  readonly keepRule?: (rule: Rule, scope: Exclude<RuleScope, 'thread'>) => Promise<void>;
  /** Commands that other threads run now in the folder of this thread. */
  readonly elsewhere?: () => NonNullable<ApprovalRequest['elsewhere']>;
  /** Watches the rule files while an approval is pending. The watcher has to call `reconsider` after a change. */
  readonly watchRules?: () => Disposable;
  /** Called when the memory has got more by an approval for a sub-agent, whose thread does not keep it. */
  readonly onAgentApproval?: (memory: ApprovalMemory) => void;
  /** Called with the keys under which a call was allowed without a request. */
  readonly onRemembered?: (keys: readonly string[]) => void;
}

/**
 * The pending requests of a root thread and of its sub-agents, and its approval memory. They are kept here and in no
 * view: the first answer counts, whichever view it comes from (design decision 11).
 */
export class PendingRequests {
  readonly #approvals = new OpenRequests<Question, Answered>();
  readonly #questions = new OpenRequests<QuestionBody, QuestionAnswer>();
  readonly #options: PendingRequestsOptions;
  /** The approvals that a model reviews now. */
  readonly #reviewing = new Set<string>();
  /** Calls that the user has denied in this thread, also in an earlier process: no model allows the same later. */
  readonly #deniedByUser: Set<string>;
  readonly memory: ApprovalMemory;
  #interactive: boolean;

  constructor(options: PendingRequestsOptions) {
    this.#options = options;
    this.memory = options.memory ?? new ApprovalMemory();
    this.#deniedByUser = new Set(options.deniedByUser?.map(deniedCall));
    this.#interactive = options.interactive;
  }

  /** The number of requests without an answer. */
  get count(): number {
    return this.#approvals.size + this.#questions.size;
  }

  /**
   * Asks the memory, then joins a pending request of the same binding, then asks the user. Rejects with the reason of
   * the signal when that aborts before an answer.
   */
  async approve(question: Question, asker: Asker): Promise<Answered> {
    const { callId, itemId, card, reason, keys, proposal, binding } = question;
    const { emit, signal } = asker;
    if (this.memory.hasAll(keys)) {
      this.#options.onRemembered?.(keys);
      return { decision: 'approved', by: 'memory' };
    }
    const same = this.#approvals.all.find(({ request }) => binding !== undefined && request.binding === binding);
    if (same) {
      emit({ type: 'approval_joined', approvalId: same.id, itemId, callId });
      const answer = await abortable(same.answer, signal).catch(() => undefined);
      signal.throwIfAborted();
      // The first call withdrew its request, which does not answer this one.
      return answer ?? this.approve(question, asker);
    }
    const elsewhere = this.#options.elsewhere?.() ?? [];
    const mayReview = question.reviewable === true && !this.#deniedByUser.has(deniedCall(card));
    const model = mayReview ? asker.reviewer?.model : undefined;
    const request: ApprovalRequest = {
      ...(asker.agent && { agent: asker.agent }),
      approvalId: this.#options.ids.next('approval'),
      itemId,
      callId,
      ...card,
      reason,
      ...(elsewhere.length > 0 ? { elsewhere: [...elsewhere] } : {}),
      choices: choicesFor(question),
      ...(model === undefined ? {} : { reviewer: { model, state: 'reviewing' } }),
    };
    if (proposal) this.#options.proposals?.propose(request.approvalId, proposal, card.reviewed);
    // Without a user the lines of a file with secrets would be read by a log only.
    const isShown = this.#interactive || question.showsSecrets !== true;
    emit({ type: 'approval_requested', ...request, ...(isShown ? {} : { diff: '' }) });
    if (!this.#interactive && model === undefined) {
      emit({ type: 'approval_resolved', approvalId: request.approvalId, ...NON_INTERACTIVE });
      return NON_INTERACTIVE;
    }
    const answer = this.#awaitApproval(request.approvalId, question, asker);
    if (model === undefined) return answer;
    return this.#reviewed(answer, { approvalId: request.approvalId, model, question }, asker);
  }

  /**
   * Has a model review the request while it is pending. Any other answer ends the review. What the model does not allow stays
   * pending; without a user it is denied then.
   */
  async #reviewed(answer: Promise<Answered>, reviewed: RequestInReview, asker: Asker): Promise<Answered> {
    const answered = new AbortController();
    this.#reviewing.add(reviewed.approvalId);
    void this.#review(reviewed, asker, answered.signal);
    try {
      return await answer;
    } finally {
      this.#reviewing.delete(reviewed.approvalId);
      answered.abort(new Error('The request was answered.'));
    }
  }

  async #review(
    { approvalId, model, question }: RequestInReview,
    { emit, agent, reviewer }: Asker,
    signal: AbortSignal,
  ): Promise<void> {
    const reviewed = await reviewer
      ?.review(question, agent?.role, signal)
      .catch((error: unknown) => ({ outcome: 'failed' as const, text: `It was not reviewed: ${messageOf(error)}` }));
    this.#reviewing.delete(approvalId);
    const pending = this.#approvals.get(approvalId);
    if (pending === undefined || reviewed === undefined) return;
    const { outcome, text } = reviewed;
    if (outcome === 'allowed') {
      pending.settle({ decision: 'approved', by: 'reviewer', reviewer: { model, text } });
      return;
    }
    emit({ type: 'approval_reviewed', approvalId, model, outcome, text });
    if (!this.#interactive) pending.settle(NON_INTERACTIVE);
  }

  /**
   * Asks the user a question of the model, of Tiller or of an MCP server. Without a user it is cancelled at once.
   * Rejects with the reason of the signal when that aborts before an answer. `callId`: the call that asks.
   */
  async inquire(body: QuestionBody, { emit, signal, agent }: Asker, callId?: string): Promise<QuestionAnswer> {
    const questionId = this.#options.ids.next('question');
    const request = requestOf(body, questionId, callId);
    emit({ type: 'question_requested', request: agent ? { ...request, agent } : request });
    if (!this.#interactive) {
      emit({ type: 'question_resolved', questionId, by: 'non_interactive' });
      return { type: 'cancelled', by: 'non_interactive' };
    }
    return this.#questions.wait(questionId, body, signal, {
      settled: (answer, submissionId) => {
        const by = answer.type === 'declined' || answer.type === 'cancelled' ? answer.by : 'user';
        emit({ type: 'question_resolved', questionId, by }, submissionId);
      },
      cancelled: () => emit({ type: 'question_resolved', questionId, by: 'turn_ended' }),
    });
  }

  /**
   * Returns a warning for each id that is not pending (unknown, stale or already answered) and for each answer that
   * does not fit its request, which then stays pending.
   */
  async answer(op: AnswerOp, submissionId: string): Promise<readonly string[]> {
    switch (op.type) {
      case 'approval':
        return this.#answerApprovals(op, submissionId);
      case 'user_input_answer':
      case 'elicitation_answer':
        return this.#answerQuestion(op, submissionId);
      default:
        return assertNever(op);
    }
  }

  /** Settles the approvals that the rules decide by now. Never rejects. */
  async reconsider(): Promise<void> {
    for (const { id, request } of this.#approvals.all) {
      // Rules that cannot be read decide nothing: the approval stays pending.
      const again = await request.reconsider?.().catch(() => undefined);
      if (again === undefined || again.requirement.type === 'needs_approval') continue;
      const { requirement } = again;
      const decision: ApprovalDecision =
        requirement.type === 'skip' ? 'approved' : { denied: { message: requirement.reason.text } };
      this.#approvals.get(id)?.settle({ decision, by: 'rule' });
    }
  }

  /**
   * Call when no user can answer any more: denies and cancels all pending and later requests, those that a model reviews when
   * it does not allow them.
   */
  becomeNonInteractive(): void {
    this.#interactive = false;
    for (const { id, settle } of this.#approvals.all) if (!this.#reviewing.has(id)) settle(NON_INTERACTIVE);
    for (const { settle } of this.#questions.all) settle({ type: 'cancelled', by: 'non_interactive' });
  }

  async #answerApprovals(
    { approvalIds, decision }: OpOf<'approval'>,
    submissionId: string,
  ): Promise<readonly string[]> {
    const unknown = approvalIds.filter((approvalId) => this.#approvals.get(approvalId) === undefined);
    const warnings: string[] = unknown.map(notPending);
    if (unknown.length === approvalIds.length) return warnings;
    if (typeof decision === 'object' && 'approved_rule' in decision) {
      const { rule, scope } = decision.approved_rule;
      const problem = await this.#keep(rule, scope);
      if (problem !== undefined) return [...warnings, stillPending(problem)];
    }
    for (const approvalId of isRemembered(decision) ? this.#withSameKeys(approvalIds) : approvalIds) {
      const pending = this.#approvals.get(approvalId);
      if (pending === undefined) continue;
      const { proposal } = pending.request;
      const review = proposal && this.#options.proposals?.reviewOf(approvalId);
      const taken = takeReview(withChoices(decision, review, proposal), proposal);
      if ('problem' in taken) warnings.push(stillPending(taken.problem));
      else pending.settle({ decision: taken.decision, by: 'user' }, submissionId);
    }
    if (isRule(decision)) await this.reconsider();
    return warnings;
  }

  /**
   * The approvals and those that the same answer would have answered before they were requested: calls of one tool are asked
   * about together. A proposal of changes, and a request of a hook, has an answer of its own.
   */
  #withSameKeys(approvalIds: readonly string[]): readonly string[] {
    const answered = approvalIds.flatMap((id) => keysOf(this.#approvals.get(id)?.request) ?? []);
    const others = this.#approvals.all.flatMap(({ id, request }) => {
      const keys = keysOf(request);
      return keys !== undefined && answered.includes(keys) ? [id] : [];
    });
    return [...new Set([...approvalIds, ...others])];
  }

  #answerQuestion(op: OpOf<'user_input_answer' | 'elicitation_answer'>, submissionId: string): readonly string[] {
    const pending = this.#questions.get(op.questionId);
    if (pending === undefined) return [notPending(op.questionId)];
    const read = readAnswer(op, pending.request);
    if ('problem' in read) return [stillPending(read.problem)];
    pending.settle(read.answer, submissionId);
    return [];
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

  #awaitApproval(approvalId: string, question: Question, { emit, signal, agent, reviewer }: Asker): Promise<Answered> {
    const watch = this.#options.watchRules?.();
    return this.#approvals.wait(approvalId, question, signal, {
      settled: (answer, submissionId) => {
        watch?.dispose();
        const forThread = answer.decision === 'approved_for_thread';
        if (forThread) this.memory.addKeys(question.keys);
        if (answer.by === 'user' && isDenial(answer.decision)) {
          reviewer?.stop();
          this.#deniedByUser.add(deniedCall(question.card));
        }
        const remembered = forThread ? { keys: [...question.keys] } : {};
        emit({ type: 'approval_resolved', approvalId, ...answer, ...remembered }, submissionId);
        if (agent && (forThread || isRule(answer.decision))) this.#options.onAgentApproval?.(this.memory);
      },
      cancelled: () => {
        watch?.dispose();
        question.onWithdrawn?.(this.#options.proposals?.reviewOf(approvalId));
        emit({ type: 'approval_resolved', approvalId, decision: 'abort', by: 'turn_ended' });
      },
    });
  }
}

function deniedCall({ command, cwd }: DeniedCall): string {
  return JSON.stringify([command, cwd]);
}

function notPending(id: string): string {
  return `No request ${id} is pending.`;
}

function stillPending(problem: string): string {
  return `${problem} The request is still pending.`;
}

function requestOf(body: QuestionBody, questionId: string, callId: string | undefined): QuestionRequest {
  if (body.source !== 'model' || callId === undefined) return { ...body, questionId };
  return { ...body, questionId, callId };
}

/** The answer that an op gives to a question, or why it gives none. */
function readAnswer(
  op: OpOf<'user_input_answer' | 'elicitation_answer'>,
  body: QuestionBody,
): { readonly answer: QuestionAnswer } | { readonly problem: string } {
  if (op.type === 'user_input_answer') {
    if (body.source === 'mcp') return { problem: 'This was asked by an MCP server: answer with elicitation_answer.' };
    if (op.answers === null) return { answer: { type: 'cancelled', by: 'user' } };
    const unknown = Object.keys(op.answers).find((name) => body.questions.every(({ id }) => id !== name));
    if (unknown !== undefined) return { problem: `There is no question ${unknown} in this request.` };
    return { answer: { type: 'answered', answers: op.answers } };
  }
  if (body.source !== 'mcp') {
    const asking = body.source === 'model' ? 'the model' : 'Tiller';
    return { problem: `This was asked by ${asking}: answer with user_input_answer.` };
  }
  switch (op.action) {
    case 'accept':
      return { answer: { type: 'accepted', content: op.content ?? {} } };
    case 'decline':
      return { answer: { type: 'declined', by: 'user' } };
    case 'cancel':
      return { answer: { type: 'cancelled', by: 'user' } };
    default:
      return assertNever(op.action);
  }
}

function isDenial(decision: ApprovalDecision): boolean {
  return decision === 'abort' || denialIn(decision) !== undefined;
}

function isRule(decision: ApprovalDecision): boolean {
  return typeof decision === 'object' && 'approved_rule' in decision;
}

function isRemembered(decision: ApprovalDecision): boolean {
  return decision === 'approved_for_thread' || (typeof decision === 'object' && 'approved_tool' in decision);
}

/** Returns the keys as one text; `undefined` without keys, for changes of files and for a request of a hook. */
function keysOf(request: Pick<Question, 'keys' | 'proposal' | 'reason'> | undefined): string | undefined {
  if (request === undefined || request.keys.length === 0) return undefined;
  if (request.proposal !== undefined || request.reason.source === 'hook') return undefined;
  return JSON.stringify([...request.keys].toSorted());
}

/** Offers only choices that can be remembered: a call without a key has none. */
function choicesFor({ keys, card }: Question): ApprovalChoice[] {
  const forThread: ApprovalChoice[] = keys.length > 0 ? ['approved_for_thread'] : [];
  const asRule: ApprovalChoice[] = card.proposedRule === undefined ? [] : ['approved_rule'];
  const ofTool: ApprovalChoice[] = card.tool === undefined ? [] : ['approved_tool'];
  const discarding: ApprovalChoice[] = card.changes?.some((change) => change.discardsUnsaved)
    ? ['approved_discarding']
    : [];
  const saving: ApprovalChoice[] = card.unsaved === undefined ? [] : ['approved_saving'];
  // An approval that does not name the files with unsaved edits would apply nothing.
  const plain: ApprovalChoice[] = discarding.length > 0 ? [] : ['approved'];
  return [...plain, ...forThread, ...asRule, ...ofTool, ...discarding, ...saving, 'denied', 'abort'];
}
