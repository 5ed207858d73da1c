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
 * What the model has seen and said, in order. It only grows at its end, and an element is never changed, which keeps a
 * server's prompt cache (design §5, "request prefix"). The exceptions: the user removes an output, or a compaction
 * replaces the whole, which can be undone.
 */
export class History {
  #items: ResponseItem[] = [];
  #compacted: readonly CompactedHistory[];
  readonly #callIds = new Set<string>();
  readonly #owed = new Map<string, ToolCallItem>();

  /** Calls in `open` may yet be answered; every other one without an output counts as aborted. */
  constructor(
    items: readonly ResponseItem[] = [],
    open: ReadonlySet<string> = new Set(),
    compacted: readonly CompactedHistory[] = [],
  ) {
    this.#compacted = compacted;
    // Their ids stay taken: an undo brings them back.
    for (const { before } of compacted) for (const item of before) if (isToolCall(item)) this.#noteId(item);
    for (const item of normalize(items, open)) this.append(item);
  }

  get items(): readonly ResponseItem[] {
    return this.#items;
  }

  /** Calls without an output, oldest first. */
  get owed(): readonly ToolCallItem[] {
    return [...this.#owed.values()];
  }

  /** The last thing that was said; a compaction says nothing. */
  get last(): ResponseItem | undefined {
    let items: readonly ResponseItem[] = this.#items;
    for (const { before, kept } of this.#compacted.toReversed()) {
      if (items.length > kept) break;
      items = before;
    }
    return items.at(-1);
  }

  append(item: ResponseItem): void {
    this.#items.push(item);
    if (isToolCall(item)) {
      this.#owed.set(this.#noteId(item), item);
    } else if (isToolCallOutput(item)) {
      this.#owed.delete(item.call_id);
    }
  }

  /** The model reads these items from now on. No call may be owed. */
  compact(itemId: string, items: readonly ResponseItem[]): void {
    this.#compacted = [...this.#compacted, { itemId, before: this.#items, kept: items.length }];
    this.#items = [...items];
  }

  /** Changes nothing unless `undone`. */
  undoCompaction(itemId: string): UndoneCompaction['type'] {
    const undone = undoCompaction(this.#items, this.#compacted, itemId);
    if (undone.type === 'undone') {
      this.#items = normalize(undone.items);
      this.#compacted = undone.compacted;
    }
    return undone.type;
  }

  /** What these calls were answered with is replaced, also in what an undo would bring back. */
  replaceOutputs(callIds: ReadonlySet<string>, output: string): void {
    const replaced = (item: ResponseItem): ResponseItem =>
      isToolCallOutput(item) && callIds.has(item.call_id) ? { ...item, output } : item;
    this.#items = this.#items.map(replaced);
    this.#compacted = this.#compacted.map((step) => ({ ...step, before: step.before.map(replaced) }));
  }

  /**
   * The call under an id that no other call of the thread has: a server that repeats or forgets ids must not make two
   * calls share an output (reference/benchmarks.md, "two calls, same call_id").
   */
  withUniqueId<Call extends ToolCallItem>(call: Call, newId: () => string): Call & { call_id: string } {
    const callId = callIdOf(call);
    if (callId && !this.#callIds.has(callId)) return { ...call, call_id: callId };
    return { ...call, call_id: callId ? `${callId}_${newId()}` : newId() };
  }

  #noteId(call: ToolCallItem): string {
    const callId = callIdOf(call) ?? '';
    this.#callIds.add(callId);
    return callId;
  }
}
