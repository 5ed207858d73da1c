import type { ApprovalDecision, DecisionReason } from '../../protocol/policy.ts';
import type { ResolvedBy } from '../../protocol/event.ts';
import type { ItemStatus, TurnItem } from '../../protocol/item.ts';
import type { FileChange } from '../ports.ts';
import { assertNever } from '../util/assertNever.ts';
import type { ApprovalCard, ToolCall, ToolContext, ToolHandler, ToolOutput } from './handler.ts';
import type { ToolRegistry } from './registry.ts';

export interface Question {
  readonly callId: string;
  readonly itemId: string;
  readonly card: ApprovalCard;
  readonly reason: DecisionReason;
  readonly keys: readonly string[];
  readonly proposal?: readonly FileChange[] | undefined;
}

export interface Answered {
  readonly decision: ApprovalDecision;
  readonly by: ResolvedBy;
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

export interface OrchestratorDeps {
  readonly registry: ToolRegistry;
  readonly approver: Approver;
  /** Stops the turn; the answer `abort` means it. */
  interrupt(): void;
}

/**
 * Approval, then sandbox, then the attempt. Never rejects except with the signal's reason: whatever goes wrong with a
 * tool is an answer to the model. `shown` is the item that has already been started as a preview of this call; `asked`,
 * the question about it that was asked before its turn.
 */
export async function runToolCall(
  call: ToolCall,
  deps: OrchestratorDeps,
  context: ToolContext,
  shown?: TurnItem,
  asked?: AskedAhead,
): Promise<ToolOutput> {
  const handler = deps.registry.handler(call.name);
  const items = new OpenItem(context, asked?.item ?? shown);
  if (!handler) {
    items.close('failed');
    return failure(unknownTool(call.name, deps.registry.offeredNames));
  }
  try {
    context.signal.throwIfAborted();
    const parsed = handler.parse(call.payload, call.name);
    if (parsed.type === 'parsed') return await decideAndRun(handler, parsed.args, deps, context, items, asked);
    items.close('failed');
    return failure(parsed.message);
  } catch (error) {
    items.close(context.signal.aborted ? 'aborted' : 'failed');
    context.signal.throwIfAborted();
    return failure(`${call.name} failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    asked?.withdraw();
  }
}

/** The item a call is shown by: what was started is always ended. */
class OpenItem {
  readonly #context: ToolContext;
  #item: TurnItem | undefined;

  constructor(context: ToolContext, shown: TurnItem | undefined) {
    this.#context = context;
    this.#item = shown;
  }

  start(item: TurnItem): void {
    if (this.#item?.id !== item.id) this.#context.emit({ type: 'item_started', item });
    this.#item = item;
  }

  complete(item: TurnItem): void {
    this.#item = undefined;
    this.#context.emit({ type: 'item_completed', item });
  }

  /** Ends it as it stands; nothing if it has ended or never began. */
  close(status: ItemStatus): void {
    if (this.#item) this.complete({ ...this.#item, status });
  }
}

async function decideAndRun(
  handler: ToolHandler,
  args: unknown,
  deps: OrchestratorDeps,
  context: ToolContext,
  items: OpenItem,
  asked: AskedAhead | undefined,
): Promise<ToolOutput> {
  const prepared = await handler.prepare(args, context);
  if (prepared.type === 'failure') {
    items.close('failed');
    return failure(prepared.output);
  }
  const { plan, requirement, item, card, approvalKeys, proposal } = prepared;
  if (item) items.start(item);

  switch (requirement.type) {
    case 'forbidden':
      items.close('declined');
      return failure(`Not allowed: ${requirement.reason.text}`);
    case 'needs_approval': {
      if (!card) throw new Error('A tool that needs approval must say what for.');
      const question: Question = {
        callId: context.callId,
        itemId: item?.id ?? context.callId,
        card,
        reason: requirement.reason,
        keys: approvalKeys,
        ...(proposal ? { proposal } : {}),
      };
      const answer = await (asked?.answerTo(question) ?? deps.approver.ask(question, context.signal));
      const refusal = refusalText(answer, requirement.reason);
      if (refusal === undefined) break;
      if (answer.decision === 'abort') deps.interrupt();
      items.close('declined');
      return failure(refusal);
    }
    case 'skip':
      asked?.withdraw();
      break;
    default:
      return assertNever(requirement);
  }
  context.signal.throwIfAborted();
  const escalated = requirement.type === 'skip' ? requirement.bypassSandbox : card?.kind === 'escalation';
  const box = escalated ? 'none' : context.settings.box;
  const result = await handler.run(plan, { box, escalated }, context);
  if (result.item) items.complete(result.item);
  context.signal.throwIfAborted();
  return { output: result.output, success: result.success };
}

/** What the model is told when the answer was no; `undefined` when it was yes. */
function refusalText(
  answer: { readonly decision: ApprovalDecision; readonly by: ResolvedBy },
  reason: DecisionReason,
): string | undefined {
  const { decision, by } = answer;
  if (decision === 'approved' || decision === 'approved_for_thread') return undefined;
  if (decision === 'abort') return 'Denied by the user, who stopped the turn. Nothing was done.';
  if ('approved_rule' in decision) return undefined;
  if (by === 'non_interactive') {
    return `Denied (non_interactive): this needs approval and nobody is there to ask. ${reason.text} Nothing was done; go on without it.`;
  }
  const word = decision.denied.message;
  return word
    ? `Denied by the user: ${word}`
    : 'Denied by the user. Nothing was done. Do not try the same thing another way; ask what they want instead.';
}

function unknownTool(name: string, offered: readonly string[]): string {
  return `Unsupported call: there is no tool ${name}. The tools are: ${offered.join(', ')}.`;
}

function failure(output: string): ToolOutput {
  return { output, success: false };
}
