import type { InterruptedPatch, WayOut } from '../protocol/wire.ts';

/** A patch that a crash left half landed, and the ways out of it. */
export interface HalfLandedPatch {
  readonly id: string;
  readonly startedAt: Date;
  readonly changes: InterruptedPatch['files'];
  /** In the editor and on the disk. `null` when somebody else has done it meanwhile: another window, the command line. */
  readonly settle: (way: WayOut) => Promise<SettledPatch | null>;
}

export interface SettledPatch {
  /** Somebody has changed them since. */
  readonly leftAlone: readonly string[];
  /** Done beside unsaved edits of the person's, in the editor only. */
  readonly unsaved: readonly string[];
}
