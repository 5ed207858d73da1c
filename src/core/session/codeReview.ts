/** The turn of the op `review`: an agent reviews changes, and the thread gets its findings. */
import type { EventMsg } from '../../protocol/event.ts';
import type { AgentSummary, ThreadState } from '../../protocol/thread.ts';
import type { TurnItem, TurnItemOf, UserInput } from '../../protocol/item.ts';
import type { OpOf } from '../../protocol/op.ts';
import { reviewSubject } from '../../protocol/text/findings.ts';
import { shortened } from '../../protocol/text/truncate.ts';
import { reviewAnswer, reviewNotice, reviewRepair, reviewRequest } from '../prompt/codeReview.ts';
import type { Agents } from '../tools/agents/agents.ts';
import { placeFindings } from './placeFindings.ts';
import { readReviewOutput } from './reviewOutput.ts';
import type { TurnRun } from './turnRun.ts';

type ReviewItem = TurnItemOf<'code_review'>;

/** The agent role that reviews. */
const REVIEWER = 'reviewer';

/** Characters that are kept of an answer in another form. */
const MAX_ANSWER = 20_000;

/**
 * Runs the agent to its end and records its findings, for the model of the thread, too. An answer in another form is
 * requested once more, and is then shown unchanged. Resolves with the findings as text, or with the reason of the
 * agent's failure. Rejects with the signal's reason after the agent was stopped.
 */
export async function runCodeReview(
  run: TurnRun,
  agents: Agents,
  { target, instructions, ...order }: OpOf<'review'>,
): Promise<string> {
  const { settings, signal, ports } = run;
  let item: ReviewItem = {
    id: ports.ids.next('item'),
    type: 'code_review',
    status: 'in_progress',
    target,
    agentId: '',
    findings: [],
    text: '',
  };
  const end = (status: ReviewItem['status'], facts: Partial<ReviewItem> = {}) => {
    item = { ...item, ...facts, status };
    run.emit({ type: 'item_completed', item });
  };
  const begin = ({ agentId }: AgentSummary) => {
    item = { ...item, agentId };
    run.emit({ type: 'item_started', item });
  };
  const input = inputOf({ target, instructions }, order.changes?.trim() ?? '');
  try {
    await agents.refresh();
    const request = { ...TASK, input, description: `Review ${reviewSubject(target)}` };
    const ended = await agents.runTask(request, { turnId: run.turnId, settings, signal }, begin);
    const answer = ended.type === 'refused' ? failed(ended.message) : answerOf(ended.agent);
    if (answer.type === 'failed') {
      end('failed', { why: answer.why });
      return answer.why;
    }
    const facts = await factsOf(answer.text, run);
    const reviewText = reviewAnswer(facts.findings, facts.text);
    run.remember(reviewNotice(target));
    run.remember({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: reviewText }] });
    end('completed', facts);
    return reviewText;
  } catch (error) {
    if (item.status === 'in_progress') end(signal.aborted ? 'aborted' : 'failed');
    throw error;
  }
}

/** The task of the reviewer; an answer in another form is requested once more. */
const TASK = {
  role: REVIEWER,
  forksContext: false,
  readOnly: true,
  followUp(answer: string) {
    const output = readReviewOutput(answer);
    return output.type === 'malformed' ? reviewRepair(output.problem) : undefined;
  },
} as const;

/** The message to the reviewer, with the changes attached if there are any. */
function inputOf(request: Pick<OpOf<'review'>, 'target' | 'instructions'>, changes: string): readonly UserInput[] {
  const hasChanges = changes !== '';
  const text: UserInput = { type: 'text', text: reviewRequest(request, hasChanges) };
  if (!hasChanges) return [text];
  return [text, { type: 'mention', kind: 'changes', name: 'changes', path: '', text: changes }];
}

/** The facts of an answer for the item: its findings, or an answer in another form as text. */
async function factsOf(answer: string, run: TurnRun): Promise<Pick<ReviewItem, 'findings' | 'text' | 'isCorrect'>> {
  const output = readReviewOutput(answer);
  if (output.type !== 'read') return { findings: [], text: shortened(answer, MAX_ANSWER) };
  const { settings, signal, ports } = run;
  const thread = { id: run.threadId, home: ports.storage.home, unreadable: run.thread.tools.unreadable };
  return {
    findings: await placeFindings(output.findings, { ...ports, settings, signal, thread }),
    text: output.text,
    ...(output.isCorrect === undefined ? {} : { isCorrect: output.isCorrect }),
  };
}

/** The findings of a thread. */
export class KnownFindings {
  readonly #ids = new Set<string>();

  constructor({ turns }: Pick<ThreadState, 'turns'>) {
    for (const { items } of turns) for (const item of items) this.#add(item);
  }

  /** Call with each event of a turn. */
  note(msg: EventMsg): void {
    if (msg.type === 'item_completed') this.#add(msg.item);
  }

  has({ itemId, findingId }: OpOf<'mark_finding'>): boolean {
    return this.#ids.has(`${itemId} ${findingId}`);
  }

  #add(item: TurnItem): void {
    if (item.type === 'code_review') for (const { id } of item.findings) this.#ids.add(`${item.id} ${id}`);
  }
}

type Answer = { readonly type: 'answer'; readonly text: string } | { readonly type: 'failed'; readonly why: string };

function answerOf({ state, lastMessage = '' }: AgentSummary): Answer {
  switch (state) {
    case 'completed':
      return { type: 'answer', text: lastMessage };
    case 'errored':
      return failed(lastMessage);
    case 'interrupted':
      return failed('The agent was stopped.');
    case 'pending_init':
    case 'running':
    case 'shutdown':
      return failed('The agent was closed before it had ended.');
  }
}

function failed(why: string): Answer {
  return { type: 'failed', why };
}
