/** What a person has chosen of a patch that waits, for whoever shows it. */
import type { FileChangeSummary } from './item.ts';

/** It stands in what would land; it was taken out; or the person wrote something else in its place. */
export type HunkState = 'in' | 'out' | 'edited';

export interface ReviewedFile {
  /** As the question names it. */
  readonly path: string;
  /** The whole file was left out. */
  readonly isOut: boolean;
  /** What would land is the person's own text, and no choice of hunks. */
  readonly isEdited: boolean;
  /** One for each `@@` of the file in the question's diff. */
  readonly hunks: readonly HunkState[];
}

/** Of one patch. */
export interface ReviewState {
  readonly approvalId: string;
  readonly files: readonly ReviewedFile[];
}

export function isTouched({ isOut, isEdited, hunks }: ReviewedFile): boolean {
  return isOut || isEdited || hunks.some((state) => state !== 'in');
}

/** A file without hunks of its own counts as one. */
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

/** Of a patch that has landed: the files it has changed, without those that the person left out. */
export function changesTaken(changes: readonly FileChangeSummary[]): readonly FileChangeSummary[] {
  return changes.filter(({ decision }) => decision !== 'declined');
}
