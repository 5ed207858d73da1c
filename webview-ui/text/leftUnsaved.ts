import type { FileChangeSummary } from '../../src/protocol/item.ts';
import { plural, t } from '../l10n.ts';

/**
 * Describes the files that a patch left unsaved in the editor: a short text, and a sentence with the reason. Returns
 * `null` if there are none.
 */
export function leftUnsaved(
  changes: readonly FileChangeSummary[],
): { readonly words: string; readonly sentence: string } | null {
  const left = changes.filter(({ unsaved }) => unsaved).map(({ path, movedTo }) => movedTo ?? path);
  if (left.length === 0) return null;
  const words = changes.length === 1 ? t('left unsaved') : t('{0} left unsaved', left.length);
  const sentence = plural(
    left.length,
    'Changed in the editor only, because it held edits of yours that were not saved, or could not be saved: {1}',
    'Changed in the editor only, because they held edits of yours that were not saved, or could not be saved: {1}',
    left.join(', '),
  );
  return { words, sentence };
}
