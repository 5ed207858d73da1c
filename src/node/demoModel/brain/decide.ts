/** The demo model's decision: a pure function from the conversation to the next answer. */
import type { Answer, Conversation } from '../conversation.ts';
import { repairTests } from './repair.ts';
import { requestIn } from './request.ts';
import { tell } from './story.ts';
import { INTRODUCTION, NO_SHELL, says } from './wording.ts';

export function decide({ tools, entries }: Conversation): Answer {
  const request = requestIn(entries);
  if (request.type === 'something_else') return says(INTRODUCTION);
  const { shell } = tools;
  if (shell === null) return says(NO_SHELL);
  return tell(repairTests({ ...tools, shell }), request.happened);
}
