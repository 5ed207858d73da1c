/** Histories that a compaction replaced, and how it is undone: shared by a live session and the reading of a rollout. */
import type { ResponseItem } from './responseItem.ts';

/** A compaction that is in effect. */
export interface CompactedHistory {
  /** The id of its `compaction` item. */
  readonly itemId: string;
  /** The history before it. */
  readonly before: readonly ResponseItem[];
  /** The number of items that replaced it: all later ones were added since. */
  readonly kept: number;
}

export type UndoneCompaction =
  | { readonly type: 'undone'; readonly items: ResponseItem[]; readonly compacted: CompactedHistory[] }
  | { readonly type: 'unknown' }
  /** A later compaction is in effect, whose summary includes this one. */
  | { readonly type: 'not_last' };

/** The history without its last compaction: the items that it replaced, and those added since. */
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
