import type { ApprovalChoice, ApprovalRequest, EventMsg } from '../../protocol/event.ts';
import type { ApprovalDecision } from '../../protocol/policy.ts';
import type { FileChange, Ids } from '../ports.ts';
import type { Approver } from '../tools/orchestrator.ts';

type Answer = Awaited<ReturnType<Approver['ask']>>;

const NOBODY: Answer = { decision: { denied: { message: 'non_interactive' } }, by: 'non_interactive' };

/** Says an event in the name of the turn that asks; `submissionId` is the answer's when there is one. */
export type EmitForTurn = (msg: EventMsg, submissionId?: string) => void;

/**
 * Questions that wait and yeses that are remembered, of one thread. Approvals live here, not in a view: whoever answers
 * first answers for all (design decision 11).
 */
export class Approvals {
  readonly #pending = new Map<string, (answer: Answer, submissionId?: string) => void>();
  readonly #remembered: Set<string>;
  readonly #ids: Ids;
  readonly #onProposal: ((approvalId: string, changes: readonly FileChange[]) => void) | undefined;
  #interactive: boolean;

  constructor(options: {
    readonly ids: Ids;
    readonly interactive: boolean;
    readonly remembered?: Iterable<string>;
    /** Hears what a patch would do before anybody is asked about it. */
    readonly onProposal?: ((approvalId: string, changes: readonly FileChange[]) => void) | undefined;
  }) {
    this.#onProposal = options.onProposal;
    this.#ids = options.ids;
    this.#interactive = options.interactive;
    this.#remembered = new Set(options.remembered);
  }

  /** The approver of one turn. Its questions end with the turn's signal. */
  forTurn(emit: EmitForTurn): Approver {
    return { ask: (question, signal) => this.#ask(question, signal, emit) };
  }

  /** Returns the ids nobody waits for: unknown, stale or already answered. */
  answer(approvalIds: readonly string[], decision: ApprovalDecision, submissionId: string): readonly string[] {
    const unknown: string[] = [];
    for (const approvalId of approvalIds) {
      const settle = this.#pending.get(approvalId);
      if (settle) settle({ decision, by: 'user' }, submissionId);
      else unknown.push(approvalId);
    }
    return unknown;
  }

  /** Whoever could answer is gone: what waits and what will be asked gets a no. */
  nobodyIsThere(): void {
    this.#interactive = false;
    for (const settle of [...this.#pending.values()]) settle(NOBODY);
  }

  async #ask(question: Parameters<Approver['ask']>[0], signal: AbortSignal, emit: EmitForTurn): Promise<Answer> {
    const { callId, itemId, card, reason, keys, proposal } = question;
    if (keys.length > 0 && keys.every((key) => this.#remembered.has(key))) {
      return { decision: 'approved', by: 'memory' };
    }
    const request: ApprovalRequest = {
      approvalId: this.#ids.next('approval'),
      itemId,
      callId,
      ...card,
      reason,
      choices: choicesFor(keys),
    };
    if (proposal) this.#onProposal?.(request.approvalId, proposal);
    emit({ type: 'approval_requested', ...request });
    if (!this.#interactive) {
      emit({ type: 'approval_resolved', approvalId: request.approvalId, ...NOBODY });
      return NOBODY;
    }
    return this.#wait(request.approvalId, keys, signal, emit);
  }

  #wait(approvalId: string, keys: readonly string[], signal: AbortSignal, emit: EmitForTurn): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const close = () => {
        this.#pending.delete(approvalId);
        signal.removeEventListener('abort', cancel);
      };
      const cancel = () => {
        close();
        emit({ type: 'approval_resolved', approvalId, decision: 'abort', by: 'turn_ended' });
        reject(signal.reason);
      };
      this.#pending.set(approvalId, (answer, submissionId) => {
        close();
        const forThread = answer.decision === 'approved_for_thread';
        if (forThread) for (const key of keys) this.#remembered.add(key);
        const remembered = forThread ? { keys: [...keys] } : {};
        emit({ type: 'approval_resolved', approvalId, ...answer, ...remembered }, submissionId);
        resolve(answer);
      });
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
    });
  }
}

/** Only what can be kept is offered: without a key there is nothing to remember. */
function choicesFor(keys: readonly string[]): ApprovalChoice[] {
  return keys.length > 0 ? ['approved', 'approved_for_thread', 'denied', 'abort'] : ['approved', 'denied', 'abort'];
}
