import type { QuestionRequest, ResolvedBy } from '../../protocol/event.ts';

type WithoutIds<Request> = Request extends unknown ? Omit<Request, 'questionId' | 'callId'> : never;

/** A question of the model or of Tiller, or an elicitation of an MCP server, before it has an id. */
export type QuestionBody = WithoutIds<QuestionRequest>;

export type QuestionAnswer =
  /**
   * The answer to a question of the model or of Tiller: question id → chosen labels or free text. A question may be
   * left out.
   */
  | { readonly type: 'answered'; readonly answers: Readonly<Record<string, readonly string[]>> }
  /** The answer to an elicitation: the values of its form. They are not checked against its schema. */
  | { readonly type: 'accepted'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly type: 'declined' | 'cancelled'; readonly by: ResolvedBy };

/**
 * Asks the user. Rejects with the reason of the signal when that aborts before an answer.
 *
 * A call with a pending question of the model is run again after a reload of the window or a crash: a tool that asks one
 * must not have changed anything before. A call with a pending elicitation is answered as aborted instead.
 */
export type Inquire = (body: QuestionBody, signal: AbortSignal) => Promise<QuestionAnswer>;
