import {
  callIdOf,
  isToolCall,
  isToolCallOutput,
  type ResponseItem,
  type ToolCallItem,
} from '../../protocol/responseItem.ts';
import { type CompactedHistory, undoCompaction, type UndoneCompaction } from '../../protocol/compaction.ts';
import { normalize } from './normalize.ts';

/**
 * The items that the model has read and written, in order. Items are only appended, and an item is never changed, which
 * keeps the server's prompt cache valid (design §5, "request prefix"). Three exceptions: the user removes an output,
 * a compaction, which can be undone, replaces all items, and reasoning that the model does not continue is removed.
 */
export class History {
  #items: ResponseItem[] = [];
  #compacted: readonly CompactedHistory[];
  readonly #callIds = new Set<string>();
  readonly #owed = new Map<string, ToolCallItem>();

  /** Calls in `open` may still get an output; any other call without one counts as aborted. */
  constructor(
    items: readonly ResponseItem[] = [],
    open: ReadonlySet<string> = new Set(),
    compacted: readonly CompactedHistory[] = [],
  ) {
    this.#compacted = compacted;
    this.#noteCompacted();
    for (const item of normalize(items, open)) this.append(item);
  }

  get items(): readonly ResponseItem[] {
    return this.#items;
  }

  /** All items, with those that compactions in effect have replaced. */
  get everything(): readonly ResponseItem[] {
    return [...this.#compacted.flatMap(({ before }) => before), ...this.#items];
  }

  /** Calls without an output, oldest first. */
  get owed(): readonly ToolCallItem[] {
    return [...this.#owed.values()];
  }

  /** The last message or call; a compaction is neither, nor is reasoning after a message. */
  get last(): ResponseItem | undefined {
    let items: readonly ResponseItem[] = this.#items;
    for (const { before, kept } of this.#compacted.toReversed()) {
      if (items.length > kept) break;
      items = before;
    }
    return items.findLast(({ type }) => type !== 'reasoning');
  }

  append(item: ResponseItem): void {
    this.#items.push(item);
    if (isToolCall(item)) {
      this.#owed.set(this.#noteId(item), item);
    } else if (isToolCallOutput(item)) {
      this.#owed.delete(item.call_id);
    }
  }

  /**
   * Removes the reasoning at the end, and returns the number of its items. Call before an item that is not the model's: a
   * response that the server wants continued can end with reasoning (see `withoutLoneReasoning`).
   */
  removeOpenReasoning(): number {
    const before = this.#items;
    const last = before.findLastIndex(({ type }) => type !== 'reasoning');
    if (last < before.length - 1) this.#items = before.slice(0, last + 1);
    return before.length - this.#items.length;
  }

  /** Replaces all items. No call may be owed. */
  compact(itemId: string, items: readonly ResponseItem[]): void {
    this.#compacted = [...this.#compacted, { itemId, before: this.#items, kept: items.length }];
    this.#items = [...items];
  }

  /** Restores the items that the compaction replaced, with those added since. Has no effect unless `undone`. */
  undoCompaction(itemId: string): UndoneCompaction['type'] {
    const undone = undoCompaction(this.#items, this.#compacted, itemId);
    if (undone.type === 'undone') {
      this.#items = normalize(undone.items);
      this.#compacted = undone.compacted;
    }
    return undone.type;
  }

  /** Continues from these items, as after a rollback of turns. Compactions in effect remain, and can be undone. */
  restart(items: readonly ResponseItem[]): void {
    const kept = normalize(items);
    this.#items = [];
    this.#owed.clear();
    this.#callIds.clear();
    this.#noteCompacted();
    for (const item of kept) this.append(item);
  }

  /** Replaces the outputs of these calls, also in the items that an undo of a compaction would restore. */
  replaceOutputs(callIds: ReadonlySet<string>, output: string): void {
    const replaced = (items: readonly ResponseItem[]) => withOutputs(items, callIds, output);
    this.#items = replaced(this.#items);
    this.#compacted = this.#compacted.map((step) => ({ ...step, before: replaced(step.before) }));
  }

  /**
   * Returns the call with an id that no other call of the thread has: when a server repeats or omits ids, two calls
   * must not share an output (reference/benchmarks.md, "two calls, same call_id").
   */
  withUniqueId<Call extends ToolCallItem>(call: Call, newId: () => string): Call & { call_id: string } {
    const callId = callIdOf(call);
    if (callId && !this.#callIds.has(callId)) return { ...call, call_id: callId };
    return { ...call, call_id: callId ? `${callId}_${newId()}` : newId() };
  }

  /** The ids of calls that a compaction replaced stay taken, because its undo restores them. */
  #noteCompacted(): void {
    for (const { before } of this.#compacted) for (const item of before) if (isToolCall(item)) this.#noteId(item);
  }

  #noteId(call: ToolCallItem): string {
    const callId = callIdOf(call) ?? '';
    this.#callIds.add(callId);
    return callId;
  }
}

/** Returns the items with this output for these calls. */
export function withOutputs(
  items: readonly ResponseItem[],
  callIds: ReadonlySet<string>,
  output: string,
): ResponseItem[] {
  return items.map((item) => (isToolCallOutput(item) && callIds.has(item.call_id) ? { ...item, output } : item));
}
