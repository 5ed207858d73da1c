import type { ThreadState } from '../../protocol/thread.ts';

/** The current activity of a thread, for the thread list. */
export type ThreadActivity = 'waiting' | 'running' | 'idle';

/** `waiting` where the user has to answer something, also while a turn runs. */
export function activityOf(state: ThreadState): ThreadActivity {
  if (pendingIn(state) > 0) return 'waiting';
  return state.activeTurnId === null ? 'idle' : 'running';
}

/** Returns true if another thread has started this one. */
export function isSubAgent({ started }: Pick<ThreadState, 'started'>): boolean {
  return started?.parentId !== undefined;
}

/** The number of its pending requests. */
export function pendingIn({ approvals, questions }: ThreadState): number {
  return approvals.length + questions.length;
}

/** Returns true if suspending the thread would interrupt no work. */
export function isAtRest(state: ThreadState): boolean {
  const works = state.processes.some(({ status }) => status.type === 'running');
  return activityOf(state) === 'idle' && state.queuedInputs.length === 0 && !works;
}
