import type { ThreadOwner } from '../../protocol/threads.ts';
import type { InterruptedPatch, RecoveryChoice } from '../../protocol/wire.ts';

/** An interrupted patch and its recovery choices. */
export interface RecoverablePatch {
  readonly id: string;
  readonly startedAt: Date;
  readonly changes: InterruptedPatch['files'];
  /** Settles it in the editor and on the disk, unless another process (a window, the command line) is doing so. */
  readonly settle: (way: RecoveryChoice, patience: SettlingPatience) => Promise<PatchSettlement>;
}

export interface SettlingPatience {
  /** Aborting leaves the patch to the other process. */
  readonly signal: AbortSignal;
  readonly onWait: (owner: ThreadOwner) => void;
}

export type PatchSettlement =
  | { readonly type: 'settled'; readonly result: SettledPatch }
  /** The patch was settled before. */
  | { readonly type: 'settled_elsewhere'; readonly by: ThreadOwner | null }
  /** Aborted while another process was deciding. */
  | { readonly type: 'busy'; readonly owner: ThreadOwner };

export interface SettledPatch {
  /** Files that were changed since. */
  readonly leftAlone: readonly string[];
  /** Recovered beside unsaved edits of the user, in the editor only. */
  readonly unsaved: readonly string[];
}
