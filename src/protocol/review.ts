/** The user's choices on a pending patch, for display. */
import type { FileChangeSummary } from './item.ts';
import type { HunkReason } from './policy.ts';

/** `in`: part of the change to apply; `out`: left out; `edited`: replaced by the user's own text. */
export type HunkState = 'in' | 'out' | 'edited';

export interface ReviewedFile {
  /** The path on the approval card. */
  readonly path: string;
  /** True when the whole file was left out. */
  readonly isOut: boolean;
  /** True when the user's own text would be applied instead of a choice of hunks. */
  readonly isEdited: boolean;
  /** One for each `@@` of the file in the diff of the card. */
  readonly hunks: readonly HunkState[];
  /** The reasons for rejected hunks that the user has given; also of hunks that were restored since. */
  readonly reasons: readonly HunkReason[];
}

/** The choices on one patch. */
export interface ReviewState {
  readonly approvalId: string;
  readonly files: readonly ReviewedFile[];
}

/** True where the user has left out or edited anything of the file. */
export function isTouched({ isOut, isEdited, hunks }: ReviewedFile): boolean {
  return isOut || isEdited || hunks.some((state) => state !== 'in');
}

/** A file without hunks counts as one. */
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

/** The changed files of an applied patch, without those that the user left out. */
export function changesTaken(changes: readonly FileChangeSummary[]): readonly FileChangeSummary[] {
  return changes.filter(({ decision }) => decision !== 'declined');
}
