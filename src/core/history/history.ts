import {
  callIdOf,
  isToolCall,
  isToolCallOutput,
  type ResponseItem,
  type ToolCallItem,
} from '../../protocol/responseItem.ts';
import { normalize } from './normalize.ts';

/**
 * What the model has seen and written, in order. Items are only appended, and an item is never changed unless the user
 * removes content: this keeps the server's prompt cache valid (design §5, "request prefix").
 */
export class History {
  readonly #items: ResponseItem[] = [];
  readonly #callIds = new Set<string>();
  readonly #owed = new Map<string, ToolCallItem>();

  /** Calls in `open` may still get an output; any other call without one counts as aborted. */
  constructor(items: readonly ResponseItem[] = [], open: ReadonlySet<string> = new Set()) {
    for (const item of normalize(items, open)) this.append(item);
  }

  get items(): readonly ResponseItem[] {
    return this.#items;
  }

  /** Calls without an output, oldest first. */
  get owed(): readonly ToolCallItem[] {
    return [...this.#owed.values()];
  }

  append(item: ResponseItem): void {
    this.#items.push(item);
    if (isToolCall(item)) {
      const callId = callIdOf(item) ?? '';
      this.#callIds.add(callId);
      this.#owed.set(callId, item);
    } else if (isToolCallOutput(item)) {
      this.#owed.delete(item.call_id);
    }
  }

  /** Replaces the outputs of these calls. */
  replaceOutputs(callIds: ReadonlySet<string>, output: string): void {
    this.#items.forEach((item, index) => {
      if (isToolCallOutput(item) && callIds.has(item.call_id)) this.#items[index] = { ...item, output };
    });
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
}
