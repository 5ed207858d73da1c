/** The user's choices on a pending patch, for display. */
import type { FileChangeSummary } from './item.ts';
import type { HunkReason } from './policy.ts';

/** The user's choice for a hunk. `in`: it is applied; `out`: it is left out; `edited`: the user has replaced it. */
export type HunkState = 'in' | 'out' | 'edited';

export interface ReviewedFile {
  /** The path on the approval card. */
  readonly path: string;
  /** True if the user has left out the whole file. */
  readonly isOut: boolean;
  /** True if a text of the user is applied instead of the chosen hunks. */
  readonly isEdited: boolean;
  /** The choice for each `@@` section of the file in the diff of the card. */
  readonly hunks: readonly HunkState[];
  /** The user's reasons for rejecting hunks. They are kept when a hunk is included again. */
  readonly reasons: readonly HunkReason[];
}

/** The choices on one patch. */
export interface ReviewState {
  readonly approvalId: string;
  readonly files: readonly ReviewedFile[];
}

/** Returns true if the user has left out or edited any part of the file. */
export function isTouched({ isOut, isEdited, hunks }: ReviewedFile): boolean {
  return isOut || isEdited || hunks.some((state) => state !== 'in');
}

/** Counts the hunks of a patch and those that are applied. A file without hunks counts as one. */
export function countHunks(files: readonly ReviewedFile[]): { readonly taken: number; readonly total: number } {
  let taken = 0;
  let total = 0;
  for (const { isOut, hunks } of files) {
    total += Math.max(1, hunks.length);
    if (isOut) continue;
    taken += hunks.length === 0 ? 1 : hunks.filter((state) => state !== 'out').length;
  }
  return { taken, total };
}

/** Returns the changed files of an applied patch, without those that the user left out. */
export function changesTaken(changes: readonly FileChangeSummary[]): readonly FileChangeSummary[] {
  return changes.filter(({ decision }) => decision !== 'declined');
}
