/** Reviews a command for the user, when Tiller asks for it: only runs of tests are allowed. */
import { type ReviewVerdict, reviewedCommandIn } from '../../../core/prompt/approvalReview.ts';
import type { Answer, Entry } from '../conversation.ts';
import { says } from './wording.ts';

/** `npm test`, `node --test`, `npx vitest run`: plain words, of which one names a test. */
const RUNS_TESTS = /^(?:npm|npx|yarn|pnpm|node) (?=.*test)[\w./:@= -]+$/i;

/** `undefined` when the last message asks for something else. */
export function reviewOf(entries: readonly Entry[]): Answer | undefined {
  const last = entries.at(-1);
  const command = last?.type === 'user' ? reviewedCommandIn(last.texts.join('\n')) : undefined;
  if (command === undefined) return undefined;
  const verdict: ReviewVerdict = RUNS_TESTS.test(command)
    ? { verdict: 'allow', reason: 'It runs the tests, which the task needs.' }
    : { verdict: 'ask', reason: 'The demo model allows only runs of tests.' };
  return says(JSON.stringify(verdict));
}
