import { assertNever } from '../util/assertNever.ts';

export interface RunningTurn {
  readonly turnId: string;
  /** Aborted when the turn has to stop; its end follows. */
  readonly abort: AbortController;
}

/** The state of a session, which accepts submissions until it closes. */
export type SessionState =
  /** This session has started no turn, whatever the thread did in an earlier process. */
  | { readonly type: 'new' }
  /** No turn runs. What the last one left to do may still be in progress. */
  | { readonly type: 'idle' }
  | { readonly type: 'running'; readonly turn: RunningTurn }
  /** `turn`: the one that is being stopped, until its end was emitted. */
  | { readonly type: 'closing'; readonly turn: RunningTurn | undefined }
  | { readonly type: 'closed' };

/** The turn that runs or is being stopped. */
export function turnIn(state: SessionState): RunningTurn | undefined {
  switch (state.type) {
    case 'running':
    case 'closing':
      return state.turn;
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
      return { type: 'closing', turn: undefined };
    case 'new':
    case 'idle':
    case 'closed':
      return state;
    default:
      return assertNever(state);
  }
}
