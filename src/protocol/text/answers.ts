import { ownValue } from '../ownValue.ts';
import type { Answers } from '../question.ts';

/** Returns the answer to one question as text; empty if there is none. */
export function answerIn(answers: Answers | undefined, questionId: string): string {
  return (ownValue(answers ?? {}, questionId) ?? []).join(', ');
}
