import type { ThreadOwner } from '../../protocol/threads.ts';
import type { RecoveryChoice } from '../../protocol/wire.ts';
import type { RecoverablePatch } from './interruptedPatch.ts';

/**
 * The state of an interrupted patch. A patch that was not found here, or that another process has settled, has none.
 */
export type PatchState =
  /** The user has not chosen. */
  | { readonly type: 'offered'; readonly patch: RecoverablePatch }
  /** The choice of the user is being carried out. */
  | { readonly type: 'settling'; readonly patch: RecoverablePatch; readonly way: RecoveryChoice }
  /** `by`: the user's choice here, or the process that settled it; `null` if that is not known. */
  | { readonly type: 'settled'; readonly by: RecoveryChoice | ThreadOwner | null };

export type OpenPatch = Exclude<PatchState, { type: 'settled' }>;

export type PatchStates = ReadonlyMap<string, PatchState>;

/** Patches that are not settled, in the order in which they were found. */
export function openIn(states: PatchStates): readonly OpenPatch[] {
  return [...states.values()].filter((state) => state.type !== 'settled');
}

/** After a search: new patches are offered, known ones keep their state, and open ones that were not found are gone. */
export function afterSearch(states: PatchStates, found: readonly RecoverablePatch[]): PatchStates {
  const settled = [...states].filter(([, { type }]) => type === 'settled');
  const open = found.map((patch) => [patch.id, states.get(patch.id) ?? { type: 'offered', patch }] as const);
  return new Map<string, PatchState>([...settled, ...open]);
}

/** Returns a copy in which the patch has this state. */
export function withState(states: PatchStates, id: string, state: PatchState): PatchStates {
  return new Map([...states, [id, state]]);
}

/** The search for interrupted patches: one at a time. */
export type Search =
  | { readonly type: 'none' }
  | { readonly type: 'running'; readonly done: Promise<void> }
  /** A further search follows it: a crash during a search may be missing from its result. */
  | { readonly type: 'repeating'; readonly done: Promise<void> };
