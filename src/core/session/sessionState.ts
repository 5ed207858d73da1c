import { assertNever } from '../util/assertNever.ts';

/** The state of a session, which accepts submissions until it closes. */
export type SessionState =
  /** This session has started no turn, whatever the thread did in an earlier process. */
  | { readonly type: 'new' }
  /** No turn runs. What the last one left to do may still be in progress. */
  | { readonly type: 'idle' }
  | { readonly type: 'running'; readonly abort: AbortController }
  /** `abort`: of the turn that is being stopped, until its end was emitted. */
  | { readonly type: 'closing'; readonly abort: AbortController | undefined }
  | { readonly type: 'closed' };

/** Stops the turn that runs; aborted while that is being stopped. */
export function abortOf(state: SessionState): AbortController | undefined {
  switch (state.type) {
    case 'running':
    case 'closing':
      return state.abort;
    case 'new':
    case 'idle':
    case 'closed':
      return undefined;
    default:
      return assertNever(state);
  }
}

/** True while ops are accepted. */
export function isOpen({ type }: SessionState): boolean {
  return type !== 'closing' && type !== 'closed';
}

/** After the end of the running turn was emitted. */
export function withoutTurn(state: SessionState): SessionState {
  switch (state.type) {
    case 'running':
      return { type: 'idle' };
    case 'closing':
      return { type: 'closing', abort: undefined };
    case 'new':
    case 'idle':
    case 'closed':
      return state;
    default:
      return assertNever(state);
  }
}
