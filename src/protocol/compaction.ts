/** Histories that a compaction replaced, and how it is undone: the same in a live session and when a rollout is read. */
import type { ResponseItem } from './responseItem.ts';

/** A compaction that stands. */
export interface CompactedHistory {
  /** Of its `compaction` item. */
  readonly itemId: string;
  /** What the model had read before. */
  readonly before: readonly ResponseItem[];
  /** How many items replaced it: all that follow were added since. */
  readonly kept: number;
}

export type UndoneCompaction =
  | { readonly type: 'undone'; readonly items: ResponseItem[]; readonly compacted: CompactedHistory[] }
  | { readonly type: 'unknown' }
  /** A later compaction stands, whose summary includes this one. */
  | { readonly type: 'not_last' };

/** The history without its last compaction: what it replaced, and what was added since. */
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
