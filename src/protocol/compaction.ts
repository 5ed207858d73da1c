/**
 * The histories that compactions replaced, and how to undo a compaction. Both a live session and the reader of rollouts
 * use this.
 */
import type { ResponseItem } from './responseItem.ts';

/** A compaction that is in effect. */
export interface CompactedHistory {
  /** The id of its `compaction` item. */
  readonly itemId: string;
  /** The history before the compaction. */
  readonly before: readonly ResponseItem[];
  /** The number of items that replaced it: all later ones were added since. */
  readonly kept: number;
}

export type UndoneCompaction =
  | { readonly type: 'undone'; readonly items: ResponseItem[]; readonly compacted: CompactedHistory[] }
  | { readonly type: 'unknown' }
  /** A later compaction is in effect. Its summary includes this one. */
  | { readonly type: 'not_last' };

/** Returns the history without its last compaction: the items that the compaction replaced, and those added since. */
export function undoCompaction(
  items: readonly ResponseItem[],
  compacted: readonly CompactedHistory[],
  itemId: string,
): UndoneCompaction {
  const last = compacted.at(-1);
  if (last === undefined || !compacted.some((each) => each.itemId === itemId)) return { type: 'unknown' };
  if (last.itemId !== itemId) return { type: 'not_last' };
  return {
    type: 'undone',
    items: [...last.before, ...items.slice(last.kept)],
    compacted: compacted.slice(0, -1),
  };
}
