// The order of the files: those that share a window follow each other, so that each worker opens it once.
import { readFileSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';

export class SharedWindowsLast extends BaseSequencer {
  /** Files with windows of their own are first: they take the longest, and short ones at the end keep both workers busy. */
  async sort(files) {
    const sorted = await super.sort(files);
    const ranks = new Map(sorted.map(({ moduleId }) => [moduleId, rankOf(readFileSync(moduleId, 'utf8'))]));
    return sorted.toSorted((one, other) => ranks.get(one.moduleId) - ranks.get(other.moduleId));
  }
}

/** @param {string} text  of a file of scenarios; see `SharedWindowOptions` */
function rankOf(text) {
  // The browser that it leaves is replaced.
  if (text.includes('browserForUser: true')) return 4;
  if (!text.includes('useSharedWindow(')) return 0;
  if (text.includes('isNew: true')) return 1;
  return text.includes('isLast: true') ? 3 : 2;
}
