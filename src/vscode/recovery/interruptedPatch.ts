import type { ThreadOwner } from '../../protocol/threads.ts';
import type { InterruptedPatch, RecoveryChoice } from '../../protocol/wire.ts';

/** A patch that a crash left half landed, and the ways out of it. */
export interface RecoverablePatch {
  readonly id: string;
  readonly startedAt: Date;
  readonly changes: InterruptedPatch['files'];
  /** In the editor and on the disk, when nobody else does it: another window, the command line. */
  readonly settle: (way: RecoveryChoice, patience: SettlingPatience) => Promise<PatchSettlement>;
}

export interface SettlingPatience {
  /** Leaves it to whoever else decides. */
  readonly signal: AbortSignal;
  readonly onWait: (owner: ThreadOwner) => void;
}

export type PatchSettlement =
  | { readonly type: 'settled'; readonly result: SettledPatch }
  /** There is nothing left to be decided. */
  | { readonly type: 'settled_elsewhere'; readonly by: ThreadOwner | null }
  /** Called off while somebody else was deciding. */
  | { readonly type: 'busy'; readonly owner: ThreadOwner };

export interface SettledPatch {
  /** Somebody has changed them since. */
  readonly leftAlone: readonly string[];
  /** Done beside unsaved edits of the person's, in the editor only. */
  readonly unsaved: readonly string[];
}
