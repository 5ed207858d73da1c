import type { Question } from '../tools/permission.ts';

/** The result of a review. `text`: one sentence, for the user. */
export interface Reviewed {
  /** `asks`: the model leaves it to the user. `failed`: it has not decided, and the user is asked as well. */
  readonly outcome: 'allowed' | 'asks' | 'failed';
  readonly text: string;
}

/** Answers approval requests for the user, as far as the user has allowed it. */
export interface ApprovalReviewer {
  /** The model that would review a request now; `undefined` when none does. */
  readonly model: string | undefined;
  /** Ends the reviews of the turn: the user has decided otherwise. */
  stop(): void;
  /** Rejects only with the reason of the signal. */
  review(question: Question, agent: string | undefined, signal: AbortSignal): Promise<Reviewed>;
}
