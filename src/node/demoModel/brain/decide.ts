/** The demo model's decision: a pure function from the conversation to the next answer. */
import type { Answer, Conversation } from '../conversation.ts';
import { repairTests } from './repair.ts';
import { requestIn } from './request.ts';
import { reviewOf } from './review.ts';
import { tell } from './story.ts';
import { isGivenUp, summaryOf } from './summary.ts';
import { INTRODUCTION, NO_SHELL, says, WINDOW_TOO_SMALL } from './wording.ts';

export function decide({ tools, entries }: Conversation): Answer {
  const review = reviewOf(entries);
  if (review) return review;
  const summary = summaryOf(entries);
  if (summary) return summary;
  const request = requestIn(entries);
  if (request.type === 'something_else') return says(INTRODUCTION);
  if (isGivenUp(entries)) return says(WINDOW_TOO_SMALL);
  const { shell } = tools;
  if (shell === null) return says(NO_SHELL);
  return tell(repairTests({ ...tools, shell }), request.happened);
}
