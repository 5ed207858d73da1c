import type { FileChangeSummary } from '../../src/protocol/item.ts';
import type { ReviewedFile } from '../../src/protocol/review.ts';
import { diffOf, parseUnifiedDiff } from './diff.ts';

/** Counts the changed lines of a pending patch without the hunks and files that the user has left out. */
export function takenLines(
  changes: readonly FileChangeSummary[],
  diff: string,
  files: readonly ReviewedFile[],
): { readonly added: number; readonly removed: number } {
  const diffs = parseUnifiedDiff(diff);
  let [added, removed] = [0, 0];
  for (const change of changes) {
    const file = files.find(({ path }) => path === change.path);
    const hunks = diffOf(change, diffs)?.hunks;
    if (file?.isOut === true) continue;
    if (file === undefined || hunks === undefined || hunks.length !== file.hunks.length) {
      added += change.added;
      removed += change.removed;
      continue;
    }
    const lines = hunks.filter((_, index) => file.hunks[index] !== 'out').flatMap(({ content }) => content);
    added += lines.filter(({ type }) => type === 'add').length;
    removed += lines.filter(({ type }) => type === 'delete').length;
  }
  return { added, removed };
}
