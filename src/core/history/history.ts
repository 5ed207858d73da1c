import {
  callIdOf,
  isToolCall,
  isToolCallOutput,
  type ResponseItem,
  type ToolCallItem,
} from '../../protocol/responseItem.ts';
import { normalize } from './normalize.ts';

/**
 * What the model has seen and said, in order. It only grows at its end, and an element is never changed, unless the
 * person wants something gone: that is what keeps a server's prompt cache (design §5, "request prefix").
 */
export class History {
  readonly #items: ResponseItem[] = [];
  readonly #callIds = new Set<string>();
  readonly #owed = new Map<string, ToolCallItem>();

  /** Calls in `open` may yet be answered; every other one without an output counts as aborted. */
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

  /** Goes on from these, as after a rollback of turns. */
  restart(items: readonly ResponseItem[]): void {
    const kept = normalize(items);
    this.#items.length = 0;
    this.#callIds.clear();
    this.#owed.clear();
    for (const item of kept) this.append(item);
  }

  /** What these calls were answered with is replaced. */
  replaceOutputs(callIds: ReadonlySet<string>, output: string): void {
    this.#items.forEach((item, index) => {
      if (isToolCallOutput(item) && callIds.has(item.call_id)) this.#items[index] = { ...item, output };
    });
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
}
