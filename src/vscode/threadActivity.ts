import type { UserInput } from '../protocol/item.ts';
import type { ThreadState } from '../protocol/thread.ts';

/** What a thread does now, as far as a person must know who looks elsewhere. */
export type ThreadActivity = 'waiting' | 'running' | 'idle';

export function activityOf(state: ThreadState): ThreadActivity {
  if (waitingIn(state) > 0) return 'waiting';
  return state.activeTurnId === null ? 'idle' : 'running';
}

/** Questions that wait for the person. */
export function waitingIn({ approvals, questions }: ThreadState): number {
  return approvals.length + questions.length;
}

/** Whether a thread can be put away without ending anything. */
export function isAtRest(state: ThreadState): boolean {
  const works = state.processes.some(({ status }) => status.type === 'running');
  return activityOf(state) === 'idle' && state.queuedInputs.length === 0 && !works;
}

/** What was typed, without what was attached. */
export function typedText(input: readonly UserInput[]): string {
  return input.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
