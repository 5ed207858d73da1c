import type { EventMsg, TurnSettings } from '../../protocol/event.ts';
import { type ResponseItem, textOf } from '../../protocol/responseItem.ts';
import { ModelFault, type Prompt } from '../model/client.ts';
import type { Clock } from '../ports.ts';
import {
  type ReviewVerdict,
  readVerdict,
  REVIEWER_INSTRUCTIONS,
  reviewMessage,
  VERDICT_SCHEMA,
} from '../prompt/approvalReview.ts';
import type { Question } from '../tools/permission.ts';
import type { SecretRedactor } from '../util/secretRedactor.ts';
import type { ApprovalReviewer, Reviewed } from './approvalReviewer.ts';
import type { CapCounters } from './capCounters.ts';
import type { ApprovalSettings } from './sessionOptions.ts';
import type { ThreadModel } from './threadModels.ts';
import type { TokenMeter } from './tokenMeter.ts';

export interface TurnReviewerDeps {
  readonly threadId: string;
  readonly settings: Pick<TurnSettings, 'model' | 'provider'>;
  /** The settings by now. */
  readonly approvals: () => ApprovalSettings;
  /** The texts of the user in the root thread, oldest first. */
  readonly words: () => readonly string[];
  readonly connect: (settings: Pick<TurnSettings, 'model' | 'provider'>) => ThreadModel;
  readonly tokens: TokenMeter;
  readonly caps: Pick<CapCounters, 'reached'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly keys: SecretRedactor;
  readonly emit: (msg: EventMsg) => void;
}

/** Milliseconds for one review. */
const TIME_LIMIT = 60_000;
/** Requests that are not allowed, in one turn, after which it reviews no more of them. */
const MOST_REFUSALS = 3;

const STOPPED = 'No more requests are reviewed in this turn.';

/**
 * The reviewer of one turn. It reviews one request at a time, in the order in which they were made. Its requests contain the
 * user's words and the call, and neither outputs of tools nor files (docs/decisions/0079).
 */
export class TurnReviewer implements ApprovalReviewer {
  readonly #deps: TurnReviewerDeps;
  #refused = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: TurnReviewerDeps) {
    this.#deps = deps;
  }

  get model(): string | undefined {
    const { approvals, settings } = this.#deps;
    const { reviewer, reviewerModel } = approvals();
    return reviewer === 'model' && this.#refused < MOST_REFUSALS ? (reviewerModel ?? settings.model) : undefined;
  }

  stop(): void {
    this.#refused = MOST_REFUSALS;
  }

  async review(question: Question, agent: string | undefined, signal: AbortSignal): Promise<Reviewed> {
    const reviewed = this.#last.then(() => this.#reviewNext(question, agent, signal));
    this.#last = reviewed.catch(() => {});
    return reviewed;
  }

  async #reviewNext(question: Question, agent: string | undefined, signal: AbortSignal): Promise<Reviewed> {
    signal.throwIfAborted();
    const { model } = this;
    if (model === undefined) return { outcome: 'failed', text: STOPPED };
    const reviewed = await this.#ask(model, question, agent, signal);
    signal.throwIfAborted();
    if (reviewed.outcome === 'allowed') return reviewed;
    this.#refused++;
    return this.#refused < MOST_REFUSALS ? reviewed : { ...reviewed, text: `${reviewed.text} ${STOPPED}` };
  }

  async #ask(
    model: string,
    { card, reason }: Question,
    agent: string | undefined,
    signal: AbortSignal,
  ): Promise<Reviewed> {
    const { threadId, settings, words, connect, caps, clock, keys } = this.#deps;
    const { command = '', cwd, justification } = card;
    const hidden = (text: string) => keys.hide(text);
    const call = {
      command: hidden(command),
      cwd,
      justification: justification === undefined ? undefined : hidden(justification),
      asked: reason.text,
      agent,
    };
    const message = reviewMessage(words().map(hidden), call);
    if (message === undefined) return failed('the command is too long for a review');
    if ((await caps.reached(signal)) !== undefined) return failed('a cap on tokens or cost is reached');
    const connected = connect({ ...settings, model });
    const prompt: Prompt = {
      model,
      instructions: REVIEWER_INSTRUCTIONS,
      input: [message],
      tools: [],
      parallelToolCalls: false,
      effort: null,
      summary: 'none',
      outputSchema: VERDICT_SCHEMA,
      origin: connected.origin,
      cacheKey: threadId,
    };
    const limit = new AbortController();
    const cancelLimit = clock.after(TIME_LIMIT, () => limit.abort(new Error('The time is over.')));
    try {
      const answer = await this.#answer(connected, prompt, AbortSignal.any([signal, limit.signal]));
      const verdict = readVerdict(answer);
      return verdict === undefined ? failed('its answer is not in the form that was asked for') : outcomeOf(verdict);
    } catch (error) {
      if (signal.aborted) throw error;
      if (limit.signal.aborted) return failed(`it has not answered in ${TIME_LIMIT / 1000} seconds`);
      if (error instanceof ModelFault) return failed(clause(error.message));
      throw error;
    } finally {
      cancelLimit();
    }
  }

  /** Returns the text of the last message. Its usage counts in the turn. */
  async #answer({ client, prices }: ThreadModel, prompt: Prompt, signal: AbortSignal): Promise<string> {
    const { tokens, emit } = this.#deps;
    const items: ResponseItem[] = [];
    for await (const event of client.stream(prompt, signal)) {
      if (event.type === 'warning') emit({ type: 'warning', message: event.message });
      if (event.type === 'item_done') items.push(event.item);
      if (event.type !== 'completed') continue;
      tokens.spend(event.usage, prompt, items, prices);
      const count = tokens.recount();
      if (count !== undefined) emit({ ...count, type: 'token_count' });
      const last = items.findLast((item) => item.type === 'message' && item.role === 'assistant');
      return last?.type === 'message' ? textOf(last.content) : '';
    }
    throw new Error('The model client ended its stream without saying so.');
  }
}

function outcomeOf({ verdict, reason }: ReviewVerdict): Reviewed {
  return { outcome: verdict === 'allow' ? 'allowed' : 'asks', text: reason };
}

function failed(why: string): Reviewed {
  return { outcome: 'failed', text: `It was not reviewed: ${why}.` };
}

/** A sentence as the end of another one. */
function clause(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
